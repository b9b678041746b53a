package loop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"chatterbox/loop"
)

func TestLimitsSayEveryMistakeAtOnce(t *testing.T) {
	if err := loop.DefaultLimits().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	wrong := loop.Limits{Calls: -1, ResultBytes: 10, OutputBytes: -1, Tokens: -1, CostUSD: -1, Wall: -1}
	err := wrong.Validate()
	if err == nil {
		t.Fatal("nothing is wrong with limits below zero")
	}
	for _, name := range []string{"iterations", "calls", "result_bytes", "output_bytes", "tokens", "cost_usd", "wall"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
}

// awaiting is a machine whose turn ended with a question.
func awaiting(t *testing.T) loop.Machine {
	t.Helper()
	machine := loop.New(loop.DefaultLimits(), nil)
	for _, event := range []loop.Event{
		{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: "book it"}}},
		{Kind: loop.Completed, Completion: &loop.Completion{ToolCalls: []loop.Call{{ID: "a", Name: "book"}}}},
		{Kind: loop.Checked, Verdict: &loop.Verdict{Decision: loop.Ask, Question: "Book?", Tool: "v1", CacheTTL: time.Hour}},
	} {
		machine, _ = loop.Step(machine, event)
	}
	if machine.State != loop.AwaitingApproval || machine.Ended {
		t.Fatalf("state %s, ended %v", machine.State, machine.Ended)
	}
	return machine
}

func TestCancelledInEachState(t *testing.T) {
	start := loop.Event{Kind: loop.Start}
	call := loop.Event{Kind: loop.Completed, Completion: &loop.Completion{ToolCalls: []loop.Call{{Name: "slow"}}}}
	run := loop.Event{Kind: loop.Checked, Verdict: &loop.Verdict{Decision: loop.Run}}
	for name, c := range map[string]struct {
		events []loop.Event
		want   loop.Kind
		calls  int
	}{
		"before the start":       {nil, loop.KindBudget, 0},
		"while the model thinks": {[]loop.Event{start}, loop.KindConnection, 0},
		"while a call is checked": {
			[]loop.Event{start, call}, loop.KindBudget, 1},
		"while a tool runs": {[]loop.Event{start, call, run}, loop.KindBudget, 1},
	} {
		t.Run(name, func(t *testing.T) {
			machine := loop.New(loop.DefaultLimits(), nil)
			for _, event := range c.events {
				machine, _ = loop.Step(machine, event)
			}
			machine, effects := loop.Step(machine, loop.Event{Kind: loop.Cancelled, Cause: loop.Deadline})
			outcome := effects[len(effects)-1].Outcome
			if !machine.Ended || outcome.Cause != loop.Deadline || outcome.Failure.Kind != c.want {
				t.Errorf("ended %v with %+v, want kind %s", machine.Ended, outcome.Failure, c.want)
			}
			if len(outcome.Trace.ToolCalls) != c.calls {
				t.Errorf("the trace has %d calls, want %d", len(outcome.Trace.ToolCalls), c.calls)
			}
		})
	}
}

func TestWaitingForAnAnswerCannotBeCancelled(t *testing.T) {
	machine := awaiting(t)
	after, effects := loop.Step(machine, loop.Event{Kind: loop.Cancelled, Cause: loop.Shutdown})
	if len(effects) > 0 || encode(t, after) != encode(t, machine) {
		t.Errorf("a question that waits was changed: %+v", effects)
	}
}

func TestAYesRunsTheCallOnce(t *testing.T) {
	machine := awaiting(t)
	yes := loop.Event{Kind: loop.Answered, Yes: true}
	machine, effects := loop.Step(machine, yes)
	if len(effects) == 0 || effects[0].Kind != loop.CallTool {
		t.Fatalf("a yes does %+v", effects)
	}
	if verdict := *effects[0].Verdict; verdict != (loop.Verdict{Decision: loop.Run, Tool: "v1"}) {
		t.Errorf("the call runs by %+v, want the tool that was checked and no cache", verdict)
	}
	if _, again := loop.Step(machine, yes); len(again) > 0 {
		t.Errorf("a second yes does %+v", again)
	}
}

func TestAnApprovalHoldsToTheLimitsOfItsOwnTurn(t *testing.T) {
	machine := awaiting(t)
	machine.Limits.Wall = time.Second
	machine, effects := loop.Step(machine, loop.Event{Kind: loop.Answered, Yes: true, Elapsed: 2 * time.Second})
	outcome := effects[len(effects)-1].Outcome
	if !machine.Ended || outcome == nil || outcome.Failure.Kind != loop.KindBudget {
		t.Errorf("a yes after the time does %+v", effects)
	}
}

func TestAMachineWithoutItsPendingCallFails(t *testing.T) {
	_, effects := loop.Step(loop.Machine{State: loop.AwaitingApproval}, loop.Event{Kind: loop.Answered, Yes: true})
	if len(effects) != 1 || effects[0].Outcome == nil || effects[0].Outcome.Failure.Kind != loop.KindInternal {
		t.Errorf("a machine that awaits nothing does %+v", effects)
	}
}

