package run_test

import (
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/report"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
	"chatterbox/features"
)

// patience is how long a turn may take where one scenario is too slow and another nearly is.
const patience = 3 * time.Second

// TestEveryClassHasItsScenarios plays, for each class of failures, a scenario that produces it and one that nearly
// does.
func TestEveryClassHasItsScenarios(t *testing.T) {
	opened, err := scenario.Open(os.DirFS("testdata/classes"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.suite = opened
	fails, nearly := map[judge.Class]int{}, map[judge.Class]int{}
	check := func(p run.Progress) {
		want := ""
		for _, class := range judge.Classes() {
			switch tagged := slices.Contains(p.Last.Tags, "@"+string(class)); {
			case tagged && slices.Contains(p.Last.Tags, "@nearly"):
				nearly[class]++
			case tagged:
				fails[class]++
				want = string(class)
			}
		}
		if p.Last.Class != want || p.Last.Outcome == judge.Error {
			t.Errorf("%s: %s %q: %s, want %q", p.Last.Scenario, p.Last.Outcome, p.Last.Class, p.Last.Detail, want)
		}
	}
	if _, err := w.run(t.Context(), func(o *run.Options) { o.Runs, o.TurnTimeout, o.Progress = 1, patience, check }); err != nil {
		t.Fatal(err)
	}
	for _, class := range judge.Classes() {
		if fails[class] != 1 || nearly[class] != 1 {
			t.Errorf("%s: %d scenarios produce it and %d nearly do, want one each", class, fails[class], nearly[class])
		}
	}
}

// TestTheLastMomentIsInTime has a turn end a moment before its time is over, and one at the end of it.
func TestTheLastMomentIsInTime(t *testing.T) {
	for took, want := range map[time.Duration]string{time.Minute - 1: "", time.Minute + 1: "timeout"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			log, err := run.OpenLog(w.log)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			result, err := run.Run(t.Context(), run.Options{
				Suite: w.suite, Scenarios: w.suite.Scenarios[:1], Log: log, TurnTimeout: time.Minute,
				Subjects: []run.Subject{{Name: "late", Strategy: right{took}}},
			})
			if err != nil || result.Ran != 1 || result.Last.Class != want {
				t.Errorf("after %v: %+v, %v, want %q", took, result, err, want)
			}
		})
	}
}

// stated are simulated models, by the seed that their trials have.
var stated = map[uint64]mockllm.Rates{
	1: {"no_call": .08, "needless_question": .07, "empty_response": .03, "wrong_tool": .06, "unknown_tool": .04, "wrong_arguments": .09, "malformed_call": .05, "extra_call": .04, "repeated_call": .03},
	2: {"needless_question": .4, "wrong_arguments": .2},
	3: {"malformed_call": .3, "no_call": .05, "wrong_tool": .05, "repeated_call": .1},
	4: {"no_call": .02, "extra_call": .02, "wrong_arguments": .05, "empty_response": .01},
}

// missesMost is how many of the intervals may miss the stated rate. They are 95 % intervals, and there are 23 of
// them.
const missesMost = 3

// TestStatedRatesAreReported has simulated models speak real HTTP and go wrong at stated rates. The report gives
// these back: the rate of success, and of each class.
func TestStatedRatesAreReported(t *testing.T) {
	opened, err := scenario.Open(features.FS)
	if err != nil {
		t.Fatal(err)
	}
	selected, err := scenario.Select(opened.Scenarios, scenario.Selection{Tags: "@model && @choice,@types,@units", Name: "among-[^0]|arguments"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range selected {
		selected[i].Runs = 0
	}
	intervals, misses := 0, 0
	hold := func(name string, rate float64, interval judge.Interval) {
		intervals++
		if rate < interval.Low || rate > interval.High {
			misses++
			t.Logf("%s: stated %g, reported %.3f to %.3f", name, rate, interval.Low, interval.High)
		}
	}
	for seed, rates := range stated {
		w := newWorld(t)
		w.suite = opened
		collector := &report.Collector{}
		if _, err := w.run(t.Context(), func(o *run.Options) {
			o.Scenarios, o.Runs, o.Seed, o.Subjects[0].Rates = selected, 10, seed, rates
			o.Progress = func(p run.Progress) { collector.Add(p.Last) }
		}); err != nil {
			t.Fatal(err)
		}
		got := collector.Summary().Subjects["played/bare"]
		right := 1.0
		for class, rate := range rates {
			right -= rate
			hold(class, rate, judge.Wilson(got.Classes[class], got.Trials))
		}
		hold("success", right, judge.Interval{Low: got.Success.Interval[0], High: got.Success.Interval[1]})
		for class, n := range got.Classes {
			if rates[class] == 0 {
				t.Errorf("seed %d: %d trials are %s, which is not stated", seed, n, class)
			}
		}
	}
	if misses > missesMost || intervals != 23 {
		t.Errorf("%d of %d intervals miss the stated rate", misses, intervals)
	}
}
