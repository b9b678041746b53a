// Package report says what trials show.
package report

import (
	"maps"
	"math"
	"slices"

	"chatterbox/evals/metric"
	"chatterbox/evals/trial"
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
	latencies []float64
	unpriced  bool
	cost      float64
}

// Success is the rate of trials that passed, with its intervals at 95 %; null where there is nothing to say.
type Success struct {
	Mean        *float64    `json:"mean"`
	Wilson      [2]float64  `json:"wilson"`
	ClusteredSE *float64    `json:"clustered_se"`
	Clustered   *[2]float64 `json:"clustered"`
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

// scores are the outcomes of one scenario by trial: the last line that speaks of a trial counts, so that a retried error
// is not an error any more.
type scores struct {
	byTrial map[int]trial.Trial
}

// Collector adds up trials.
type Collector struct{ subjects map[string]map[string]*scores }

// Add takes one trial in.
func (c *Collector) Add(t trial.Trial) {
	if c.subjects == nil {
		c.subjects = map[string]map[string]*scores{}
	}
	scenarios := c.subjects[t.Subject]
	if scenarios == nil {
		scenarios = map[string]*scores{}
		c.subjects[t.Subject] = scenarios
	}
	s := scenarios[t.Scenario]
	if s == nil {
		s = &scores{byTrial: map[int]trial.Trial{}}
		scenarios[t.Scenario] = s
	}
	t.Messages, t.Expected = nil, nil // transcripts are read again where they are shown
	s.byTrial[t.Trial] = t
}

// Subjects lists the subjects by name.
func (c *Collector) Subjects() []string { return slices.Sorted(maps.Keys(c.subjects)) }

// Scores are the scenarios of a subject that have a trial which passed or failed.
func (c *Collector) Scores(subject string) map[string]metric.Score {
	out := map[string]metric.Score{}
	for name, s := range c.subjects[subject] {
		if score := s.score(); score.Trials > 0 {
			out[name] = score
		}
	}
	return out
}

func (s *scores) score() (out metric.Score) {
	for _, t := range s.byTrial {
		switch t.Outcome {
		case trial.Pass:
			out.Passed++
			out.Trials++
		case trial.Fail:
			out.Trials++
		}
	}
	return out
}

// Summary says what was added.
func (c *Collector) Summary() Summary {
	out := Summary{Subjects: map[string]*Subject{}}
	for name, scenarios := range c.subjects {
		out.Subjects[name] = summarise(scenarios)
	}
	return out
}

func summarise(scenarios map[string]*scores) *Subject {
	s := &Subject{
		Scenarios: len(scenarios),
		PassAt:    map[int]float64{}, PassHat: map[int]float64{}, Classes: map[string]int{},
	}
	var counted []metric.Score
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for _, number := range slices.Sorted(maps.Keys(scenarios[name].byTrial)) {
			s.add(scenarios[name].byTrial[number])
		}
		if score := scenarios[name].score(); score.Trials > 0 {
			counted = append(counted, score)
		}
	}
	s.rates(counted)
	slices.Sort(s.latencies)
	s.Latency = Latency{percentile(s.latencies, .5), percentile(s.latencies, .95)}
	if !s.unpriced && s.Trials > 0 {
		s.CostUSD = &s.cost
	}
	return s
}

// add counts one trial.
func (s *Subject) add(t trial.Trial) {
	s.Trials++
	s.Tokens.Prompt += t.PromptTokens
	s.Tokens.Completion += t.CompletionTokens
	if t.CostUSD == nil {
		s.unpriced = true
	} else {
		s.cost += *t.CostUSD
	}
	switch t.Outcome {
	case trial.Error:
		s.Errors++
		return
	case trial.Excluded:
		s.Excluded++
		return
	case trial.Pass:
		s.Passed++
	case trial.Fail:
		class := t.Class
		if class == "" {
			class = "unclassified"
		}
		s.Classes[class]++
	}
	if t.MS > 0 {
		s.latencies = append(s.latencies, t.MS)
	}
}

func (s *Subject) rates(counted []metric.Score) {
	trials, fewest := 0, math.MaxInt
	for _, score := range counted {
		trials += score.Trials
		fewest = min(fewest, score.Trials)
	}
	wilson := metric.Wilson(s.Passed, trials)
	s.Success.Wilson = [2]float64{wilson.Low, wilson.High}
	if trials == 0 {
		return
	}
	suite := metric.Clustered(counted)
	s.Success.Mean = &suite.Mean
	if !math.IsNaN(suite.SE) {
		s.Success.ClusteredSE = &suite.SE
		s.Success.Clustered = &[2]float64{suite.Interval.Low, suite.Interval.High}
	}
	for k := 1; k <= fewest; k++ {
		s.PassAt[k], s.PassHat[k] = metric.PassAt(counted, k), metric.PassHat(counted, k)
	}
}

// percentile is the nearest-rank percentile of sorted values.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
