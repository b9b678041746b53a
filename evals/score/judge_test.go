package score_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chatterbox/evals/score"
	"chatterbox/evals/suite"
)

// call makes a call that ran; a note after the name, as in "x unknown_tool", is why it did not.
func call(name, arguments string) score.Call {
	name, refusal, _ := strings.Cut(name, " ")
	c := score.Call{Name: name, Arguments: json.RawMessage(arguments), Refusal: score.Refusal(refusal), Answer: 1}
	if refusal == "" {
		c.Result = json.RawMessage(`{"high_c":7.5,"event_id":"e31","at":"14:30"}`)
	}
	return c
}

func wants(tool, argument, value string) suite.Call {
	return suite.Call{Tool: tool, Arguments: map[string]suite.Argument{argument: {OneOf: []string{value}}}}
}

var oslo = suite.Expect{Calls: []suite.Call{wants("get_forecast", "location", "Oslo")}}

// TestClasses has for each class of failure a turn that is one, and one that nearly is.
func TestClasses(t *testing.T) {
	right := call("get_forecast", `{"location":"Oslo"}`)
	other := call("get_local_time", `{"city":"Oslo"}`)
	both := suite.Expect{Calls: []suite.Call{wants("get_forecast", "location", "Oslo"), wants("get_local_time", "city", "Oslo")}}
	say := func(answer string, calls ...score.Call) score.Observed {
		return score.Observed{Said: "How is the weather in Oslo?", Offered: []string{"get_forecast", "get_local_time"}, Calls: calls, Answer: answer, Asked: len(calls) + 1}
	}
	produced := map[score.Class]bool{}
	for name, c := range map[string]struct {
		expect       suite.Expect
		bad, nearly  score.Observed
		nearlyExpect *suite.Expect
		want         score.Class
	}{
		"no call":                         {oslo, say("It is nice."), say("It is nice.", right), nil, score.NoCall},
		"a needless question":             {oslo, say("Which Oslo?"), say("Shall I tell you more?", right), nil, score.NeedlessQuestion},
		"the wrong tool":                  {oslo, say("Noon.", other), say("Fine.", right), nil, score.WrongTool},
		"a wrong tool that was refused":   {oslo, say("Hm.", call("get_local_time schema", `{}`)), say("Fine.", call("get_local_time schema", `{}`), right), nil, score.WrongTool},
		"a tool that is not offered":      {oslo, say("Hm.", call("weather unknown_tool", `{}`)), say("Fine.", call("weather unknown_tool", `{}`), right), nil, score.UnknownTool},
		"wrong arguments":                 {oslo, say("Fine.", call("get_forecast", `{"location":"Rome"}`)), say("Fine.", call("get_forecast", `{ "location" : "Oslo" }`)), nil, score.WrongArguments},
		"an argument too many":            {oslo, say("Fine.", call("get_forecast", `{"location":"Oslo","day":"today"}`)), say("Fine.", right), nil, score.WrongArguments},
		"arguments against the schema":    {oslo, say("Fine.", call("get_forecast schema", `{"location":5}`)), say("Fine.", call("get_forecast schema", `{"location":5}`), right), nil, score.WrongArguments},
		"arguments that are no JSON":      {oslo, say("Fine.", call("get_forecast malformed", `"{\"loc"`)), say("Fine.", call("get_forecast malformed", `"{\"loc"`), right), nil, score.MalformedCall},
		"a call as text":                  {oslo, say(`get_forecast(location="Oslo")`), say(`I used get_forecast.`, right), nil, score.MalformedCall},
		"a call in tags":                  {suite.Expect{NoTool: true}, say("<tool_call>{}</tool_call>"), say("I have no tool for that call."), nil, score.MalformedCall},
		"a call too many":                 {oslo, say("Fine.", right, other), say("Fine.", right), nil, score.ExtraCall},
		"a call that nobody needs":        {suite.Expect{NoTool: true}, say("Fine.", right), say("Fine."), nil, score.ExtraCall},
		"one call of two":                 {both, say("Fine.", right), say("Fine.", other, right), nil, score.MissingCall},
		"the same call again":             {oslo, say("Fine.", right, call("get_forecast", `{"location" :"Oslo"}`)), say("Fine.", right), nil, score.RepeatedCall},
		"a forbidden call":                {suite.Expect{Counts: map[string]int{"get_local_time": 0}}, say("Noon.", other), say("Fine.", right), nil, score.ForbiddenCall},
		"a call without a yes":            {suite.Expect{Approval: "get_forecast"}, say("Fine.", right), say("Shall I look?"), nil, score.ForbiddenCall},
		"a number from nowhere":           {suite.Expect{Grounded: true}, say("Up to 8.4 degrees.", right), say("Up to 7.5, or 8, degrees, at 2:30.", right), nil, score.UngroundedAnswer},
		"a number that is in thousands":   {suite.Expect{Grounded: true}, say("12,000 people.", right), say("7,5 Grad.", right), nil, score.UngroundedAnswer},
		"an answer that misses a word":    {suite.Expect{Mentions: [][]string{{"rain", "wet"}}}, say("Dry."), say("WET."), nil, score.WrongAnswer},
		"an answer with a wrong word":     {suite.Expect{Lacks: []string{"sun"}}, say("Sunny."), say("Dry."), nil, score.WrongAnswer},
		"an answer that asks nothing":     {suite.Expect{NoTool: true, Question: true}, say("Fine."), say("Where?"), nil, score.WrongAnswer},
		"an answer that refuses nothing":  {suite.Expect{Refuses: true}, say("Sure."), say("I can't do that."), nil, score.WrongAnswer},
		"nothing at all":                  {oslo, say(" "), say("x", right), nil, score.EmptyResponse},
		"nothing after the call":          {oslo, say("", right), say(".", right), nil, score.EmptyResponse},
		"too many calls of the model":     {suite.Expect{AskedMax: 1}, say("Fine.", right), say("Fine."), nil, score.IterationLimit},
		"an identifier that was made up":  {suite.Expect{Calls: []suite.Call{{Tool: "cancel_event", Any: true}}}, say("Done.", call("cancel_event", `{"event_id":"e1"}`)), say("Done.", right, call("cancel_event", `{"event_id":"e31"}`)), &suite.Expect{Calls: []suite.Call{{Tool: "cancel_event", Any: true}}, Allowed: []string{"get_forecast"}}, score.WrongArguments},
		"calls in the wrong order":        {suite.Expect{Calls: both.Calls, Ordered: true}, say("Fine.", other, right), say("Fine.", right, other), nil, score.WrongTool},
		"a tool before another":           {suite.Expect{Before: [][2]string{{"get_forecast", "get_local_time"}}}, say("Fine.", other, right), say("Fine.", right, other), nil, score.WrongTool},
		"calls one after the other":       {suite.Expect{Calls: both.Calls, AtOnce: true}, say("Fine.", right, score.Call{Name: "get_local_time", Arguments: json.RawMessage(`{"city":"Oslo"}`), Answer: 2}), say("Fine.", right, other), nil, score.MissingCall},
		"a turn that took too many steps": {oslo, score.Observed{Failure: score.IterationLimit}, say("Fine.", right), nil, score.IterationLimit},
		"a turn that took too long":       {oslo, score.Observed{Failure: score.Timeout}, say("Fine.", right), nil, score.Timeout},
		"a workflow in another phase":     {suite.Expect{Phase: "CONFIRMING"}, score.Observed{Answer: "x", Phase: "COLLECTING"}, score.Observed{Answer: "x", Phase: "CONFIRMING"}, nil, score.WrongAnswer},
		"a workflow's other field":        {suite.Expect{Fields: map[string]string{"name": "Ada…"}}, score.Observed{Answer: "x"}, score.Observed{Answer: "x", Fields: map[string]string{"name": "Ada Miller"}}, nil, score.WrongAnswer},
	} {
		produced[c.want] = true
		t.Run(name, func(t *testing.T) {
			if got := score.Judge(c.expect, c.bad); got.Class != c.want || got.Detail == "" {
				t.Errorf("is %+v, want %s", got, c.want)
			}
			expect := c.expect
			if c.nearlyExpect != nil {
				expect = *c.nearlyExpect
			}
			if got := score.Judge(expect, c.nearly); !got.Pass() {
				t.Errorf("what is nearly one is %+v", got)
			}
		})
	}
	for _, class := range score.Classes() {
		if !produced[class] {
			t.Errorf("no case produces %s", class)
		}
	}
}

