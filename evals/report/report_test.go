package report_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"chatterbox/evals/metric"
	"chatterbox/evals/report"
	"chatterbox/evals/trial"
)

func read(t *testing.T, log string) *report.Collector {
	t.Helper()
	collector := &report.Collector{}
	if err := trial.Read("log", strings.NewReader(log), func(one trial.Trial) error {
		collector.Add(one)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return collector
}

const log = `{"subject":"m/loop","scenario":"a","trial":1,"outcome":"pass","ms":100,"prompt_tokens":10,"completion_tokens":2,"cost_usd":0.5}
{"subject":"m/loop","scenario":"a","trial":2,"outcome":"fail","class":"no_call","ms":300,"cost_usd":0.25}
{"subject":"m/loop","scenario":"b","trial":1,"outcome":"error","cost_usd":0}
{"subject":"m/loop","scenario":"b","trial":1,"outcome":"pass","ms":200,"cost_usd":0,"new_field":1}
{"subject":"m/loop","scenario":"b","trial":2,"outcome":"pass","ms":200,"cost_usd":0}
{"subject":"m/loop","scenario":"c","trial":1,"outcome":"excluded","cost_usd":0}
{"subject":"m/loop","scenario":"c","trial":2,"outcome":"error","cost_usd":0}
{"subject":"m/bare","scenario":"a","trial":1,"outcome":"fail"}
{"subject":"m/bare","scenario":"a","trial":2,"outc`

func TestSummary(t *testing.T) {
	summary := read(t, log).Summary()
	encoded, err := json.Marshal(summary.Subjects["m/loop"])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"scenarios":3,"trials":6,"passed":3,"errors":1,"excluded":1`, `"mean":0.75`, `"classes":{"no_call":1}`,
		`"pass_at":{"1":0.75,"2":1}`, `"pass_hat":{"1":0.75,"2":0.5}`, `"latency_ms":{"p50":200,"p95":300}`,
		`"tokens":{"prompt":10,"completion":2}`, `"cost_usd":0.75`,
	} {
		if !strings.Contains(string(encoded), want) {
			t.Errorf("%s is not in %s", want, encoded)
		}
	}
	bare := summary.Subjects["m/bare"]
	if bare.Trials != 1 || bare.CostUSD != nil || bare.Success.ClusteredSE != nil || bare.Classes["unclassified"] != 1 {
		t.Errorf("%+v", bare)
	}
}

func TestLogsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n": "log:1: the trial has no subject",
		`{"subject":"m","scenario":"a","trial":1,"outcome":"won"}` + "\n": `log:1: outcome "won"`,
		"\n{\"subject\":\"m\"}\n": "log:2: the trial has no scenario",
		"[]\n":                    "log:1: json",
	} {
		err := trial.Read("log", strings.NewReader(text), func(trial.Trial) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestCompare(t *testing.T) {
	one := func(passed int) metric.Score { return metric.Score{Passed: passed, Trials: 1} }
	a, b := map[string]metric.Score{"x": one(1)}, map[string]metric.Score{"y": one(1)}
	for i := range 7 {
		a[string(rune('a'+i))], b[string(rune('a'+i))] = one(0), one(1)
	}
	c := report.Compare(a, b)
	if c.Paired != 7 || c.OnlyB != 7 || c.Verdict != report.Better || c.Difference != 1 || math.Abs(*c.McNemarP-1.0/64) > 1e-12 || c.PermutationP != 1.0/64 ||
		len(c.MissingA) != 1 || len(c.MissingB) != 1 {
		t.Errorf("%+v", c)
	}
	if c := report.Compare(b, a); c.Verdict != report.Worse || c.OnlyA != 7 || c.Difference != -1 {
		t.Errorf("%+v", c)
	}
	a["a"] = metric.Score{Passed: 1, Trials: 4}
	if c := report.Compare(a, b); c.McNemarP != nil || math.Abs(c.Difference-(6+.75)/7) > 1e-12 {
		t.Errorf("%+v", c)
	}
	equal := report.Compare(a, a)
	if equal.Verdict != report.NoEvidence || equal.PermutationP != 1 || equal.RunsNeeded != 0 {
		t.Errorf("%+v", equal)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(log)
	f.Fuzz(func(t *testing.T, text string) {
		collector := &report.Collector{}
		if trial.Read("log", strings.NewReader(text), func(one trial.Trial) error { collector.Add(one); return nil }) != nil {
			return
		}
		if _, err := json.Marshal(collector.Summary()); err != nil {
			t.Error(err)
		}
	})
}
