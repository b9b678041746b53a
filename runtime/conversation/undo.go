package conversation

import (
	"context"
	"encoding/json"
	"time"

	"chatterbox/loop"
)

// This file takes back what was done last, when the person asks for it soon enough. The rules are: it is the last
// effect of the conversation or none, whoever called for it; the tool's manifest says which call takes it back, and the
// result what with; that call is made once, by the tool that was there when the effect was; and the person's word is
// the yes to it.

// undoTime is how long an effect can be taken back by a word.
const undoTime = 2 * time.Minute

// Done is the last call that changed something.
type Done struct {
	Tool string    `json:"tool"` // name
	At   time.Time `json:"at"`
	// Undo is the call that takes it back; nil where none does.
	Undo *Undoing `json:"undo,omitempty"`
}

// Undoing is a call that takes an effect back.
type Undoing struct {
	Tool      string          `json:"tool"`
	Digest    string          `json:"digest"` // of the tool, when the effect was
	Arguments json.RawMessage `json:"arguments"`
}

// keepLast keeps the turn's last effect.
func (t *turn) keepLast() {
	if t.undone {
		return
	}
	for _, call := range t.outcome.Trace.ToolCalls {
		if call.Acted {
			t.record.state.Last = &Done{Tool: call.Name, At: t.opts.Now().UTC(), Undo: undoing(call)}
		}
	}
}

// undoing is the call that takes a call back, nil where its result does not have what that needs.
func undoing(call loop.CallRecord) *Undoing {
	var result map[string]json.RawMessage
	if call.Undo == nil || json.Unmarshal([]byte(call.Result), &result) != nil {
		return nil
	}
	arguments := make(map[string]json.RawMessage, len(call.Undo.Arguments))
	for name, member := range call.Undo.Arguments {
		value := result[member]
		if len(value) == 0 || string(value) == "null" || string(value) == `""` {
			return nil
		}
		arguments[name] = value
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		return nil
	}
	return &Undoing{Tool: call.Undo.Tool, Digest: call.Undo.Digest, Arguments: encoded}
}

// takesBack takes the last effect back where the text asks for that, and reports whether it took the turn. While a
// workflow is open, a text that has nothing to take back is the workflow's.
func (t *turn) takesBack(ctx context.Context) bool {
	if !t.opts.Strategy.routes() || t.record.id == "" {
		return false
	}
	open, last := t.dialogue.state.Open(), t.record.state.Last
	if !t.opts.Workflows().IsUndo(t.text, open) || open && last == nil {
		return false
	}
	t.route = RouteTrace{Stage: "undo", Reason: "the person takes back what was done last", ToolsOffered: []string{}}
	switch {
	case last == nil:
		t.answerWith(ctx, t.sentence("undo_nothing"))
	case t.opts.Now().Sub(last.At) > undoTime:
		t.answerWith(ctx, t.sentence("undo_late"))
	case last.Undo == nil:
		t.answerWith(ctx, t.sentence("undo_impossible"))
	default:
		t.takeBack(ctx, last)
	}
	return true
}

// takeBack makes the call that takes last back, once.
func (t *turn) takeBack(ctx context.Context, last *Done) {
	t.record.state.Last, t.undone = nil, true // what commits the call's entry commits that too
	call := loop.Call{ID: "undo", Name: last.Undo.Tool, Arguments: string(last.Undo.Arguments)}
	tools := t.tools()
	tools.digest = last.Undo.Digest
	machine := t.drive(ctx, tools, loop.New(t.opts.Limits, nil), loop.Event{
		Kind: loop.Start, Proposed: []loop.Proposed{{Call: call, Approved: true}}, CallerWords: true,
	})
	if t.outcome.Failure != nil {
		return
	}
	if t.outcome.Results[0].Failed {
		t.say(ctx, machine, t.sentence("undo_failed"), phrasing{})
		return
	}
	language := t.opts.Workflows().Spoken(t.request.Language)
	told := t.rules().Told(call.Name, language, []byte(t.outcome.Results[0].Content))
	if told == "" {
		told = t.sentence("undo_done", "call", Effect{Tool: last.Tool}.said())
	}
	t.say(ctx, machine, told, phrasing{})
}
