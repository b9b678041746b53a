package metric

import "math"

// Score is how often one scenario passed.
type Score struct{ Passed, Trials int }

// Rate is the share that passed; without trials it is not a number.
func (s Score) Rate() float64 { return float64(s.Passed) / float64(s.Trials) }

// PassAt is the chance that at least one of k trials passes, averaged over the scenarios. Each must have k trials or more.
// Source: Chen et al., Evaluating large language models trained on code, 2021.
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

// Suite is a rate over scenarios whose trials are not independent of one another.
type Suite struct {
	Mean float64 // of all trials
	// SE is the standard error clustered by scenario; with fewer than two scenarios it is not a number.
	SE       float64
	Interval Interval // Student's with one degree of freedom less than scenarios; [0, 1] where SE is none
}

// Clustered is the rate of all trials with its error clustered by scenario.
// Source: Miller, Adding error bars to evals, 2024.
func Clustered(scores []Score) Suite {
	passed, trials := 0, 0
	for _, s := range scores {
		passed, trials = passed+s.Passed, trials+s.Trials
	}
	out := Suite{Mean: float64(passed) / float64(trials), SE: math.NaN(), Interval: Interval{0, 1}}
	clusters := float64(len(scores))
	if clusters < 2 {
		return out
	}
	sum := 0.0
	for _, s := range scores {
		residual := float64(s.Passed) - float64(s.Trials)*out.Mean
		sum += residual * residual
	}
	out.SE = math.Sqrt(clusters/(clusters-1)*sum) / float64(trials)
	spread := TQuantile(len(scores)-1) * out.SE
	out.Interval = Interval{out.Mean - spread, out.Mean + spread}.clipped()
	return out
}
