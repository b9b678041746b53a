package conversation_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

var booking = loop.Call{ID: "1", Name: "book", Arguments: `{"day":"friday"}`}

// asked returns a store with a conversation that waits for a yes to the booking.
func asked(t *testing.T, tools loop.Tools) *historytest.Memory {
	t.Helper()
	store := new(historytest.Memory)
	reply := say(t, conversation.New(options(store, script(t, booking), tools)), "a", "Book friday.")
	approval := reply.Extra.Approval
	if reply.ResponseText != "Really?" || approval == nil || approval.Tool != "book" ||
		string(approval.Arguments) != `{"day":"friday"}` || approval.Question != "Really?" || approval.Expires.IsZero() {
		t.Fatalf("reply %+v, approval %+v", reply, approval)
	}
	if states := reply.Trace.States; states[len(states)-1] != loop.AwaitingApproval {
		t.Fatalf("states %v", states)
	}
	return store
}

func TestApproval(t *testing.T) {
	tests := map[string]struct {
		text    string
		replies []any
		ran     int
		answer  string
	}{
		"a yes runs the call":             {"Yes, please.", []any{"Booked."}, 1, "Booked."},
		"a no drops it":                   {"No.", []any{"It is sunny."}, 0, "All right, I won't. It is sunny."},
		"anything else drops it":          {"Yes, but at ten.", []any{"At ten?"}, 0, "Nothing was done. At ten?"},
		"a yes in German runs it":         {"Ja.", []any{"Gebucht."}, 1, "Gebucht."},
		"a model that fails after it ran": {"Yes.", []any{&loop.Error{Kind: loop.KindAPI}}, 1, "I'm sorry, my language model returned an error. Please try again."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tools := &toolbox{asks: "book"}
			store := asked(t, tools)
			model := script(t, append(tt.replies, "Hm?")...)
			s := conversation.New(options(store, model, tools)) // a new one, as after a restart
			reply := say(t, s, "a", tt.text)
			if reply.ResponseText != tt.answer || reply.Extra.Approval != nil || len(tools.ran) != tt.ran {
				t.Errorf("answered %q, approval %+v, %d calls ran; want %q and %d calls",
					reply.ResponseText, reply.Extra.Approval, len(tools.ran), tt.answer, tt.ran)
			}
			if tt.ran == 1 && (tools.ran[0] != (loop.Call{ID: "1", Name: "book", Arguments: booking.Arguments, Conversation: "a"}) || reply.Trace.Route.Stage != "approval") {
				t.Errorf("ran %+v by stage %s", tools.ran, reply.Trace.Route.Stage)
			}
			if tt.ran == 0 && !strings.Contains(string(reply.Trace.ToolCalls[0].Result), "declined by the person") {
				t.Errorf("the trace has %+v", reply.Trace.ToolCalls)
			}
			if tt.ran == 0 && len(tt.replies) > 0 && !strings.Contains(model.asked[0].Messages[3].Content, "declined by the person") {
				t.Errorf("the model was told %+v", model.asked[0].Messages)
			}
			say(t, s, "a", "yes")
			if len(tools.ran) != tt.ran {
				t.Errorf("a second yes ran the call again")
			}
		})
	}
}

func TestApprovalSurvivesAFailureBeforeTheCallAndNotOneAfterIt(t *testing.T) {
	tools := &toolbox{asks: "book"}
	store := &brokenStore{Memory: asked(t, tools), load: errors.New("disk")}
	s := conversation.New(options(store, script(t, "Booked.", "Again?"), tools))
	say(t, s, "a", "yes")
	if len(tools.ran) != 0 {
		t.Fatal("the call ran although the conversation could not be read")
	}
	store.load, store.append = nil, errors.New("disk")
	if e := say(t, s, "a", "yes").Extra.Error; e == nil || e.Kind != conversation.KindStorage || len(tools.ran) != 1 {
		t.Fatalf("extra.error %+v, %d calls ran", e, len(tools.ran))
	}
	store.append = nil
	say(t, s, "a", "yes")
	if len(tools.ran) != 1 {
		t.Error("a yes whose turn was lost after the call ran it again")
	}
}

func TestAnExpiredApprovalIsForgotten(t *testing.T) {
	const late = "That took too long, so I did nothing. Please ask me again."
	for said, model := range map[string][]any{"yes": {"Hm?"}, "no": {"What not?", "Hm?"}, "what?": {"That.", "Hm?"}} {
		tools := &toolbox{asks: "book"}
		opts := options(asked(t, tools), script(t, model...), tools)
		opts.Now = func() time.Time { return time.Now().Add(6 * time.Minute) }
		reply := say(t, conversation.New(opts), "a", said)
		if (reply.ResponseText == late) != (said == "yes") || len(tools.ran) != 0 {
			t.Errorf("%s: reply %+v, %d calls ran", said, reply, len(tools.ran))
		}
		if state := turnsOf(t, opts.Store, "a").State; state.Approval != nil {
			t.Errorf("%s: the expired approval is still stored", said)
		}
		opts.Now = nil // even when the clock goes back
		if say(t, conversation.New(opts), "a", "yes"); len(tools.ran) != 0 {
			t.Errorf("%s: it came back", said)
		}
	}
}

