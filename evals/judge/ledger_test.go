package judge_test

import (
	"testing"

	"pgregory.net/rapid"

	"chatterbox/evals/judge"
	"chatterbox/evals/perf/heap"
)

// TestTheLastLineCounts compares a ledger with a plain list of lines, in which numbers repeat, have gaps and are far
// off.
func TestTheLastLineCounts(t *testing.T) {
	outcomes := []judge.Outcome{judge.Pass, judge.Fail, judge.Error, judge.Excluded}
	rapid.Check(t, func(t *rapid.T) {
		type name struct {
			scenario string
			n        int
		}
		var ledger judge.Ledger
		var lines []judge.Trial
		counts := map[name]int{} // which line does
		for i := range rapid.IntRange(0, 60).Draw(t, "lines") {
			one := judge.Trial{
				Subject: "m", Scenario: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "scenario"),
				Trial:   rapid.OneOf(rapid.IntRange(-1, 8), rapid.SampledFrom([]int{60, 70, 150, 1 << 30})).Draw(t, "trial"),
				Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"),
			}
			lines = append(lines, one)
			ledger.Add(one)
			at := name{one.Scenario, one.Trial}
			if had, ok := counts[at]; !ok || one.Outcome != judge.Error || lines[had].Outcome == judge.Error {
				counts[at] = i
			}
		}
		if ledger.Trials() != len(counts) || ledger.Repeats() != (len(lines) > len(counts)) {
			t.Fatalf("%d trials, repeats %t, of %v", ledger.Trials(), ledger.Repeats(), lines)
		}
		for at, i := range counts {
			if got := ledger.Outcome("m", at.scenario, at.n); got != lines[i].Outcome {
				t.Fatalf("%v is %q, want %q, of %v", at, got, lines[i].Outcome, lines)
			}
		}
		if got := ledger.Outcome("m", "a", 9); got != "" {
			t.Fatalf("a trial that is not there is %q", got)
		}
		counting := ledger.Counting()
		for i, one := range lines {
			if got, want := counting(one), counts[name{one.Scenario, one.Trial}] == i; got != want {
				t.Fatalf("line %d counts: %t, want %t, of %v", i, got, want, lines)
			}
		}
	})
}

// bytesPerTrialMost is what a ledger may keep of a trial: a byte, and as much again where it has just grown.
const bytesPerTrialMost = 3

func TestALedgerIsSmall(t *testing.T) {
	const trials = 1 << 20
	before := heap.InUse()
	var ledger judge.Ledger
	one := judge.Trial{Subject: "m", Scenario: "a", Outcome: judge.Pass}
	for n := range trials {
		one.Trial = n + 1
		ledger.Add(one)
	}
	each := float64(heap.InUse()-before) / trials
	if ledger.Trials() != trials || each > bytesPerTrialMost {
		t.Errorf("%d trials, %.1f bytes each", ledger.Trials(), each)
	}
}
