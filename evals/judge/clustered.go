package judge

import (
	"iter"
	"math"
	"slices"
)

// Score is how often one scenario passed.
type Score struct{ Passed, Trials int }

// Rate is the share that passed; without trials it is not a number.
func (s Score) Rate() float64 { return float64(s.Passed) / float64(s.Trials) }

// Plus is the score of both together.
func (s Score) Plus(other Score) Score {
	return Score{s.Passed + other.Passed, s.Trials + other.Trials}
}

// Total is the score of all scenarios together.
func Total(scores iter.Seq[Score]) (all Score) {
	for s := range scores {
		all = all.Plus(s)
	}
	return all
}

// PassAt is the chance that at least one of k trials passes, averaged over the scenarios. Each must have k trials or
// more. Source: Chen et al., Evaluating large language models trained on code, 2021.
func PassAt(scores []Score, k int) float64 {
	return average(scores, func(s Score) float64 { return 1 - choose(s.Trials-s.Passed, s.Trials, k) })
}

// PassHat is the chance that all of k trials pass, averaged over the scenarios. Each must have k trials or more.
// Source: Yao et al., tau-bench, 2024.
func PassHat(scores []Score, k int) float64 {
	return average(scores, func(s Score) float64 { return choose(s.Passed, s.Trials, k) })
}

// choose is C(m,k)/C(n,k): the chance that k drawn out of n without putting back are all among m of them.
func choose(m, n, k int) float64 {
	if m < k {
		return 0
	}
	out := 1.0
	for i := range k {
		out *= float64(m-i) / float64(n-i)
	}
	return out
}

func average(scores []Score, of func(Score) float64) float64 {
	sum := 0.0
	for _, s := range scores {
		sum += of(s)
	}
	return sum / float64(len(scores))
}

// SuiteRate is a rate over scenarios whose trials are not independent of one another.
type SuiteRate struct {
	Mean float64 // of all trials
	// SE is the standard error clustered by scenario; with fewer than two scenarios it is not a number.
	SE       float64
	Interval Interval // Student's with one degree of freedom less than scenarios; [0, 1] where SE is none
	// Score is Wilson's interval for as many independent trials as would have this error, with Student's quantile.
	// Other than Interval it covers the truth also where rates are near 0 or 1, and is never a point.
	Score Interval
}

// Clustered is the rate of all trials with its error clustered by scenario.
// Source: Miller, Adding error bars to evals, 2024.
func Clustered(scores []Score) SuiteRate {
	all := Total(slices.Values(scores))
	clusters, trials := float64(len(scores)), float64(all.Trials)
	out := SuiteRate{Mean: all.Rate(), SE: math.NaN(), Interval: Interval{0, 1}}
	out.Score = wilson(out.Mean, trials, z975)
	if clusters < 2 {
		return out
	}
	sum := 0.0
	for _, s := range scores {
		residual := float64(s.Passed) - float64(s.Trials)*out.Mean
		sum += residual * residual
	}
	out.SE = math.Sqrt(clusters/(clusters-1)*sum) / trials
	t := TQuantile(len(scores) - 1)
	out.Interval = Interval{out.Mean - t*out.SE, out.Mean + t*out.SE}.clipped()
	out.Score = wilson(out.Mean, worth(out, clusters, trials), t)
	return out
}

// worth is how many independent trials have the error of a suite. Where all ended alike the error says nothing, and
// each scenario counts once.
func worth(suite SuiteRate, clusters, trials float64) float64 {
	variance := suite.Mean * (1 - suite.Mean)
	if variance == 0 {
		return clusters
	}
	return math.Min(trials, variance/(suite.SE*suite.SE))
}
