package judge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// call makes a call that ran; a note after the name, as in "x unknown_tool", is why it did not.
func call(name, arguments string) judge.Call {
	name, refusal, _ := strings.Cut(name, " ")
	c := judge.Call{Name: name, Arguments: json.RawMessage(arguments), Refusal: judge.Refusal(refusal), Answer: 1}
	if refusal == "" {
		c.Result = json.RawMessage(`{"high_c":7.5,"event_id":"e31","at":"14:30"}`)
	}
	return c
}

func wants(tool, argument, value string) scenario.Call {
	return scenario.Call{Tool: tool, Arguments: map[string]scenario.Argument{argument: {OneOf: []string{value}}}}
}

var oslo = scenario.Expect{Calls: []scenario.Call{wants("get_forecast", "location", "Oslo")}}

// TestClasses has for each class of failure a turn that is one, and one that nearly is.
func TestClasses(t *testing.T) {
	right := call("get_forecast", `{"location":"Oslo"}`)
	other := call("get_local_time", `{"city":"Oslo"}`)
	both := scenario.Expect{Calls: []scenario.Call{wants("get_forecast", "location", "Oslo"), wants("get_local_time", "city", "Oslo")}}
	say := func(answer string, calls ...judge.Call) judge.Observed {
		return judge.Observed{Said: "How is the weather in Oslo?", Offered: []string{"get_forecast", "get_local_time"}, Calls: calls, Answer: answer, Asked: len(calls) + 1}
	}
	produced := map[judge.Class]bool{}
	for name, c := range map[string]struct {
		expect       scenario.Expect
		bad, nearly  judge.Observed
		nearlyExpect *scenario.Expect
		want         judge.Class
	}{
		"no call":                         {oslo, say("It is nice."), say("It is nice.", right), nil, judge.NoCall},
		"a needless question":             {oslo, say("Which Oslo?"), say("Shall I tell you more?", right), nil, judge.NeedlessQuestion},
		"the wrong tool":                  {oslo, say("Noon.", other), say("Fine.", right), nil, judge.WrongTool},
		"a wrong tool that was refused":   {oslo, say("Hm.", call("get_local_time schema", `{}`)), say("Fine.", call("get_local_time schema", `{}`), right), nil, judge.WrongTool},
		"a tool that is not offered":      {oslo, say("Hm.", call("weather unknown_tool", `{}`)), say("Fine.", call("weather unknown_tool", `{}`), right), nil, judge.UnknownTool},
		"wrong arguments":                 {oslo, say("Fine.", call("get_forecast", `{"location":"Rome"}`)), say("Fine.", call("get_forecast", `{ "location" : "Oslo" }`)), nil, judge.WrongArguments},
		"an argument too many":            {oslo, say("Fine.", call("get_forecast", `{"location":"Oslo","day":"today"}`)), say("Fine.", right), nil, judge.WrongArguments},
		"arguments against the schema":    {oslo, say("Fine.", call("get_forecast schema", `{"location":5}`)), say("Fine.", call("get_forecast schema", `{"location":5}`), right), nil, judge.WrongArguments},
		"arguments that are no JSON":      {oslo, say("Fine.", call("get_forecast malformed", `"{\"loc"`)), say("Fine.", call("get_forecast malformed", `"{\"loc"`), right), nil, judge.MalformedCall},
		"a call as text":                  {oslo, say(`get_forecast(location="Oslo")`), say(`I used get_forecast.`, right), nil, judge.MalformedCall},
		"a call in tags":                  {scenario.Expect{NoTool: true}, say("<tool_call>{}</tool_call>"), say("I have no tool for that call."), nil, judge.MalformedCall},
		"a call too many":                 {oslo, say("Fine.", right, other), say("Fine.", right), nil, judge.ExtraCall},
		"a call that nobody needs":        {scenario.Expect{NoTool: true}, say("Fine.", right), say("Fine."), nil, judge.ExtraCall},
		"one call of two":                 {both, say("Fine.", right), say("Fine.", other, right), nil, judge.MissingCall},
		"the same call again":             {oslo, say("Fine.", right, call("get_forecast", `{"location" :"Oslo"}`)), say("Fine.", right), nil, judge.RepeatedCall},
		"a forbidden call":                {scenario.Expect{Counts: map[string]int{"get_local_time": 0}}, say("Noon.", other), say("Fine.", right), nil, judge.ForbiddenCall},
		"a call without a yes":            {scenario.Expect{Approval: "get_forecast"}, say("Fine.", right), say("Shall I look?"), nil, judge.ForbiddenCall},
		"a number from nowhere":           {scenario.Expect{Grounded: true}, say("Up to 8.4 degrees.", right), say("Up to 7.5, or 8, degrees, at 2:30.", right), nil, judge.UngroundedAnswer},
		"a number that is in thousands":   {scenario.Expect{Grounded: true}, say("12,000 people.", right), say("7,5 Grad.", right), nil, judge.UngroundedAnswer},
		"an answer that misses a word":    {scenario.Expect{Mentions: [][]string{{"rain", "wet"}}}, say("Dry."), say("WET."), nil, judge.WrongAnswer},
		"an answer with a wrong word":     {scenario.Expect{Lacks: []string{"sun"}}, say("Sunny."), say("Dry."), nil, judge.WrongAnswer},
		"an answer that asks nothing":     {scenario.Expect{NoTool: true, Question: true}, say("Fine."), say("Where?"), nil, judge.WrongAnswer},
		"an answer that refuses nothing":  {scenario.Expect{Refuses: true}, say("Sure."), say("I can't do that."), nil, judge.WrongAnswer},
		"nothing at all":                  {oslo, say(" "), say("x", right), nil, judge.EmptyResponse},
		"nothing after the call":          {oslo, say("", right), say(".", right), nil, judge.EmptyResponse},
		"too many calls of the model":     {scenario.Expect{AskedMax: 1}, say("Fine.", right), say("Fine."), nil, judge.IterationLimit},
		"an identifier that was made up":  {scenario.Expect{Calls: []scenario.Call{{Tool: "cancel_event", Any: true}}}, say("Done.", call("cancel_event", `{"event_id":"e1"}`)), say("Done.", right, call("cancel_event", `{"event_id":"e31"}`)), &scenario.Expect{Calls: []scenario.Call{{Tool: "cancel_event", Any: true}}, Allowed: []string{"get_forecast"}}, judge.WrongArguments},
		"calls in the wrong order":        {scenario.Expect{Calls: both.Calls, Ordered: true}, say("Fine.", other, right), say("Fine.", right, other), nil, judge.WrongTool},
		"a tool before another":           {scenario.Expect{Before: [][2]string{{"get_forecast", "get_local_time"}}}, say("Fine.", other, right), say("Fine.", right, other), nil, judge.WrongTool},
		"calls one after the other":       {scenario.Expect{Calls: both.Calls, AtOnce: true}, say("Fine.", right, judge.Call{Name: "get_local_time", Arguments: json.RawMessage(`{"city":"Oslo"}`), Answer: 2}), say("Fine.", right, other), nil, judge.MissingCall},
		"a turn that took too many steps": {oslo, judge.Observed{Failure: judge.IterationLimit}, say("Fine.", right), nil, judge.IterationLimit},
		"a turn that took too long":       {oslo, judge.Observed{Failure: judge.Timeout}, say("Fine.", right), nil, judge.Timeout},
		"a workflow in another phase":     {scenario.Expect{Phase: "CONFIRMING"}, judge.Observed{Answer: "x", Phase: "COLLECTING"}, judge.Observed{Answer: "x", Phase: "CONFIRMING"}, nil, judge.WrongAnswer},
		"a workflow's other field":        {scenario.Expect{Fields: map[string]string{"name": "Ada…"}}, judge.Observed{Answer: "x"}, judge.Observed{Answer: "x", Fields: map[string]string{"name": "Ada Miller"}}, nil, judge.WrongAnswer},
	} {
		produced[c.want] = true
		t.Run(name, func(t *testing.T) {
			if got := judge.Judge(c.expect, c.bad); got.Class != c.want || got.Detail == "" {
				t.Errorf("is %+v, want %s", got, c.want)
			}
			expect := c.expect
			if c.nearlyExpect != nil {
				expect = *c.nearlyExpect
			}
			if got := judge.Judge(expect, c.nearly); !got.Pass() {
				t.Errorf("what is nearly one is %+v", got)
			}
		})
	}
	for _, class := range judge.Classes() {
		if !produced[class] {
			t.Errorf("no case produces %s", class)
		}
	}
}

