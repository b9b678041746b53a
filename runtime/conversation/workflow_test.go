package conversation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

func TestAWorkflowTakesItsTurns(t *testing.T) {
	for name, model := range map[string]loop.Model{
		"without a model": nil,
		"with one that is not asked": modelFunc(func(context.Context, loop.Request, func(string)) (loop.Completion, error) {
			t.Error("the model was asked")
			return loop.Completion{}, errors.New("no")
		}),
	} {
		t.Run(name, func(t *testing.T) {
			store, tools := new(historytest.Memory), &desk{asks: "book"}
			steps := []struct{ text, answer, phase, ran string }{
				{"I want to book a visit", "What name?", "COLLECTING", ""},
				{"name:Ada", "What day?", "COLLECTING", ""},
				{"date:2026-03-05", "Book Ada?", "CONFIRMING", "look"},
				{"yes", "Booked Ada.", "COMPLETE", "look book"},
			}
			for i, step := range steps {
				s := conversation.New(atDesk(t, store, model, tools)) // a new one, as after a restart
				reply := say(t, s, "a", step.text)
				trace := reply.Trace
				if reply.ResponseText != step.answer || trace.Workflow == nil || trace.Workflow.Phase != step.phase || tools.names() != step.ran {
					t.Fatalf("%q: %q, workflow %+v, ran %s", step.text, reply.ResponseText, trace.Workflow, tools.names())
				}
				if trace.Route.Stage != "workflow" || !strings.Contains(trace.Route.Reason, "booking") || trace.LLMCalls != 0 {
					t.Errorf("%q: trace %+v", step.text, trace)
				}
				if open := len(turnsOf(t, store, "a").State.Workflow) > 0; open != (i < 3) {
					t.Errorf("%q: a workflow is stored: %v", step.text, open)
				}
			}
			call := tools.ran[1]
			if call.Arguments != `{"day":"2026-03-05","name":"Ada"}` || call.Conversation != "a" {
				t.Errorf("booked with %+v", call)
			}
			turn := turnsOf(t, store, "a").Turns[3]
			if !strings.Contains(string(turn.Trace), `"fields":{"date":"2026-03-05","name":"Ada"}`) {
				t.Errorf("stored trace %s", turn.Trace)
			}
		})
	}
}

func TestTheCallsOfAWorkflowAreSeen(t *testing.T) {
	s := conversation.New(atDesk(t, new(historytest.Memory), nil, &desk{}))
	spoken(t, s, "book a visit name:Ada date:2026-03-05")
	var seen []string
	var heard string
	reply, err := s.Converse(t.Context(), conversation.Request{Text: "yes", ConversationID: "a", Trace: true}, func(e loop.Emission) {
		if heard += e.Text; e.Kind == loop.EmitTool {
			seen = append(seen, e.Name+" "+string(e.State))
		}
	})
	if err != nil || !slices.Equal(seen, []string{"book running", "book done"}) || heard != reply.ResponseText {
		t.Errorf("seen %v, heard %q (%v)", seen, heard, err)
	}
	calls := reply.Trace.ToolCalls
	if len(calls) != 1 || calls[0].Name != "book" || string(calls[0].Result) != `{"ok":true}` {
		t.Errorf("calls %+v", calls)
	}
	want := []loop.State{
		loop.ReceiveInput, loop.ToolDecision, loop.ToolExecution, loop.ResultAggregation, loop.ResponseComposition, loop.Output,
	}
	if !slices.Equal(reply.Trace.States, want) {
		t.Errorf("states %v", reply.Trace.States)
	}
}

