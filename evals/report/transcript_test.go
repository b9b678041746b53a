package report_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// TestPointOfFailure has one trial for every class and says which message it failed at.
func TestPointOfFailure(t *testing.T) {
	const (
		said   = `{"role":"user","content":"What is the weather?"},`
		right  = `{"role":"tool","name":"get_weather","arguments":{"location":"Oslo"},"result":{"t":9}},`
		other  = `{"role":"tool","name":"get_time","arguments":{"zone":"Oslo"},"result":{"t":9}},`
		answer = `{"role":"assistant","content":"9 degrees."}`
	)
	refused := func(refusal string) string {
		return `{"role":"tool","name":"get_weather","arguments":{"place":"Oslo"},"result":{"error":"no"},"refusal":"` + refusal + `"},`
	}
	classes := map[string]string{"a_call_as_text": "malformed_call", "an_earlier_turn": "wrong_tool", "a_log_of_others": "wrong_tool"}
	for name, c := range map[string]struct {
		messages, detail string
		want             int
	}{
		"a_log_of_others":   {said + other + right + answer, "", 2},
		"no_call":           {said + answer, "get_weather was not called", 1},
		"needless_question": {said + answer, "a question was asked", 1},
		"missing_call":      {said + right + answer, "get_time was not called", 2},
		"wrong_tool":        {said + other + right + answer, "get_time was called, not get_weather", 1},
		"wrong_arguments":   {said + other + right + answer, `get_weather{"location":"Oslo"}: location is Oslo`, 2},
		"unknown_tool":      {said + right + refused("unknown_tool") + answer, "get_weather was not offered", 2},
		"malformed_call":    {said + refused("malformed") + right + answer, "the arguments of get_weather are no JSON object", 1},
		"extra_call":        {said + right + other + answer, `get_time{"zone":"Oslo"} was called, and no call is needed`, 2},
		"repeated_call":     {said + right + right + answer, "get_weather was called again", 2},
		"forbidden_call":    {said + other + right + answer, "get_time must not be called", 1},
		"ungrounded_answer": {said + right + answer, "the answer has 9", 2},
		"wrong_answer":      {said + right + answer, "the answer does not mention Oslo", 2},
		"iteration_limit":   {said + right + other + answer, "the turn ended early", 3},
		"empty_response":    {said + `{"role":"assistant","content":""}`, "", 1},
		"a_call_as_text":    {said + right + answer, "the answer is a call that nobody understood", 2},
		"timeout":           {said + right + answer, "the turn was not over after 2m0s", 2},
		"an_earlier_turn":   {said + other + answer + "," + said + right + answer, "get_time was called, not get_weather", 4},
	} {
		class := cmp.Or(classes[name], name)
		got := report.Transcript(judge.Trial{Outcome: judge.Fail, Class: class, Detail: c.detail, Messages: json.RawMessage("[" + c.messages + "]")})
		at := -1
		for i, m := range got {
			if m.Failed && at >= 0 {
				t.Errorf("%s is marked twice", name)
			}
			if m.Failed {
				at = i
			}
		}
		if at != c.want {
			t.Errorf("%s is marked at %d, want %d of %+v", name, at, c.want, got)
		}
	}
}

