package report_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// This file holds what programs read to numbers that were computed by hand, from the formulas that evals/judge names.
// The rule is: every field stands here, so that one that is new, gone, or means something else is seen.

// asByHand compares JSON with what is expected, numbers up to the digits that are written.
func asByHand(t *testing.T, got any, want string) {
	t.Helper()
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var is, wanted any
	if err := json.Unmarshal(encoded, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	same(t, "", is, wanted)
}

func same(t *testing.T, at string, got, want any) {
	t.Helper()
	switch w := want.(type) {
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 5.1e-5 {
			t.Errorf("%s is %v, by hand %v", at, got, w)
		}
	case map[string]any:
		g, _ := got.(map[string]any)
		if names, wanted := slices.Sorted(maps.Keys(g)), slices.Sorted(maps.Keys(w)); !slices.Equal(names, wanted) {
			t.Errorf("%s has %s, want %s", at, names, wanted)
		}
		for name := range w {
			same(t, at+"."+name, g[name], w[name])
		}
	case []any:
		g, _ := got.([]any)
		if len(g) != len(w) {
			t.Errorf("%s has %d entries, want %d", at, len(g), len(w))
			return
		}
		for i := range w {
			same(t, fmt.Sprintf("%s[%d]", at, i), g[i], w[i])
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

func TestTheSummaryIsAsByHand(t *testing.T) {
	collector, n, cost := &report.Collector{}, 0.0, .25
	for i, passed := range []int{4, 3, 4, 1} {
		for k := range 4 {
			n++
			one := judge.Trial{
				Subject: "m/loop", Scenario: string(rune('a' + i)), Trial: k + 1, Outcome: judge.Pass, ToolsOffered: 7,
				MS: 100 * n, FirstTokenMS: 10 * n, LLMCalls: 2, PromptTokens: 10, CompletionTokens: 1, CostUSD: &cost, Repaired: k % 2,
			}
			if k >= passed {
				one.Outcome, one.Class = judge.Fail, "no_call"
			}
			collector.Add(one)
		}
	}
	// 12 of 16; Wilson with z 1.959964. By scenario the residuals are 1, 0, 1, -2, so that the error is √(4/3·6)/16;
	// Student's quantile of 3 degrees is 3.182446. The variance 0.1875 over the error's square is worth 6 trials.
	asByHand(t, collector.Summary(), `{"subjects":{"m/loop":{
		"scenarios":4,"trials":16,"passed":12,"errors":0,"excluded":0,
		"success":{"mean":0.75,"wilson":[0.5050,0.8982],"clustered_se":0.1768,"clustered":[0.1874,1],"interval":[0.2157,0.9704]},
		"pass_at":{"1":0.75,"2":0.875,"3":0.9375,"4":1},"pass_hat":{"1":0.75,"2":0.625,"3":0.5625,"4":0.5},
		"classes":{"no_call":4},"latency_ms":{"p50":800,"p95":1600},"ttft_ms":{"p50":80,"p95":160},
		"tokens":{"prompt":160,"completion":16},"cost_usd":4,"llm_calls":32,"repaired":8,"rejected":0,
		"by_tools":[{"tools":7,"trials":16,"passed":12,"mean":0.75,"interval":[0.2157,0.9704]}],
		"flaky":[{"scenario":"b","passed":3,"trials":4},{"scenario":"d","passed":1,"trials":4}]}}}`)
}

func TestTheComparisonIsAsByHand(t *testing.T) {
	scores := func(passed ...int) map[string]judge.Score {
		out := map[string]judge.Score{}
		for i, n := range passed {
			out[string(rune('a'+i))] = judge.Score{Passed: n, Trials: 2}
		}
		return out
	}
	// The differences are 1, 1, ½, 0, 1, ½, ½, -½: 10 of 2⁷ signs are as far from zero. The squares around their mean
	// add up to 2, and Student's quantile of 7 degrees is 2.364624. Rates of 0.375 and 0.875 need (1.3419 +
	// 0.4934)²/0.5² runs.
	c := report.Compare(
		report.Side{Scores: scores(0, 0, 1, 1, 0, 1, 1, 2)}, report.Side{Scores: scores(2, 2, 2, 1, 2, 2, 2, 1)},
	)
	asByHand(t, c, `{"paired":8,"only_a":1,"only_b":6,"mcnemar_p":null,"difference":0.5,"interval":[0.0531,0.9469],
		"permutation_p":0.078125,"verdict":"no evidence","runs_needed":14,"scenarios_needed":18}`)
	a, b := scores(2, 2, 2, 2, 2, 2, 2), scores(0, 0, 0, 0, 0, 0)
	for name, score := range a {
		a[name] = judge.Score{Passed: score.Passed / 2, Trials: 1}
	}
	for name := range b {
		b[name] = judge.Score{Trials: 1}
	}
	c = report.Compare(
		report.Side{Scores: a, Versions: map[string]string{"a": "1", "b": "1"}},
		report.Side{Scores: b, Versions: map[string]string{"a": "1", "b": "1"}},
	)
	other := c
	report.Adjust([]*report.Comparison{&c, &other})
	asByHand(t, c, `{"paired":6,"only_a":6,"only_b":0,"mcnemar_p":0.03125,"difference":-1,"interval":[-1,-1],
		"permutation_p":0.03125,"holm_p":0.0625,"verdict":"no evidence","runs_needed":2,"scenarios_needed":6,"missing_b":["g"]}`)
	if other.Verdict != report.NoEvidence {
		t.Errorf("the other one is %s", other.Verdict)
	}
}