// TestAssignment needs an earlier choice to be undone: the first expected call also fits the only call that fits the
// other.
func TestAssignment(t *testing.T) {
	expect := scenario.Expect{Calls: []scenario.Call{wants("f", "x", "…"), wants("f", "x", "a")}}
	got := judge.Observed{Answer: "x", Calls: []judge.Call{call("f", `{"x":"a"}`), call("f", `{"x":"b"}`)}}
	if v := judge.Judge(expect, got); !v.Pass() {
		t.Errorf("%+v", v)
	}
	got.Calls[1] = call("f", `{"x":1}`)
	if v := judge.Judge(expect, got); !v.Pass() {
		t.Errorf("a number also fits anything: %+v", v)
	}
	expect.Calls[0] = scenario.Call{Tool: "f", Arguments: map[string]scenario.Argument{"x": {Within: &[2]float64{0, 2}}, "y": {OneOf: []string{"1"}, Optional: true}}}
	if v := judge.Judge(expect, got); !v.Pass() {
		t.Errorf("within, and left out: %+v", v)
	}
	got.Calls[1] = call("f", `{"x":2.5}`)
	if v := judge.Judge(expect, got); v.Class != judge.WrongArguments {
		t.Errorf("%+v", v)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("get_forecast", `{"location":"Oslo"}`, "It is 7.5.")
	f.Add("x", `[1e999`, "٣ 1,000,000.5 ?")
	f.Fuzz(func(t *testing.T, name, arguments, answer string) {
		expect := oslo
		expect.Grounded = true
		got := judge.Judge(expect, judge.Observed{Offered: []string{name}, Calls: []judge.Call{{Name: name, Arguments: json.RawMessage(arguments)}}, Answer: answer})
		if !got.Pass() && got.Detail == "" {
			t.Errorf("%+v says nothing", got)
		}
	})
}

func TestEveryClassSaysWhatItIs(t *testing.T) {
	for _, class := range append(judge.Classes(), judge.ContextTruncated) {
		if class.About() == "" {
			t.Errorf("%s does not say what it is", class)
		}
	}
}