// TestTranscriptsOfChatCompletions reads messages as models' servers have them.
func TestTranscriptsOfChatCompletions(t *testing.T) {
	got := report.Transcript(judge.Trial{Outcome: judge.Pass, Messages: json.RawMessage(`[
		{"role":"system","content":"Be brief."},
		{"role":"user","content":[{"type":"text","text":"Weather "},{"type":"text","text":"and time?"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"get_weather","arguments":"{\"location\":\"Oslo\"}"}},{"id":"2","function":{"name":"get_time","arguments":{}}}]},
		{"role":"tool","tool_call_id":"2","content":"noon"},{"role":"tool","tool_call_id":"1","content":"9 degrees"},
		{"role":"assistant","content":"9 degrees at noon."}]`)})
	want := []report.Message{
		{Role: "system", Text: "Be brief."}, {Role: "user", Text: "Weather and time?"},
		{Role: "tool", Name: "get_weather", Arguments: `{"location":"Oslo"}`, Result: "9 degrees", Round: 3},
		{Role: "tool", Name: "get_time", Arguments: "{}", Result: "noon", Round: 3},
		{Role: "assistant", Text: "9 degrees at noon."},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("message %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	for _, none := range []string{``, `null`, `"x"`, `[1]`, `{}`} {
		if got := report.Transcript(judge.Trial{Outcome: judge.Fail, Messages: json.RawMessage(none)}); len(got) != 0 {
			t.Errorf("%s gives %+v", none, got)
		}
	}
}

// TestKindsOfTurns counts each kind once, and nothing else as one of them.
func TestKindsOfTurns(t *testing.T) {
	const (
		said   = `{"role":"user","content":"x"},`
		once   = `{"role":"tool","name":"f","arguments":{},"result":{},"round":1},`
		later  = `{"role":"tool","name":"f","arguments":{},"result":{},"round":2},`
		cached = `{"role":"tool","name":"f","arguments":{},"result":{},"round":1,"cached":true},`
		failed = `{"role":"tool","name":"f","arguments":{},"result":{},"round":1,"refusal":"schema"},`
		answer = `{"role":"assistant","content":"x"}`
	)
	collector := &report.Collector{}
	for i, messages := range []string{
		said + answer, said + once + answer, said + once + once + answer, said + cached + answer, // the four kinds, in order
		said + once + later + answer, said + once + cached + answer, said + failed + answer, said + once + once + once + answer, said + answer + "," + said + answer,
	} {
		collector.Add(judge.Trial{Subject: "m", Scenario: "x", Trial: i + 1, Outcome: judge.Pass, MS: float64(100 * (i + 1)), Messages: json.RawMessage("[" + messages + "]")})
	}
	subject := collector.Summary().Subjects["m"]
	if len(subject.ByTurn) != 4 || subject.Rejected != 1 {
		t.Errorf("%+v, %d rejected", subject.ByTurn, subject.Rejected)
	}
	for i, kind := range []report.Turn{report.Direct, report.OneTool, report.TwoAtOnce, report.CacheHit} {
		if got := subject.ByTurn[kind]; got.Trials != 1 || got.P50 != float64(100*(i+1)) {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

// TestCurves puts subjects that differ in the number of tools together.
func TestCurves(t *testing.T) {
	collector := &report.Collector{}
	for i, tools := range []int{20, 1, 7} {
		for scenario := range 3 {
			outcome := judge.Pass
			if scenario < i {
				outcome = judge.Fail
			}
			collector.Add(judge.Trial{Subject: "m/bare tools=" + []string{"20", "1", "7"}[i] + " context=8192", Scenario: string(rune('a' + scenario)), Trial: 1, Outcome: outcome, ToolsOffered: tools})
		}
	}
	collector.Add(judge.Trial{Subject: "m/loop", Scenario: "a", Trial: 1, Outcome: judge.Pass, ToolsOffered: 4})
	curves := collector.Summary().Curves()
	if len(curves) != 1 || curves[0].Subject != "m/bare context=8192" || len(curves[0].Points) != 3 {
		t.Fatalf("%+v", curves)
	}
	for i, want := range []struct {
		tools, passed int
	}{{1, 2}, {7, 1}, {20, 3}} {
		if p := curves[0].Points[i]; p.Tools != want.tools || p.Passed != want.passed || p.Trials != 3 || p.Interval[0] > p.Mean || p.Interval[1] < p.Mean {
			t.Errorf("%+v, want %+v", p, want)
		}
	}
	if all := curves[0].Points[2]; all.Interval[0] > .5 {
		t.Errorf("three scenarios that passed show no more than %v", all.Interval)
	}
}

// TestScenariosThatChangedAreNotCompared leaves out what is not the same in both versions of the suite.
func TestScenariosThatChangedAreNotCompared(t *testing.T) {
	one := judge.Score{Passed: 1, Trials: 1}
	none := judge.Score{Trials: 1}
	a := report.Side{Scores: map[string]judge.Score{"same": one, "changed": one, "unknown": one}, Versions: map[string]string{"same": "1", "changed": "1"}}
	b := report.Side{Scores: map[string]judge.Score{"same": one, "changed": none, "unknown": one}, Versions: map[string]string{"same": "1", "changed": "2", "unknown": "1"}}
	c := report.Compare(a, b)
	if c.Paired != 2 || c.OnlyA != 0 || len(c.Changed) != 1 || c.Changed[0] != "changed" || len(c.MissingA)+len(c.MissingB) != 0 {
		t.Errorf("%+v", c)
	}
	if len(a.Scores) != 3 {
		t.Error("the sides were changed")
	}
}

// TestSeveralComparisonsAreJudgedTogether has three with chances that are too little only one by one.
func TestSeveralComparisonsAreJudgedTogether(t *testing.T) {
	compared := func(better int) *report.Comparison {
		a, b := map[string]judge.Score{}, map[string]judge.Score{}
		for i := range 6 {
			name := string(rune('a' + i))
			a[name], b[name] = judge.Score{Trials: 1}, judge.Score{Trials: 1}
			if i < better {
				b[name] = judge.Score{Passed: 1, Trials: 1}
			}
		}
		c := report.Compare(report.Side{Scores: a}, report.Side{Scores: b})
		return &c
	}
	alone := compared(6)
	report.Adjust([]*report.Comparison{alone})
	if alone.Verdict != report.Better || alone.HolmP != nil {
		t.Errorf("%+v", alone)
	}
	first, second, empty := compared(6), compared(0), &report.Comparison{}
	report.Adjust([]*report.Comparison{first, second, empty})
	if first.Verdict != report.NoEvidence || first.HolmP == nil || *first.HolmP != .0625 || second.Verdict != report.NoEvidence || empty.HolmP != nil {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestTornLogs(t *testing.T) {
	whole := `{"subject":"m","scenario":"x","trial":1,"outcome":"pass"}`
	for end, torn := range map[string]bool{"": false, "\n": false, "\n\n": false, "\n{": true, "\n" + whole[:20]: true, "\n  ": false, "\n" + whole: false} {
		name := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(name, []byte(whole+end), 0o600); err != nil {
			t.Fatal(err)
		}
		if logs := open(t, name); (len(logs.Torn) > 0) != torn || logs.Summary().Subjects["m"].Trials != 1 {
			t.Errorf("with %q behind it: torn %v", end, logs.Torn)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add(`[{"role":"tool","tool_call_id":"","content":"x"},{"role":"assistant","tool_calls":[{"id":""}]},{"role":"tool","tool_call_id":"","content":[{"text":null}]}]`, "wrong_tool", "f")
	f.Add(`[{"role":"user","content":{"a":1}}]`, "", "")
	f.Fuzz(func(t *testing.T, messages, class, detail string) {
		failed := 0
		got := report.Transcript(judge.Trial{Outcome: judge.Fail, Class: class, Detail: detail, Messages: json.RawMessage(messages)})
		for _, m := range got {
			if m.Failed {
				failed++
			}
		}
		if failed != min(1, len(got)) {
			t.Errorf("%d of %d messages are marked", failed, len(got))
		}
	})
}

// TestFewestPairs finds a difference in as many scenarios as it takes, and not in one less.
func TestFewestPairs(t *testing.T) {
	for pairs, want := range map[int]report.Verdict{report.PairsLeast: report.Better, report.PairsLeast - 1: report.NoEvidence} {
		a, b := map[string]judge.Score{}, map[string]judge.Score{}
		for i := range pairs {
			a[string(rune('a'+i))], b[string(rune('a'+i))] = judge.Score{Trials: 20}, judge.Score{Passed: 20, Trials: 20}
		}
		if c := report.Compare(report.Side{Scores: a}, report.Side{Scores: b}); c.Verdict != want {
			t.Errorf("%d scenarios: %s", pairs, c.Verdict)
		}
	}
}