func TestUsageIsTheSumAndUnknownPricesStayUnknown(t *testing.T) {
	price := func(usd float64) *float64 { return &usd }
	for name, c := range map[string]struct {
		first, second *float64
		want          *float64
	}{
		"both are known":        {price(0.25), price(0.5), price(0.75)},
		"the first is unknown":  {nil, price(0.5), nil},
		"the second is unknown": {price(0.25), nil, nil},
		"free is known":         {price(0), price(0), price(0)},
	} {
		t.Run(name, func(t *testing.T) {
			machine := loop.New(loop.DefaultLimits(), nil)
			var effects []loop.Effect
			for _, event := range []loop.Event{
				{Kind: loop.Start},
				{Kind: loop.Completed, Completion: &loop.Completion{
					ToolCalls: []loop.Call{{Name: "x"}}, Usage: loop.Usage{PromptTokens: 10, CompletionTokens: 1, CostUSD: c.first}}},
				{Kind: loop.Checked, Verdict: &loop.Verdict{Decision: loop.Refuse}},
				{Kind: loop.Completed, Completion: &loop.Completion{
					Usage: loop.Usage{PromptTokens: 20, CompletionTokens: 2, CostUSD: c.second}}},
			} {
				machine, effects = loop.Step(machine, event)
			}
			got := effects[len(effects)-1].Outcome.Trace.Usage
			want := loop.Usage{PromptTokens: 30, CompletionTokens: 3, CostUSD: c.want}
			if encode(t, got) != encode(t, want) {
				t.Errorf("usage is %s, want %s", encode(t, got), encode(t, want))
			}
		})
	}
}

// FuzzEvents gives a machine whatever events a file holds. It must not crash, change its argument, end twice, or lose
// anything on the way through JSON.
func FuzzEvents(f *testing.F) {
	f.Add(`[{"kind":"start"},{"kind":"delta","text":"hi"},{"kind":"completed","completion":{"content":"hi"}}]`)
	f.Add(`[{"kind":"start"},{"kind":"completed","completion":{"tool_calls":[{"id":"a","name":"b","arguments":"{}"}]}},
		{"kind":"checked","verdict":{"decision":"run"}},{"kind":"tool_done","result":{"content":"{}"}},{"kind":"model_failed"}]`)
	f.Add(`[{"kind":"start"},{"kind":"completed","completion":{"content":"<tool_call>{\"name\":\"b\",\"arguments\":{}}"}},
		{"kind":"checked","verdict":{"decision":"ask","question":"?"}},{"kind":"answered","yes":true},{"kind":"tool_done"}]`)
	f.Add(`[{"kind":"start"},{"kind":"completed"},{"kind":"cancelled","cause":"client"},{"kind":"answered"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var events []loop.Event
		if json.Unmarshal([]byte(text), &events) != nil {
			return
		}
		limits := loop.Limits{Iterations: 3, Calls: 4, ResultBytes: 300, OutputBytes: 50, Tokens: 1000, CostUSD: 1, Wall: time.Minute}
		machine := loop.New(limits, []loop.Tool{{Name: "b", Parameters: []byte(`{}`)}})
		ends := 0
		for _, event := range events {
			before := encode(t, machine)
			next, effects := loop.Step(machine, event)
			var restored loop.Machine
			if err := json.Unmarshal([]byte(before), &restored); err != nil {
				t.Fatal(err)
			}
			fromJSON, sameEffects := loop.Step(restored, event)
			if encode(t, machine) != before {
				t.Error("Step changed its argument")
			}
			if encode(t, fromJSON) != encode(t, next) || encode(t, sameEffects) != encode(t, effects) {
				t.Errorf("the machine from JSON goes another way on %+v", event)
			}
			if machine.Ended && len(effects) > 0 {
				t.Errorf("effects after the end: %s", encode(t, effects))
			}
			if next.Ended && !machine.Ended {
				ends++
			}
			machine = next
		}
		if ends > 1 {
			t.Errorf("the turn ended %d times", ends)
		}
	})
}

// BenchmarkStep is a turn with one tool call, as the machine alone costs it: its parts around a model that streams 20
// deltas.
func BenchmarkStep(b *testing.B) {
	events := []loop.Event{
		{Kind: loop.Start, Messages: []loop.Message{{Role: loop.System, Content: "You are Chatterbox."}, {Role: loop.User, Content: "Weather?"}}},
		{Kind: loop.Completed, Completion: &loop.Completion{FinishReason: "tool_calls", ToolCalls: []loop.Call{
			{ID: "call_1", Name: "get_weather", Arguments: `{"location":"Kansas City"}`}}}},
		{Kind: loop.Checked, Verdict: &loop.Verdict{Decision: loop.Run, Tool: "sha256:0"}},
		{Kind: loop.ToolDone, Result: &loop.Result{Content: `{"temperature_c":8.2,"conditions":"Partly cloudy"}`}},
	}
	plain := append(events[:len(events):len(events)],
		loop.Event{Kind: loop.Completed, Completion: &loop.Completion{Content: strings.Repeat("some words ", 20), FinishReason: "stop"}})
	streamed := events
	for range 20 {
		streamed = append(streamed, loop.Event{Kind: loop.Delta, Text: "some words "})
	}
	streamed = append(streamed, plain[len(plain)-1])
	tools := []loop.Tool{{Name: "get_weather", Parameters: []byte(`{"type":"object"}`)}, {Name: "get_current_datetime"}}
	for name, turn := range map[string][]loop.Event{"plain": plain, "streamed": streamed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				machine := loop.New(loop.DefaultLimits(), tools)
				for _, event := range turn {
					machine, _ = loop.Step(machine, event)
				}
				if !machine.Ended {
					b.Fatal("the turn did not end")
				}
			}
		})
	}
}

func TestTheCallerMayWordARefusal(t *testing.T) {
	_, effects := loop.Step(awaiting(t), loop.Event{Kind: loop.Answered, Text: "no", CallerWords: true})
	outcome := effects[len(effects)-1].Outcome
	if outcome == nil || len(outcome.Results) != 1 || outcome.Results[0].Content != `{"error":"declined by the person"}` {
		t.Errorf("a no that the caller words does %+v", effects)
	}
}
