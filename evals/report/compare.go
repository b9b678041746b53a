package report

import (
	"maps"
	"slices"

	"chatterbox/evals/judge"
)

// Verdict is what a comparison says of its second subject.
type Verdict string

// The verdicts.
const (
	Better     Verdict = "better"
	Worse      Verdict = "worse"
	NoEvidence Verdict = "no evidence"
)

// significance is the chance of a false alarm that a verdict accepts.
const significance = 0.05

// PairsLeast is how many scenarios must differ before signs alone can be that rare by chance: 2 of 2^6 are.
const PairsLeast = 6

// Comparison is two subjects, A and B, on the scenarios that both have.
type Comparison struct {
	Paired int `json:"paired"`
	// OnlyA counts the scenarios in which A's rate is the higher one, OnlyB the reverse.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	// McNemarP is nil when a scenario has more than one trial on either side.
	McNemarP *float64 `json:"mcnemar_p"`
	// Difference is B's success less A's, each scenario's mean counting once; Interval is Student's at 95 %.
	Difference   float64    `json:"difference"`
	Interval     [2]float64 `json:"interval"`
	PermutationP float64    `json:"permutation_p"`
	Verdict      Verdict    `json:"verdict"`
	// RunsNeeded is how many trials each side needs, so that a test of two rates like these tells them apart in four
	// of five comparisons; 0 when they are equal, because then no number is enough.
	RunsNeeded int `json:"runs_needed"`
	// ScenariosNeeded is how many scenarios with one trial each the verdict needs for that; 0 where it is not known.
	ScenariosNeeded int `json:"scenarios_needed"`
	// MissingA and MissingB are the scenarios that were left out because that side does not have them.
	MissingA []string `json:"missing_a,omitempty"`
	MissingB []string `json:"missing_b,omitempty"`
	// Changed are the scenarios that were left out because the two sides have different versions of them.
	Changed []string `json:"changed,omitempty"`
	// HolmP is PermutationP adjusted for how many comparisons were made with this one, where it was one of several. The
	// verdict is by it.
	HolmP *float64 `json:"holm_p,omitempty"`
}

// Side is one subject of a comparison.
type Side struct {
	Scores   map[string]judge.Score
	Versions map[string]string // of the scenarios, as far as they are known
}

// Side is a subject as it is compared.
func (c *Collector) Side(subject string) Side {
	return Side{c.Scores(subject, ""), c.Versions(subject)}
}

// Adjust judges several comparisons together, by Holm: the chance of one false alarm among all of them is what one
// comparison's is. A comparison alone, or without a pair, is left as it is.
func Adjust(comparisons []*Comparison) {
	comparisons = slices.DeleteFunc(slices.Clone(comparisons), func(c *Comparison) bool { return c.Paired == 0 })
	if len(comparisons) < 2 {
		return
	}
	chances := make([]float64, len(comparisons))
	for i, c := range comparisons {
		chances[i] = c.PermutationP
	}
	for i, p := range judge.Holm(chances) {
		comparisons[i].HolmP = &p
		comparisons[i].Verdict = verdictOf(p, comparisons[i].Difference)
	}
}

func verdictOf(p, difference float64) Verdict {
	switch {
	case p > significance || difference == 0:
		return NoEvidence
	case difference > 0:
		return Better
	}
	return Worse
}

// Compare compares b with a on the scenarios that are the same in both: of the same name and, where that is known, of
// the same version.
func Compare(a, b Side) Comparison {
	var c Comparison
	var differences []float64
	single, sumA, sumB := true, 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(a.Scores)) {
		left := a.Scores[name]
		right, ok := b.Scores[name]
		if !ok {
			c.MissingB = append(c.MissingB, name)
			continue
		}
		if was, is := a.Versions[name], b.Versions[name]; was != "" && is != "" && was != is {
			c.Changed = append(c.Changed, name)
			continue
		}
		difference := right.Rate() - left.Rate()
		switch {
		case difference < 0:
			c.OnlyA++
		case difference > 0:
			c.OnlyB++
		}
		single = single && left.Trials == 1 && right.Trials == 1
		sumA, sumB = sumA+left.Rate(), sumB+right.Rate()
		differences = append(differences, difference)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Scores)) {
		if _, ok := a.Scores[name]; !ok {
			c.MissingA = append(c.MissingA, name)
		}
	}
	c.Paired, c.PermutationP, c.Verdict, c.Interval = len(differences), 1, NoEvidence, [2]float64{-1, 1}
	if c.Paired == 0 {
		return c
	}
	if single {
		p := judge.McNemar(c.OnlyA, c.OnlyB)
		c.McNemarP = &p
	}
	mean, interval := judge.MeanInterval(differences)
	c.Difference, c.Interval, c.PermutationP = mean, ends(interval), judge.SignFlip(differences)
	c.Verdict = verdictOf(c.PermutationP, mean)
	rateA, rateB := sumA/float64(c.Paired), sumB/float64(c.Paired)
	c.RunsNeeded, c.ScenariosNeeded = judge.RunsNeeded(rateA, rateB), judge.ScenariosNeeded(rateA, rateB)
	return c
}