func TestAStatelessTurnCannotAsk(t *testing.T) {
	tools := &toolbox{asks: "book"}
	model := script(t, booking, "I need a conversation for that.")
	opts := options(new(historytest.Memory), model, tools)
	opts.AutoCreateID = false
	reply := say(t, conversation.New(opts), "", "Book friday.")
	if reply.Extra.Approval != nil || len(tools.ran) != 0 ||
		!strings.Contains(string(reply.Trace.ToolCalls[0].Result), "conversation_id") {
		t.Errorf("reply %+v, trace %+v", reply, reply.Trace)
	}
}

// TestApprovalsOfEarlierVersions answers approvals as earlier versions have stored them: a command beside the digest of
// its tool, and a machine of the model's.
func TestApprovalsOfEarlierVersions(t *testing.T) {
	const gone = "I can't go on with that any more, so I did nothing. Please ask me again."
	tests := map[string]struct {
		file, text string
		replies    []any
		forget     func(*conversation.Approval, *conversation.Options) // what else has changed since
		answer     string
		ran        int
	}{
		"a command, yes": {file: "approval_command", text: "yes", answer: "Booked.", ran: 1},
		"a command, no":  {file: "approval_command", text: "no", answer: "All right, I won't."},
		"a model, yes": {
			file: "approval_model", text: "yes", replies: []any{"It is booked."}, answer: "It is booked.", ran: 1,
		},
		"a model, no": {file: "approval_model", text: "no", replies: []any{"It is sunny."}, answer: "All right, I won't. It is sunny."},
		"a command whose rule is gone": {
			file: "approval_command", text: "yes", answer: gone,
			forget: func(_ *conversation.Approval, opts *conversation.Options) { opts.Rules = clock(t) },
		},
		"a machine that cannot be read": {
			file: "approval_model", text: "yes", answer: gone,
			forget: func(a *conversation.Approval, _ *conversation.Options) { a.Machine = []byte(`{"state":7}`) },
		},
		"a machine that cannot be read, and a no": {
			file: "approval_model", text: "no", answer: "All right, I won't.",
			forget: func(a *conversation.Approval, _ *conversation.Options) { a.Machine = []byte(`{}`) },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "state", tt.file+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var state conversation.State
			if err := json.Unmarshal(data, &state); err != nil {
				t.Fatal(err)
			}
			store, tools := new(historytest.Memory), &acting{toolbox: toolbox{asks: "book"}}
			opts := options(store, script(t, tt.replies...), tools)
			opts.Rules = books(t)
			opts.Now = func() time.Time { return state.Approval.Expires.Add(-time.Minute) }
			if tt.forget != nil {
				tt.forget(state.Approval, &opts)
			}
			if err := store.SetState(t.Context(), "a", 0, state); err != nil {
				t.Fatal(err)
			}
			s := conversation.New(opts)
			reply := say(t, s, "a", tt.text)
			if reply.ResponseText != tt.answer || len(tools.ran) != tt.ran || turnsOf(t, store, "a").State.Approval != nil {
				t.Errorf("answered %q and ran %+v, want %q and %d calls", reply.ResponseText, tools.ran, tt.answer, tt.ran)
			}
			if tt.ran == 1 && tools.ran[0].Arguments != booking.Arguments {
				t.Errorf("ran %+v", tools.ran)
			}
		})
	}
}

func TestAnApprovalHasOneForm(t *testing.T) {
	for name, rules := range map[string]func() *route.Rules{"by rule": books(t), "by the model": nil} {
		store := new(historytest.Memory)
		opts := options(store, nil, &toolbox{asks: "book"})
		if opts.Rules = rules; rules == nil {
			opts = options(store, script(t, booking), &toolbox{asks: "book"})
		}
		reply := say(t, conversation.New(opts), "a", "Book friday.")
		approval := turnsOf(t, store, "a").State.Approval
		var machine loop.Machine
		if err := json.Unmarshal(approval.Machine, &machine); err != nil {
			t.Fatal(err)
		}
		states := reply.Trace.States
		if machine.State != loop.AwaitingApproval || !slices.Equal(machine.Trace.States, states) ||
			approval.Command != nil || approval.Digest != "" {
			t.Errorf("%s: approval %+v, states %v", name, approval, states)
		}
	}
}

func TestATextBesideAnApprovalIsRoutedOnce(t *testing.T) {
	tools := &toolbox{asks: "book"}
	store := asked(t, tools)
	decided := 0
	place := func(said string, _ route.Context) route.Resolved {
		decided++
		return route.Resolved{Value: said, Spoken: said, Sureness: route.Known}
	}
	rules, err := route.Compile([]route.Rule{{
		Name: "time", Language: "en", Tool: "get_current_datetime", Patterns: []string{`what time is it in (?P<place>\w+)`},
		Arguments: map[string]route.Argument{"place": {Group: "place", Resolver: "place"}}, Reply: "It is noon in {{.said.place}}.",
		Failures: []route.Failure{{Reply: "No."}},
	}}, map[string]route.Resolver{"place": place}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opts := options(store, script(t), tools)
	opts.Rules = func() *route.Rules { return rules }
	reply := say(t, conversation.New(opts), "a", "What time is it in Rome?")
	if !strings.HasSuffix(reply.ResponseText, "It is noon in Rome.") || decided != 1 {
		t.Errorf("%q after %d decisions", reply.ResponseText, decided)
	}
}
