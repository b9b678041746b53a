package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
	"chatterbox/evals/scenario"
)

// collected has scenario a with 8 of 10 and the tag @x, b with 1 of 2, c with an error only.
func collected() *report.Collector {
	c := &report.Collector{}
	add := func(scenario string, n int, outcome judge.Outcome, tags ...string) {
		c.Add(judge.Trial{Subject: "s", Scenario: scenario, Trial: n, Outcome: outcome, Tags: tags})
	}
	for n := range 10 {
		outcome := judge.Pass
		if n > 7 {
			outcome = judge.Fail
		}
		add("a", n, outcome, "@x")
	}
	add("b", 1, judge.Pass)
	add("b", 2, judge.Fail)
	add("c", 1, judge.Error)
	return c
}

func TestGates(t *testing.T) {
	for text, want := range map[string]string{
		"success>=0.75":  "false success is 0.750, 9 of 12 (0.428 to 0.945): at least 0.75",
		"success >= 0.9": "true success is 0.750, 9 of 12 (0.428 to 0.945): below 0.9, which may be chance",
		"success>=0.99":  "true success is 0.750, 9 of 12 (0.428 to 0.945): below 0.99",
		"@x>=0.8":        "false @x is 0.800, 8 of 10 (0.444 to 0.975): at least 0.8",
		"a>=0.8":         "false a is 0.800",
		"c>=0.1":         "true c >= 0.1 is missed: there is no trial",
		"@y>=0.1":        "true @y >= 0.1 is missed: there is no trial",
		"pass^1>=0.6":    "false pass^1 is 0.650: at least 0.6",
		"pass^2>=0.6":    "true pass^2 is 0.311: below 0.6",
		"pass^3>=0.1":    "true pass^3 >= 0.1 is missed: b has 2 trials only",
	} {
		gate, err := judge.ParseGate(text)
		if err != nil {
			t.Fatal(err)
		}
		got := gate.Check(collected(), "s")
		if said := fmt.Sprint(got.Missed, " ", got.Text); !strings.HasPrefix(said, want) {
			t.Errorf("%s: %s, want %s", text, said, want)
		}
	}
	if got := (judge.Gate{What: "pass^1", Rate: .1}).Check(collected(), "nobody"); !got.Missed {
		t.Error("a subject without trials passes")
	}
}

func TestGatesThatAreNone(t *testing.T) {
	for _, text := range []string{"", "success", "success>=90", "success>=0", ">=0.5", "success>=x", "pass^0>=0.5", "pass^x>=0.5", "success<=0.5"} {
		if gate, err := judge.ParseGate(text); err == nil {
			t.Errorf("%q is %+v", text, gate)
		}
	}
}

func TestScenariosAskForRates(t *testing.T) {
	got := judge.ScenarioGates([]scenario.Scenario{{ID: "a", Pass: .5}, {ID: "b"}})
	if len(got) != 1 || got[0] != (judge.Gate{What: "a", Rate: .5, Implied: true}) {
		t.Errorf("%+v", got)
	}
}

func FuzzParseGate(f *testing.F) {
	f.Add("success>=0.9")
	f.Add("pass^3>=1")
	f.Fuzz(func(t *testing.T, text string) {
		if gate, err := judge.ParseGate(text); err == nil && gate.Check(collected(), "s").Text == "" {
			t.Errorf("%q says nothing", text)
		}
	})
}
