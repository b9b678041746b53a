package judge_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"chatterbox/evals/judge"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestIntervalsOfARate(t *testing.T) {
	for _, test := range []struct {
		passed, trials int
		wilson, exact  judge.Interval
	}{
		{0, 10, judge.Interval{Low: 0, High: .277533}, judge.Interval{Low: 0, High: .308497}},
		{5, 5, judge.Interval{Low: .565518, High: 1}, judge.Interval{Low: .478176, High: 1}},
		{1, 3, judge.Interval{Low: .061492, High: .792340}, judge.Interval{Low: .008404, High: .905701}},
		{8, 10, judge.Interval{Low: .490162, High: .943318}, judge.Interval{Low: .443905, High: .974789}},
		{27, 30, judge.Interval{Low: .743789, High: .965400}, judge.Interval{Low: .734712, High: .978883}},
		{403, 460, judge.Interval{Low: .842827, High: .903118}, judge.Interval{Low: .842452, High: .904783}},
	} {
		name := fmt.Sprintf("%d of %d", test.passed, test.trials)
		wilson, exact := judge.Wilson(test.passed, test.trials), judge.ClopperPearson(test.passed, test.trials)
		near(t, name+": Wilson's low", wilson.Low, test.wilson.Low, 5e-7)
		near(t, name+": Wilson's high", wilson.High, test.wilson.High, 5e-7)
		near(t, name+": the exact low", exact.Low, test.exact.Low, 5e-7)
		near(t, name+": the exact high", exact.High, test.exact.High, 5e-7)
	}
	if got := judge.Wilson(0, 0); got != (judge.Interval{Low: 0, High: 1}) {
		t.Errorf("nothing is known without trials, got %v", got)
	}
}

func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706205, 2: 4.302653, 5: 2.570582, 29: 2.045230, 1000: 1.962339} {
		near(t, fmt.Sprintf("t of %d", degrees), judge.TQuantile(degrees), want, 1e-6)
	}
	if !math.IsInf(judge.TQuantile(0), 1) {
		t.Error("no degree of freedom has no bound")
	}
}

func TestPassAtAndPassHat(t *testing.T) {
	near(t, "4 of 5, all of 3", judge.PassHat([]judge.Score{{4, 5}}, 3), .4, 1e-12)
	near(t, "7 of 10, all of 3", judge.PassHat([]judge.Score{{7, 10}}, 3), .2917, 5e-5)
	near(t, "1 of 4, any of 2", judge.PassAt([]judge.Score{{1, 4}}, 2), .5, 1e-12)
	near(t, "two scenarios", judge.PassHat([]judge.Score{{4, 4}, {0, 4}}, 4), .5, 1e-12)
}

func TestClusteredError(t *testing.T) {
	// Ten scenarios whose two trials always agree: the error is that of ten trials, not of twenty.
	var agree []judge.Score
	for i := range 10 {
		agree = append(agree, judge.Score{Passed: 2 * (i % 2), Trials: 2})
	}
	suite := judge.Clustered(agree)
	near(t, "mean", suite.Mean, .5, 1e-12)
	near(t, "standard error", suite.SE, math.Sqrt(.25/9), 1e-12)
	near(t, "low", suite.Interval.Low, .5-2.262157*math.Sqrt(.25/9), 1e-6)
	if one := judge.Clustered(agree[:1]); !math.IsNaN(one.SE) || one.Interval != (judge.Interval{Low: 0, High: 1}) {
		t.Errorf("one scenario has no error, got %+v", one)
	}
}

func TestPaired(t *testing.T) {
	for counts, want := range map[[2]int]float64{{24, 7}: .003326892853, {1, 6}: .125, {0, 6}: .03125, {0, 5}: .0625, {0, 0}: 1} {
		near(t, fmt.Sprint("McNemar ", counts), judge.McNemar(counts[0], counts[1]), want, 1e-11)
		if counts[0]+counts[1] <= 20 { // with one trial each, flipping signs is the same test
			differences := slices.Concat(slices.Repeat([]float64{1}, counts[0]), slices.Repeat([]float64{-1}, counts[1]), []float64{0, 0})
			near(t, fmt.Sprint("signs ", counts), judge.SignFlip(differences), want, 1e-12)
		}
	}
	many := slices.Concat(slices.Repeat([]float64{1}, 24), slices.Repeat([]float64{-1}, 7))
	near(t, "drawn signs", judge.SignFlip(many), .003326892853, .002)
	mean, interval := judge.MeanInterval([]float64{1, 0, 0, 0})
	near(t, "mean", mean, .25, 1e-12)
	near(t, "high", interval.High, 1, 1e-12)
	near(t, "low", interval.Low, .25-3.182446*.25, 1e-6)
}

func TestHolm(t *testing.T) {
	got := judge.Holm([]float64{.04, .01, .03})
	for i, want := range []float64{.06, .03, .06} {
		near(t, fmt.Sprint("adjusted ", i), got[i], want, 1e-12)
	}
}

func TestSampleSizes(t *testing.T) {
	for rates, want := range map[[2]float64]int{{.95, .33}: 9, {.95, .85}: 141, {.95, .90}: 435, {.5, .5}: 0} {
		if got := judge.RunsNeeded(rates[0], rates[1]); got != want {
			t.Errorf("%v need %d, want %d", rates, got, want)
		}
	}
	for rates, want := range map[[2]float64]int{{1, 0}: 6, {0, 1}: 6, {.95, .33}: 12, {.33, .95}: 12, {.95, .85}: 156, {.95, .94}: 0, {.5, .5}: 0} {
		if got := judge.ScenariosNeeded(rates[0], rates[1]); got != want {
			t.Errorf("%v need %d scenarios, want %d", rates, got, want)
		}
	}
	for rate, want := range map[float64]int{.10: 29, .05: 59, .02: 149, .01: 299} {
		if got := judge.CleanRuns(rate); got != want {
			t.Errorf("a rate below %v needs %d clean runs, want %d", rate, got, want)
		}
	}
}