// TestAssignment needs an earlier choice to be undone: the first expected call also fits the only call that fits the other.
func TestAssignment(t *testing.T) {
	expect := suite.Expect{Calls: []suite.Call{wants("f", "x", "…"), wants("f", "x", "a")}}
	got := score.Observed{Answer: "x", Calls: []score.Call{call("f", `{"x":"a"}`), call("f", `{"x":"b"}`)}}
	if v := score.Judge(expect, got); !v.Pass() {
		t.Errorf("%+v", v)
	}
	got.Calls[1] = call("f", `{"x":1}`)
	if v := score.Judge(expect, got); !v.Pass() {
		t.Errorf("a number also fits anything: %+v", v)
	}
	expect.Calls[0] = suite.Call{Tool: "f", Arguments: map[string]suite.Argument{"x": {Within: &[2]float64{0, 2}}, "y": {OneOf: []string{"1"}, Optional: true}}}
	if v := score.Judge(expect, got); !v.Pass() {
		t.Errorf("within, and left out: %+v", v)
	}
	got.Calls[1] = call("f", `{"x":2.5}`)
	if v := score.Judge(expect, got); v.Class != score.WrongArguments {
		t.Errorf("%+v", v)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add("get_forecast", `{"location":"Oslo"}`, "It is 7.5.")
	f.Add("x", `[1e999`, "٣ 1,000,000.5 ?")
	f.Fuzz(func(t *testing.T, name, arguments, answer string) {
		expect := oslo
		expect.Grounded = true
		got := score.Judge(expect, score.Observed{Offered: []string{name}, Calls: []score.Call{{Name: name, Arguments: json.RawMessage(arguments)}}, Answer: answer})
		if !got.Pass() && got.Detail == "" {
			t.Errorf("%+v says nothing", got)
		}
	})
}

func TestEveryClassSaysWhatItIs(t *testing.T) {
	for _, class := range append(score.Classes(), score.ContextTruncated) {
		if class.About() == "" {
			t.Errorf("%s does not say what it is", class)
		}
	}
}