func TestAQuestionBesideAWorkflow(t *testing.T) {
	tests := map[string]struct {
		model  loop.Model
		text   string
		answer string
		calls  int
	}{
		"is answered by the model":             {script(t, "Paris."), "what is the capital of France", "Paris. Which name?", 0},
		"is answered by rule":                  {nil, "what time is it", "It is 14:35. Which name?", 1},
		"has no answer without a model":        {nil, "what is the capital of France", "I can't answer that. Which name?", 0},
		"has none when the model fails":        {script(t, &loop.Error{Kind: loop.KindConnection}), "what is the capital of France", "I can't answer that right now. Which name?", 0},
		"is by rule whatever the model is":     {script(t), "what time is it", "It is 14:35. Which name?", 1},
		"may need a tool that the model calls": {script(t, loop.Call{ID: "1", Name: "get_weather", Arguments: "{}"}, "Sunny."), "what is it like outside", "Sunny. Which name?", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := new(historytest.Memory)
			tools := &desk{answer: func(context.Context, loop.Call) (string, error) { return `{"time":"14:35"}`, nil }}
			s := conversation.New(atDesk(t, store, tt.model, tools))
			reply := spoken(t, s, "book a visit", tt.text)
			if reply.ResponseText != tt.answer || reply.Extra.Error != nil || len(reply.Trace.ToolCalls) != tt.calls {
				t.Errorf("answered %q, trace %+v", reply.ResponseText, reply.Trace)
			}
			for _, tool := range []string{"look", "book"} {
				if slices.Contains(reply.Trace.Route.ToolsOffered, tool) {
					t.Errorf("the model was offered %s, which is the workflow's", tool)
				}
			}
			if reply.Trace.Route.Stage != "workflow" || reply.Trace.Workflow.Phase != "COLLECTING" {
				t.Errorf("trace %+v", reply.Trace)
			}
			if reply = spoken(t, s, "name:Ada date:2026-03-05", "yes"); reply.ResponseText != "Booked Ada." {
				t.Errorf("then it answered %q", reply.ResponseText)
			}
		})
	}
}

func TestTheYesOfAWorkflowRunsItsCallOnce(t *testing.T) {
	begun := []string{"book a visit name:Ada date:2026-03-05"}
	t.Run("a crash after the call", func(t *testing.T) {
		tools := &desk{}
		store := &brokenStore{Memory: new(historytest.Memory)}
		s := conversation.New(atDesk(t, store, nil, tools))
		spoken(t, s, begun...)
		store.append = errors.New("power loss")
		if reply := say(t, s, "a", "yes"); reply.Extra.Error == nil || reply.Extra.Error.Kind != conversation.KindStorage {
			t.Fatalf("reply %+v", reply)
		}
		store.append = nil
		s = conversation.New(atDesk(t, store, nil, tools))
		reply := say(t, s, "a", "yes")
		if reply.ResponseText != "<interrupted>" || tools.names() != "look book" {
			t.Errorf("answered %q, ran %s", reply.ResponseText, tools.names())
		}
	})
	t.Run("a state that cannot be noted", func(t *testing.T) {
		tools, memory := &desk{}, new(historytest.Memory)
		spoken(t, conversation.New(atDesk(t, memory, nil, tools)), begun...)
		reply := say(t, conversation.New(atDesk(t, unwritable{memory, conversation.ErrConflict}, nil, tools)), "a", "yes")
		if reply.Extra.Error == nil || reply.Extra.Error.Kind != conversation.KindConflict || tools.names() != "look" {
			t.Errorf("reply %+v, ran %s", reply, tools.names())
		}
		reply = say(t, conversation.New(atDesk(t, memory, nil, tools)), "a", "yes")
		if reply.ResponseText != "Booked Ada." || tools.names() != "look book" {
			t.Errorf("then: %q, ran %s", reply.ResponseText, tools.names())
		}
	})
	t.Run("a client that leaves", func(t *testing.T) {
		tools, store := &desk{}, new(historytest.Memory)
		ctx, leave := context.WithCancel(t.Context())
		tools.answer = func(inner context.Context, call loop.Call) (string, error) {
			if call.Name == "book" {
				leave()
			}
			return "", inner.Err()
		}
		s := conversation.New(atDesk(t, store, nil, tools))
		spoken(t, s, begun...)
		reply, err := s.Converse(ctx, conversation.Request{Text: "yes", ConversationID: "a"}, nil)
		if err != nil || reply.ResponseText != "Booked Ada." || len(turnsOf(t, store, "a").Turns) != 2 {
			t.Errorf("reply %+v, %v: what was booked must be remembered", reply, err)
		}
	})
	t.Run("the same yes twice", func(t *testing.T) {
		tools := &desk{}
		s := conversation.New(atDesk(t, new(historytest.Memory), script(t, "Yes to what?"), tools))
		spoken(t, s, append(begun, "yes", "yes")...)
		if tools.names() != "look book" {
			t.Errorf("ran %s", tools.names())
		}
	})
}

