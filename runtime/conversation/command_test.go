package conversation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// clock are rules with one command: what time is it.
func clock(t *testing.T) func() *route.Rules {
	t.Helper()
	rules, err := route.Compile([]route.Rule{{
		Name: "time", Language: "en", Tool: "get_current_datetime",
		Patterns: []string{"what time is it"},
		Reply:    "It is {{.result.time}}.",
		Failures: []route.Failure{{Reply: "My clock says: {{.result.error}}."}},
	}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() *route.Rules { return rules }
}

func TestCommands(t *testing.T) {
	down := &loop.Error{Kind: loop.KindConnection, Message: "refused"}
	tests := map[string]struct {
		model    []any  // nil: there is no model
		result   string // of the tool
		asks     string // the tool that needs a yes
		strategy string
		wording  bool // by the model
		text     string
		answer   string
		calls    int // of tools, in the trace
		llm      int
		offered  []string
		err      loop.Kind
	}{
		"without a model the rule answers": {
			text: "What time is it?", result: `{"time":"14:35"}`, answer: "It is 14:35.", calls: 1,
			offered: []string{"get_current_datetime"},
		},
		"with a model it does too, and the model is not asked": {
			model: []any{}, text: "What time is it?", result: `{"time":"14:35"}`, answer: "It is 14:35.", calls: 1,
			offered: []string{"get_current_datetime"},
		},
		"the model words the result": {
			model: []any{"Right now it is 14:35."}, wording: true, text: "What time is it?", result: `{"time":"14:35"}`,
			answer: "Right now it is 14:35.", calls: 1, llm: 1, offered: []string{"get_current_datetime"},
		},
		"a model that says something else is overruled": {
			model: []any{"It is 3 o'clock."}, wording: true, text: "What time is it?", result: `{"time":"14:35"}`,
			answer: "It is 14:35.", calls: 1, llm: 1, offered: []string{"get_current_datetime"},
		},
		"a model that calls a tool instead is overruled": {
			model: []any{loop.Call{ID: "1", Name: "book", Arguments: "{}"}}, wording: true, text: "What time is it?",
			result: `{"time":"14:35"}`, answer: "It is 14:35.", calls: 1, llm: 1, offered: []string{"get_current_datetime"},
		},
		"a model that fails leaves the template": {
			model: []any{down}, wording: true, text: "What time is it?", result: `{"time":"14:35"}`, answer: "It is 14:35.",
			calls: 1, llm: 1, offered: []string{"get_current_datetime"},
		},
		"a result that is too long for wording": {
			model: []any{}, wording: true, text: "What time is it?", answer: "It is 14:35.", calls: 1,
			result: `{"time":"14:35","rest":"` + strings.Repeat("x", 9000) + `"}`, offered: []string{"get_current_datetime"},
		},
		"a tool that needs a yes asks whatever the model is": {
			model: []any{}, wording: true, text: "What time is it?", asks: "get_current_datetime", answer: "Really?",
			offered: []string{"get_current_datetime"},
		},
		"a tool's error is spoken by the rule": {
			text: "What time is it?", result: `{"error":"no battery"}`, answer: "My clock says: no battery.",
			calls: 1, offered: []string{"get_current_datetime"},
		},
		"a tool that needs a yes asks for it by rule": {
			text: "What time is it?", asks: "get_current_datetime", offered: []string{"get_current_datetime"}, answer: "Really?",
		},
		"a result that the reply does not fit is an apology": {
			text: "What time is it?", result: `[]`, calls: 1, offered: []string{"get_current_datetime"},
			answer: "I'm sorry, I encountered an error. Please try again.", err: loop.KindInternal,
		},
		"anything else goes to the model with all tools": {
			model: []any{"No."}, text: "Is it late?", answer: "No.", llm: 1, offered: []string{"book", "get_current_datetime"},
		},
		"the strategy loop has no router": {
			model: []any{"Late."}, strategy: "loop", text: "What time is it?", answer: "Late.", llm: 1,
			offered: []string{"book", "get_current_datetime"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store := new(historytest.Memory)
			var model loop.Model
			if tt.model != nil {
				model = script(t, tt.model...)
			}
			opts := options(store, model, &toolbox{result: tt.result, asks: tt.asks})
			opts.Rules, opts.Strategy = clock(t), conversation.Strategy(tt.strategy)
			if tt.wording {
				opts.WordingTime = time.Second
			}
			var heard string
			reply, err := conversation.New(opts).Converse(t.Context(),
				conversation.Request{Text: tt.text, ConversationID: "a", Trace: true}, func(e loop.Emission) { heard += e.Text })
			if err != nil {
				t.Fatal(err)
			}
			trace := reply.Trace
			if reply.ResponseText != tt.answer || heard != tt.answer {
				t.Errorf("answered %q and emitted %q, want %q", reply.ResponseText, heard, tt.answer)
			}
			if len(trace.ToolCalls) != tt.calls || trace.LLMCalls != tt.llm || !slices.Equal(trace.Route.ToolsOffered, tt.offered) {
				t.Errorf("trace %+v", trace)
			}
			if e := reply.Extra.Error; (e == nil) != (tt.err == "") || e != nil && e.Kind != tt.err {
				t.Errorf("extra.error is %+v", e)
			}
			if stored := len(turnsOf(t, store, "a").Turns) == 1; stored != (tt.err == "") {
				t.Errorf("stored: %v", stored)
			}
		})
	}
}

func TestWhatAToolWasToldIsInTheTraceByRule(t *testing.T) {
	opts := options(new(historytest.Memory), nil, &toolbox{result: `{"time":"14:35"}`})
	opts.Rules = clock(t)
	trace := say(t, conversation.New(opts), "a", "what time is it").Trace
	want := []loop.State{
		loop.ReceiveInput, loop.ToolDecision, loop.ToolExecution, loop.ResultAggregation, loop.ResponseComposition, loop.Output,
	}
	if !slices.Equal(trace.States, want) {
		t.Errorf("states %v, want %v", trace.States, want)
	}
	call := trace.ToolCalls[0]
	if call.Name != "get_current_datetime" || string(call.Arguments) != "{}" || string(call.Result) != `{"time":"14:35"}` {
		t.Errorf("call %+v", call)
	}
	if cost := trace.Usage.CostUSD; cost == nil || *cost != 0 {
		t.Errorf("cost %v, want 0: nobody was asked", cost)
	}
}

func TestALongTraceIsStoredWithoutResults(t *testing.T) {
	store := new(historytest.Memory)
	long := `{"text":"` + string(slices.Repeat([]byte("x"), 70<<10)) + `"}`
	opts := options(store, script(t, loop.Call{ID: "1", Name: "book", Arguments: "{}"}, "Done."), &toolbox{result: long})
	opts.Limits.ResultBytes = 1 << 20
	say(t, conversation.New(opts), "a", "Book.")
	if n := len(turnsOf(t, store, "a").Turns[0].Trace); n > 1<<10 {
		t.Errorf("a trace of %d bytes is stored", n)
	}
}

func TestDeleteAndClear(t *testing.T) {
	s := conversation.New(options(new(historytest.Memory), script(t, "One.", "Two."), nil))
	say(t, s, "a", "x")
	say(t, s, "b", "x")
	for range 2 { // it is idempotent
		if err := s.Delete(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	}
	if n, err := s.Clear(t.Context()); n != 1 || err != nil {
		t.Errorf("cleared %d (%v), want 1", n, err)
	}
	var refused *conversation.RequestError
	if err := s.Delete(t.Context(), "a/b"); !errors.As(err, &refused) {
		t.Errorf("an id that cannot be was deleted: %v", err)
	}
}

func TestACommandByRuleWaitsForItsYes(t *testing.T) {
	tests := map[string]struct {
		text, answer string
		ran          int
		stage        string
	}{
		"a yes runs the call":       {"yes please", "It is 14:35.", 1, "approval"},
		"a no drops it":             {"no, thanks", "All right, I won't.", 0, "approval"},
		"anything else is answered": {"what time is it?", "Nothing was done. Really?", 0, "command"},
		"a yes with a change":       {"yes, but at ten", "Nothing was done. I'm sorry, I can't answer that without a language model. Please set llm.base_url in my configuration.", 0, "none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			store, tools := new(historytest.Memory), &toolbox{asks: "get_current_datetime", result: `{"time":"14:35"}`}
			opts := options(store, nil, tools)
			opts.Rules = clock(t)
			asked := say(t, conversation.New(opts), "a", "What time is it?")
			if approval := asked.Extra.Approval; approval == nil || approval.Tool != "get_current_datetime" || len(tools.ran) != 0 {
				t.Fatalf("approval %+v, ran %v", approval, tools.ran)
			}
			s := conversation.New(opts) // as after a restart
			reply := say(t, s, "a", tt.text)
			if reply.ResponseText != tt.answer || len(tools.ran) != tt.ran || reply.Trace.Route.Stage != tt.stage {
				t.Errorf("answered %q at stage %s, %d calls ran", reply.ResponseText, reply.Trace.Route.Stage, len(tools.ran))
			}
			if say(t, s, "a", "yes"); tt.stage != "command" && len(tools.ran) != tt.ran {
				t.Error("a second yes ran the call again")
			}
		})
	}
}
