// Package threshold says whether what trials show is enough.
package threshold

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/metric"
	"chatterbox/evals/report"
	"chatterbox/evals/suite"
)

// Gate is a rate that must be reached.
type Gate struct {
	// What is measured: success, a tag, the id of a scenario, or pass^k.
	What string
	Rate float64
	// Implied says that a scenario's own tag asks for it.
	Implied bool
}

// Outcome is whether a gate holds.
type Outcome struct {
	Missed bool
	Text   string
}

// Parse reads "success>=0.9".
func Parse(text string) (Gate, error) {
	what, value, ok := strings.Cut(text, ">=")
	what = strings.TrimSpace(what)
	rate, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if !ok || what == "" || err != nil || !(rate > 0 && rate <= 1) {
		return Gate{}, fmt.Errorf("threshold %q: expected what>=rate, with a rate above 0 and up to 1", text)
	}
	if k, isHat := strings.CutPrefix(what, "pass^"); isHat {
		if n, err := strconv.Atoi(k); err != nil || n < 1 {
			return Gate{}, fmt.Errorf("threshold %q: expected pass^k with k from 1", text)
		}
	}
	return Gate{What: what, Rate: rate}, nil
}

// OfScenarios gives the gates that scenarios ask for by a tag such as @pass(0.9).
func OfScenarios(scenarios []suite.Scenario) (gates []Gate) {
	for _, s := range scenarios {
		if s.Pass > 0 {
			gates = append(gates, Gate{What: s.ID, Rate: s.Pass, Implied: true})
		}
	}
	return gates
}

// Check holds a subject to the gate. A rate that is too low is missed; the text says whether chance may be the reason, by
// Clopper and Pearson's interval. What has no trial is missed: it proves nothing.
func (g Gate) Check(collector *report.Collector, subject string) Outcome {
	if k, ok := strings.CutPrefix(g.What, "pass^"); ok {
		n, _ := strconv.Atoi(k) // Parse has read it
		return g.passHat(collector.Scores(subject), n)
	}
	sum := metric.Score{}
	for _, score := range g.scores(collector, subject) {
		sum.Passed += score.Passed
		sum.Trials += score.Trials
	}
	if sum.Trials == 0 {
		return Outcome{true, fmt.Sprintf("%s >= %g is missed: there is no trial that passed or failed", g.What, g.Rate)}
	}
	interval := metric.ClopperPearson(sum.Passed, sum.Trials)
	found := fmt.Sprintf("%s is %.3f, %d of %d (%.3f to %.3f)", g.What, sum.Rate(), sum.Passed, sum.Trials, interval.Low, interval.High)
	switch {
	case sum.Rate() >= g.Rate:
		return Outcome{false, fmt.Sprintf("%s: at least %g", found, g.Rate)}
	case interval.High >= g.Rate:
		return Outcome{true, fmt.Sprintf("%s: below %g, which may be chance; more runs would tell", found, g.Rate)}
	}
	return Outcome{true, fmt.Sprintf("%s: below %g", found, g.Rate)}
}

// Concerns says whether the gate is about something among scenarios.
func (g Gate) Concerns(scenarios []suite.Scenario) bool {
	if g.What == "success" || strings.HasPrefix(g.What, "pass^") {
		return true
	}
	return slices.ContainsFunc(scenarios, func(s suite.Scenario) bool { return s.ID == g.What || slices.Contains(s.Tags, g.What) })
}

func (g Gate) scores(collector *report.Collector, subject string) map[string]metric.Score {
	switch {
	case g.What == "success":
		return collector.Scores(subject)
	case strings.HasPrefix(g.What, "@"):
		return collector.TagScores(subject, g.What)
	}
	score, ok := collector.Scores(subject)[g.What]
	if !ok {
		return nil
	}
	return map[string]metric.Score{g.What: score}
}

// passHat holds the mean of pass^k over the scenarios to the rate.
func (g Gate) passHat(scores map[string]metric.Score, k int) Outcome {
	for name, score := range scores {
		if score.Trials < k {
			return Outcome{true, fmt.Sprintf("%s >= %g is missed: %s has %d trials only", g.What, g.Rate, name, score.Trials)}
		}
	}
	if len(scores) == 0 {
		return Outcome{true, fmt.Sprintf("%s >= %g is missed: there is no trial that passed or failed", g.What, g.Rate)}
	}
	got := metric.PassHat(slices.Collect(maps.Values(scores)), k)
	if got >= g.Rate {
		return Outcome{false, fmt.Sprintf("%s is %.3f: at least %g", g.What, got, g.Rate)}
	}
	return Outcome{true, fmt.Sprintf("%s is %.3f: below %g", g.What, got, g.Rate)}
}