func TestAToolThatFailsLeavesTheWorkflowOpen(t *testing.T) {
	tools := &desk{answer: func(context.Context, loop.Call) (string, error) { return "", errDown }}
	s := conversation.New(atDesk(t, new(historytest.Memory), nil, tools))
	reply := spoken(t, s, "book a visit name:Ada date:2026-03-05")
	if reply.ResponseText != "<failed>" || reply.Trace.Workflow.Fields["name"] != "Ada" {
		t.Fatalf("answered %q, workflow %+v", reply.ResponseText, reply.Trace.Workflow)
	}
	tools.answer = nil
	if reply = spoken(t, s, "try again"); reply.ResponseText != "Book Ada?" {
		t.Errorf("answered %q", reply.ResponseText)
	}
	if reply = spoken(t, s, "yes"); reply.ResponseText != "Booked Ada." {
		t.Errorf("answered %q", reply.ResponseText)
	}
}

func TestACheckThatNeedsAYesIsNotRun(t *testing.T) {
	tools := &desk{asks: "look"}
	reply := spoken(t, conversation.New(atDesk(t, new(historytest.Memory), nil, tools)), "book a visit name:Ada date:2026-03-05")
	if reply.ResponseText != "<failed>" || tools.names() != "" || !strings.Contains(string(reply.Trace.ToolCalls[0].Result), "needs a yes") {
		t.Errorf("answered %q, ran %q, trace %+v", reply.ResponseText, tools.names(), reply.Trace)
	}
}

