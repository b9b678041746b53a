package report_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/perf/heap"
	"chatterbox/evals/report"
)

// written is a file with a log.
func written(t *testing.T, log string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
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
	summary := open(t, written(t, log)).Summary()
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

// TestTheOrderOfTrialsDoesNotMatter adds the same trials in other orders, as other shards would write them.
func TestTheOrderOfTrialsDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var trials []judge.Trial
	for n := range 500 {
		cost := random.Float64() / 1000
		trials = append(trials, judge.Trial{
			Subject: "m", Scenario: string(rune('a' + n%7)), Trial: n, Outcome: []judge.Outcome{judge.Pass, judge.Fail}[n%2],
			Class: "no_call", MS: 1000 * random.Float64(), CostUSD: &cost, ToolsOffered: n % 3,
		})
	}
	want := ""
	for range 20 {
		collector := &report.Collector{}
		for _, one := range trials {
			collector.Add(one)
		}
		got, err := json.Marshal(collector.Summary())
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(got)
		}
		if string(got) != want {
			t.Fatalf("%s, in another order %s", want, got)
		}
		random.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
	}
}

// bytesPerTrialMost is what a trial may leave in memory until the report is made: two latencies, and as much again
// where their lists have just grown.
const bytesPerTrialMost = 40

func TestTrialsLeaveLittleInMemory(t *testing.T) {
	const few, many = 2_000, 20_000
	collector, before := &report.Collector{}, int64(0)
	for n := range many {
		if n == few {
			before = heap.InUse()
		}
		cost := 0.1
		collector.Add(judge.Trial{
			Subject: "m", Scenario: string(rune('a' + n%20)), Trial: n, Outcome: judge.Pass, Tags: []string{"@a"}, ToolsOffered: 7, MS: 1, FirstTokenMS: 1,
			CostUSD: &cost, Sampling: map[string]any{"temperature": 0.1}, Messages: json.RawMessage(`[{"role":"user","content":"x"}]`),
		})
	}
	if each := float64(heap.InUse()-before) / (many - few); each > bytesPerTrialMost || collector.Summary().Subjects["m"].Trials != many {
		t.Errorf("%.0f bytes a trial, want at most %d", each, bytesPerTrialMost)
	}
}

func TestLogsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n": "log:1: the trial has no subject",
		`{"subject":"m","scenario":"a","trial":1,"outcome":"won"}` + "\n": `log:1: outcome "won"`,
		"\n{\"subject\":\"m\"}\n": "log:2: the trial has no scenario",
		"[]\n":                    "log:1: json",
	} {
		err := judge.ReadTrials("log", strings.NewReader(text), func(judge.Trial) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestCompare(t *testing.T) {
	compare := func(a, b map[string]judge.Score) report.Comparison {
		return report.Compare(report.Side{Scores: a}, report.Side{Scores: b})
	}
	one := func(passed int) judge.Score { return judge.Score{Passed: passed, Trials: 1} }
	a, b := map[string]judge.Score{"x": one(1)}, map[string]judge.Score{"y": one(1)}
	for i := range 7 {
		a[string(rune('a'+i))], b[string(rune('a'+i))] = one(0), one(1)
	}
	c := compare(a, b)
	if c.Paired != 7 || c.OnlyB != 7 || c.Verdict != report.Better || c.Difference != 1 || math.Abs(*c.McNemarP-1.0/64) > 1e-12 || c.PermutationP != 1.0/64 ||
		len(c.MissingA) != 1 || len(c.MissingB) != 1 {
		t.Errorf("%+v", c)
	}
	if c := compare(b, a); c.Verdict != report.Worse || c.OnlyA != 7 || c.Difference != -1 {
		t.Errorf("%+v", c)
	}
	a["a"] = judge.Score{Passed: 1, Trials: 4}
	if c := compare(a, b); c.McNemarP != nil || math.Abs(c.Difference-(6+.75)/7) > 1e-12 {
		t.Errorf("%+v", c)
	}
	equal := compare(a, a)
	if equal.Verdict != report.NoEvidence || equal.PermutationP != 1 || equal.RunsNeeded != 0 {
		t.Errorf("%+v", equal)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(log)
	f.Fuzz(func(t *testing.T, text string) {
		collector := &report.Collector{}
		if judge.ReadTrials("log", strings.NewReader(text), func(one judge.Trial) error { collector.Add(one); return nil }) != nil {
			return
		}
		if _, err := json.Marshal(collector.Summary()); err != nil {
			t.Error(err)
		}
	})
}
