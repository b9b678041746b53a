// Package report says what trials show.
package report

import (
	"fmt"
	"math"
	"slices"

	"chatterbox/evals/judge"
)

// Summary is what the trials of a log show, by subject.
type Summary struct {
	Subjects map[string]*Subject `json:"subjects"`
}

// Subject is what the trials of one model with one strategy show. Rates are of the trials that passed or failed: errors
// and excluded ones are only counted.
type Subject struct {
	Scenarios int             `json:"scenarios"`
	Trials    int             `json:"trials"`
	Passed    int             `json:"passed"`
	Errors    int             `json:"errors"`
	Excluded  int             `json:"excluded"`
	Success   Success         `json:"success"`
	PassAt    map[int]float64 `json:"pass_at"`  // by k, up to the fewest trials of any scenario
	PassHat   map[int]float64 `json:"pass_hat"` // likewise
	Classes   map[string]int  `json:"classes"`
	Latency   Latency         `json:"latency_ms"`
	Tokens    Tokens          `json:"tokens"`
	CostUSD   *float64        `json:"cost_usd"` // nil when one trial's is not known

	FirstToken Latency        `json:"ttft_ms"` // of the trials that say it
	LLMCalls   int            `json:"llm_calls"`
	Repaired   int            `json:"repaired"`
	Rejected   int            `json:"rejected"` // calls that did not run
	ByTurn     map[Turn]Turns `json:"by_turn,omitempty"`
	ByTools    []Point        `json:"by_tools,omitempty"`
	Flaky      []Flaky        `json:"flaky,omitempty"` // those nearest to one half first
	Simulated  bool           `json:"simulated,omitempty"`
}

// Flaky is a scenario that passed and failed.
type Flaky struct {
	Scenario string `json:"scenario"`
	Passed   int    `json:"passed"`
	Trials   int    `json:"trials"`
}

// Turns are the trials of one kind of turn.
type Turns struct {
	Trials int `json:"trials"`
	Latency
}

// Point is the rate of the trials in which a number of tools was offered.
type Point struct {
	Tools  int     `json:"tools"`
	Trials int     `json:"trials"`
	Passed int     `json:"passed"`
	Mean   float64 `json:"mean"`
	// Interval is as that of Success.
	Interval [2]float64 `json:"interval"`
}

// Judged is how many trials passed or failed.
func (s *Subject) Judged() int { return s.Trials - s.Errors - s.Excluded }

// Hat is pass^k for the greatest k, as people read it.
func (s *Subject) Hat() string {
	k := len(s.PassHat)
	if k == 0 {
		return "none"
	}
	return fmt.Sprintf("%s (k %d)", Percent(s.PassHat[k]), k)
}

// Percent is a rate as people read it.
func Percent(rate float64) string { return fmt.Sprintf("%.1f %%", 100*rate) }

// Between is an interval of rates as people read it.
func Between(interval [2]float64) string {
	return fmt.Sprintf("%.1f to %.1f %%", 100*interval[0], 100*interval[1])
}

// Cost is an amount in USD, or that it is not known.
func Cost(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.4f USD", *usd)
}

// evenness is how far the rate is from one half.
func (f Flaky) evenness() float64 { return math.Abs(float64(f.Passed)/float64(f.Trials) - .5) }

// Unclassified is the class of failures that do not say theirs.
const Unclassified = "unclassified"

// Success is the rate of trials that passed, with its intervals at 95 %; null where there is nothing to say.
type Success struct {
	Mean        *float64    `json:"mean"`
	Wilson      [2]float64  `json:"wilson"`
	ClusteredSE *float64    `json:"clustered_se"`
	Clustered   *[2]float64 `json:"clustered"`
	// Interval is the one to read: clustered, and right also where the rate is near 0 or 1.
	Interval [2]float64 `json:"interval"`
}

// Latency is of whole trials.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// Tokens are sums.
type Tokens struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

func (s *Subject) rates(judged []judge.Score) {
	fewest := math.MaxInt
	for _, score := range judged {
		fewest = min(fewest, score.Trials)
	}
	s.Success = successOf(judged)
	for k := 1; k <= fewest && len(judged) > 0; k++ {
		s.PassAt[k], s.PassHat[k] = judge.PassAt(judged, k), judge.PassHat(judged, k)
	}
}

// successOf is the rate of all trials of some scenarios.
func successOf(judged []judge.Score) (out Success) {
	all := judge.Total(slices.Values(judged))
	out.Wilson = ends(judge.Wilson(all.Passed, all.Trials))
	out.Interval = out.Wilson
	if all.Trials == 0 {
		return out
	}
	suite := judge.Clustered(judged)
	out.Mean, out.Interval = &suite.Mean, ends(suite.Score)
	if math.IsNaN(suite.SE) {
		return out
	}
	clustered := ends(suite.Interval)
	out.ClusteredSE, out.Clustered = &suite.SE, &clustered
	return out
}

func ends(i judge.Interval) [2]float64 { return [2]float64{i.Low, i.High} }

func latencyOf(values []float64) Latency {
	slices.Sort(values)
	return Latency{percentile(values, .5), percentile(values, .95)}
}

// percentile is the nearest-rank percentile of sorted values.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
