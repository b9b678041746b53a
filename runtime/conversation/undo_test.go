package conversation_test

import (
	"context"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// undoable are tools of which book is taken back by unbook, with the id of its result.
type undoable struct {
	toolbox
	digest  string // of unbook
	missing bool   // the result has no id
	fails   bool   // unbook does
}

func (u *undoable) Check(ctx context.Context, call loop.Call) loop.Verdict {
	verdict := u.toolbox.Check(ctx, call)
	switch call.Name {
	case "book":
		verdict.Acts = true
		verdict.Undo = &loop.Undo{Tool: "unbook", Digest: "sha256:1", Arguments: map[string]string{"id": "number"}}
	case "unbook":
		verdict = loop.Verdict{Decision: loop.Ask, Question: "Unbook?", Tool: u.digest, Acts: true}
	case "open":
		verdict.Acts = true
	}
	return verdict
}

func (u *undoable) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	result := u.toolbox.Call(ctx, call, verdict)
	switch {
	case call.Name == "book" && !u.missing:
		result.Content = `{"number":17}`
	case call.Name == "unbook" && u.fails:
		return loop.ErrorResult("it is locked")
	}
	return result
}

// turnsBack says one text after the other and returns the last reply.
func turnsBack(t *testing.T, s *conversation.Service, texts ...string) (reply conversation.Reply) {
	t.Helper()
	for _, text := range texts {
		reply = say(t, s, "a", text)
	}
	return reply
}

func TestUndo(t *testing.T) {
	const undone, nothing = "I've taken that back: book.", "There is nothing to take back."
	open := loop.Call{ID: "2", Name: "open", Arguments: `{}`}
	for name, c := range map[string]struct {
		tools  *undoable // nil: nothing special
		asks   string
		model  []any // nil: by rule
		said   []string
		after  time.Duration
		answer string
		calls  int // that undid
	}{
		"what a rule did":                    {said: []string{"Book friday."}, answer: undone, calls: 1},
		"what a rule did after a yes":        {asks: "book", said: []string{"Book friday.", "yes"}, answer: undone, calls: 1},
		"what a model did":                   {model: []any{booking, "Booked."}, said: []string{"Do it."}, answer: undone, calls: 1},
		"what was done before a talk":        {model: []any{booking, "Booked.", "Hello."}, said: []string{"Do it.", "Hi."}, answer: undone, calls: 1},
		"only once":                          {said: []string{"Book friday.", "undo"}, answer: nothing, calls: 1},
		"nothing":                            {said: []string{"undo"}, answer: nothing},
		"what is two minutes old":            {said: []string{"Book friday."}, after: 2 * time.Minute, answer: undone, calls: 1},
		"what is older":                      {said: []string{"Book friday."}, after: 121 * time.Second, answer: "That was more than two minutes ago, so I left it as it is."},
		"what nothing takes back":            {model: []any{open, "Open."}, said: []string{"Open it."}, answer: "I can't take that back, so I left it as it is."},
		"what something else was done after": {model: []any{booking, "Booked.", open, "Open."}, said: []string{"Do it.", "Open it."}, answer: "I can't take that back, so I left it as it is."},
		"a result without what it needs":     {tools: &undoable{missing: true}, said: []string{"Book friday."}, answer: "I can't take that back, so I left it as it is."},
		"a tool that is another now":         {tools: &undoable{digest: "sha256:2"}, said: []string{"Book friday."}, answer: "I couldn't take that back. Please have a look yourself."},
		"what cannot be done now":            {tools: &undoable{fails: true}, said: []string{"Book friday."}, answer: "I couldn't take that back. Please have a look yourself.", calls: 1},
		"what was declined":                  {asks: "book", said: []string{"Book friday.", "no"}, answer: nothing},
	} {
		t.Run(name, func(t *testing.T) {
			store, tools := new(historytest.Memory), c.tools
			if tools == nil {
				tools = new(undoable)
			}
			tools.asks = c.asks
			if tools.digest == "" {
				tools.digest = "sha256:1"
			}
			now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
			opts := options(store, nil, tools)
			if opts.Rules = books(t); c.model != nil {
				opts = options(store, script(t, c.model...), tools)
			}
			opts.Now = func() time.Time { return now }
			turnsBack(t, conversation.New(opts), c.said...)
			now = now.Add(c.after)
			reply := turnsBack(t, conversation.New(opts), "undo that, please") // another process, as after a restart
			if reply.ResponseText != c.answer || reply.Extra.Approval != nil {
				t.Errorf("%q, %+v", reply.ResponseText, reply.Extra.Approval)
			}
			var undid []string
			for _, call := range tools.ran {
				if call.Name == "unbook" {
					undid = append(undid, call.Arguments)
				}
			}
			if len(undid) != c.calls || len(undid) > 0 && undid[0] != `{"id":17}` {
				t.Errorf("undone by %v", undid)
			}
		})
	}
}