func TestWhoOpensAWorkflow(t *testing.T) {
	opens := func(t *testing.T, change func(*conversation.Options), request conversation.Request) bool {
		t.Helper()
		opts := atDesk(t, new(historytest.Memory), script(t), &desk{})
		opts.Modes = home(t)
		change(&opts)
		opts.Model = nil
		request.Text, request.Trace = "book a visit", true
		reply, err := conversation.New(opts).Converse(t.Context(), request, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Trace.Workflow != nil
	}
	inA := conversation.Request{ConversationID: "a"}
	nothing := func(*conversation.Options) {}
	if opens(t, nothing, inA) {
		t.Error("a mode that does not name it")
	}
	all := func(o *conversation.Options) { o.Modes = nil }
	if !opens(t, all, inA) {
		t.Error("AUTO does not open it")
	}
	if opens(t, all, conversation.Request{ConversationID: "a", Mode: "HOME"}) {
		t.Error("HOME opens it")
	}
	if !opens(t, all, conversation.Request{ConversationID: "a", Mode: "RECEPTIONIST"}) {
		t.Error("RECEPTIONIST does not open it")
	}
	if opens(t, func(o *conversation.Options) { o.Modes, o.AutoCreateID = nil, false }, conversation.Request{}) {
		t.Error("a stateless turn opens it")
	}
	if opens(t, func(o *conversation.Options) { o.Modes, o.Offered = nil, offered }, inA) {
		t.Error("it opens although a tool is missing")
	}
	for strategy, want := range map[conversation.Strategy]bool{
		"auto": true, "workflow": true, "routed": false, "loop": false, "bare": false,
	} {
		if opens(t, func(o *conversation.Options) { o.Modes, o.Strategy = nil, strategy }, inA) != want {
			t.Errorf("strategy %s: opens is not %v", strategy, want)
		}
	}
}

func TestAWorkflowAndTheMode(t *testing.T) {
	store, now := new(historytest.Memory), time.Now()
	opts := atDesk(t, store, nil, &desk{})
	opts.Now = func() time.Time { return now }
	s := conversation.New(opts)
	spoken(t, s, "switch to receptionist mode", "book a visit")
	now = now.Add(5 * time.Minute) // longer than the mode stays, shorter than the workflow waits
	if reply := spoken(t, s, "name:Ada"); reply.Trace.Mode != "RECEPTIONIST" || reply.ResponseText != "What day?" {
		t.Errorf("%q in mode %s", reply.ResponseText, reply.Trace.Mode)
	}
	if reply := spoken(t, s, "switch to home mode"); reply.Trace.Mode != "HOME" || reply.Trace.Workflow.Fields["name"] != "Ada" {
		t.Errorf("a switch within a workflow: %+v", reply.Trace)
	}
	if reply := spoken(t, s, "date:2026-03-05"); reply.ResponseText != "Book Ada?" {
		t.Errorf("after the switch: %q", reply.ResponseText)
	}
	now = now.Add(11 * time.Minute)
	if reply := spoken(t, s, "what time is it"); reply.Trace.Mode != "AUTO" || reply.Trace.Workflow != nil || reply.Trace.Route.Stage != "command" {
		t.Errorf("after the workflow's time: %+v", reply.Trace)
	}
}

func TestBesideAWorkflowNothingElseIsAskedFor(t *testing.T) {
	tools := &desk{asks: "get_weather"}
	model := script(t, loop.Call{ID: "1", Name: "get_weather", Arguments: "{}"}, "I cannot look now.")
	s := conversation.New(atDesk(t, new(historytest.Memory), model, tools))
	reply := spoken(t, s, "book a visit", "what is it like outside")
	if reply.ResponseText != "I cannot look now. Which name?" || reply.Extra.Approval != nil || tools.names() != "" {
		t.Fatalf("reply %+v, ran %s", reply, tools.names())
	}
	if result := string(reply.Trace.ToolCalls[0].Result); !strings.Contains(result, "asked something else") {
		t.Errorf("the model was told %s", result)
	}
	if reply = spoken(t, s, "name:Ada"); reply.ResponseText != "What day?" {
		t.Errorf("then it answered %q", reply.ResponseText)
	}
}

// TestBesideAWorkflowThatRestsAYesHasOneMeaning lets the question of a workflow rest. Then another may be asked, and
// the yes is that one's alone.
func TestBesideAWorkflowThatRestsAYesHasOneMeaning(t *testing.T) {
	tools := &desk{asks: "get_weather"}
	model := script(t, "Paris.", "Ada.", loop.Call{ID: "1", Name: "get_weather", Arguments: "{}"}, "Sunny.")
	s := conversation.New(atDesk(t, new(historytest.Memory), model, tools))
	for _, turn := range [][2]string{
		{"book a visit name:Ada date:2026-03-05", "Book Ada?"},
		{"what is the capital of France", "Paris. Book Ada?"},
		{"who wrote the first program", "Ada. Book Ada?"},
		{"what is it like outside", "Really?"},
		{"yes", "Sunny."},
	} {
		if reply := say(t, s, "a", turn[0]); reply.ResponseText != turn[1] {
			t.Fatalf("%q is answered %q, want %q", turn[0], reply.ResponseText, turn[1])
		}
	}
	if tools.names() != "look get_weather" {
		t.Errorf("ran %s", tools.names())
	}
	if reply := spoken(t, s, "yes"); reply.ResponseText != "Book Ada?" {
		t.Errorf("a yes without a question is answered %q", reply.ResponseText)
	}
	if reply := spoken(t, s, "yes"); reply.ResponseText != "Booked Ada." || tools.names() != "look get_weather book" {
		t.Errorf("answered %q, ran %s", reply.ResponseText, tools.names())
	}
}
