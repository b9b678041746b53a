package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"chatterbox/evals/judge"
)

// Collector adds up trials, in any order: of each it keeps no more than its latencies.
type Collector struct {
	subjects map[string]*tally
}

// tally is what the trials of one subject add up to.
type tally struct {
	sums        Subject // as far as it is sums
	scenarios   map[string]*scores
	latencies   map[Turn][]float64 // of trials that passed or failed; those of no kind of turn too
	firstTokens []float64
	cost        sum
	unpriced    bool
}

// scores are the trials of one scenario.
type scores struct {
	score            judge.Score
	errors, excluded int
	ms               sum
	tags             []string
	versions         []string            // of the scenario
	byTools          map[int]judge.Score // by how many were offered, where that is known
}

// sum is a sum of numbers that is the same in whatever order they come: high is rounded, low is what rounding lost.
type sum struct{ high, low float64 }

func (s *sum) add(value float64) {
	high := s.high + value
	if back := high - s.high; !math.IsInf(high, 0) {
		s.low += (s.high - (high - back)) + (value - back)
	}
	s.high = high
}

func (s sum) total() float64 { return s.high + s.low }

// Add takes in a trial that counts. Of several lines of a log about one trial only one may be added: see Open.
func (c *Collector) Add(t judge.Trial) {
	if c.subjects == nil {
		c.subjects = map[string]*tally{}
	}
	of := c.subjects[t.Subject]
	if of == nil {
		of = &tally{
			sums: Subject{Classes: map[string]int{}}, scenarios: map[string]*scores{}, latencies: map[Turn][]float64{},
		}
		c.subjects[t.Subject] = of
	}
	s := of.scenarios[t.Scenario]
	if s == nil {
		s = &scores{byTools: map[int]judge.Score{}}
		of.scenarios[t.Scenario] = s
	}
	of.add(t, s)
}

// add counts one trial of a scenario.
func (of *tally) add(t judge.Trial, scenario *scores) {
	scenario.add(t)
	s := &of.sums
	turn, rejected := turnOf(Transcript(t))
	s.LLMCalls += t.LLMCalls
	s.Repaired += t.Repaired
	s.Rejected += rejected
	s.Simulated = s.Simulated || t.Simulated
	s.Tokens.Prompt += t.PromptTokens
	s.Tokens.Completion += t.CompletionTokens
	if t.CostUSD == nil {
		of.unpriced = true
	} else {
		of.cost.add(*t.CostUSD)
	}
	if t.Outcome == judge.Error || t.Outcome == judge.Excluded {
		return
	}
	if t.Outcome == judge.Fail {
		s.Classes[cmp.Or(t.Class, Unclassified)]++
	}
	if t.MS > 0 {
		of.latencies[turn] = append(of.latencies[turn], t.MS)
	}
	if t.FirstTokenMS > 0 {
		of.firstTokens = append(of.firstTokens, t.FirstTokenMS)
	}
}

func (s *scores) add(t judge.Trial) {
	s.ms.add(t.MS)
	s.tags = joined(s.tags, t.Tags...)
	if t.Version != "" {
		s.versions = joined(s.versions, t.Version)
	}
	one := judge.Score{Trials: 1}
	switch t.Outcome {
	case judge.Error:
		s.errors++
		return
	case judge.Excluded:
		s.excluded++
		return
	case judge.Pass:
		one.Passed = 1
	}
	s.score = s.score.Plus(one)
	if t.ToolsOffered > 0 {
		s.byTools[t.ToolsOffered] = s.byTools[t.ToolsOffered].Plus(one)
	}
}

// joined is a list with those of others that it does not have.
func joined(list []string, others ...string) []string {
	for _, other := range others {
		if !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

// Mixed lists the scenarios that a subject has trials of several versions of.
func (c *Collector) Mixed() []string {
	var out []string
	for _, of := range c.subjects {
		for name, s := range of.scenarios {
			if len(s.versions) > 1 {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Subjects lists the subjects by name.
func (c *Collector) Subjects() []string { return slices.Sorted(maps.Keys(c.subjects)) }

// scenarios are those of a subject, none for one that is not there.
func (c *Collector) scenarios(subject string) map[string]*scores {
	if of := c.subjects[subject]; of != nil {
		return of.scenarios
	}
	return nil
}

// Versions are the versions of a subject's scenarios, as far as the log says them.
func (c *Collector) Versions(subject string) map[string]string {
	out := map[string]string{}
	for name, s := range c.scenarios(subject) {
		if len(s.versions) > 0 {
			out[name] = s.versions[0]
		}
	}
	return out
}

// Scores are the scenarios of a subject that have a trial which passed or failed, of those with a tag where one is
// given.
func (c *Collector) Scores(subject, tag string) map[string]judge.Score {
	out := map[string]judge.Score{}
	for name, s := range c.scenarios(subject) {
		if s.score.Trials > 0 && (tag == "" || slices.Contains(s.tags, tag)) {
			out[name] = s.score
		}
	}
	return out
}

// Summary says what was added.
func (c *Collector) Summary() Summary {
	out := Summary{Subjects: map[string]*Subject{}}
	for name, of := range c.subjects {
		out.Subjects[name] = of.summary()
	}
	return out
}

func (of *tally) summary() *Subject {
	s := of.sums
	s.Scenarios, s.Classes = len(of.scenarios), maps.Clone(of.sums.Classes)
	s.PassAt, s.PassHat = map[int]float64{}, map[int]float64{}
	var judged []judge.Score
	for _, name := range slices.Sorted(maps.Keys(of.scenarios)) {
		scenario := of.scenarios[name]
		score := scenario.score
		s.Trials += score.Trials + scenario.errors + scenario.excluded
		s.Passed += score.Passed
		s.Errors += scenario.errors
		s.Excluded += scenario.excluded
		if score.Trials > 0 {
			judged = append(judged, score)
		}
		if score.Passed > 0 && score.Passed < score.Trials {
			s.Flaky = append(s.Flaky, Flaky{name, score.Passed, score.Trials})
		}
	}
	slices.SortStableFunc(s.Flaky, func(a, b Flaky) int { return cmp.Compare(a.evenness(), b.evenness()) })
	s.rates(judged)
	s.ByTools = byTools(of.scenarios)
	s.ByTurn = map[Turn]Turns{}
	var all []float64
	for turn, values := range of.latencies {
		all = append(all, values...)
		if turn != "" {
			s.ByTurn[turn] = Turns{len(values), latencyOf(values)}
		}
	}
	s.Latency, s.FirstToken = latencyOf(all), latencyOf(of.firstTokens)
	if cost := of.cost.total(); !of.unpriced && s.Trials > 0 && !math.IsInf(cost, 0) && !math.IsNaN(cost) {
		s.CostUSD = &cost
	}
	return &s
}
