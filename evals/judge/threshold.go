package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/scenario"
)

// Gate is a rate that must be reached.
type Gate struct {
	// What is measured: success, a tag, the id of a scenario, or pass^k.
	What string
	Rate float64
	// Implied says that a scenario's own tag asks for it.
	Implied bool
}

// Scored is what a gate is held to: the scores of a subject's scenarios, by scenario; of those whose trials have a tag
// where one is given.
type Scored interface {
	Scores(subject, tag string) map[string]Score
}

// GateOutcome is whether a gate holds.
type GateOutcome struct {
	Missed bool
	Text   string
}

// ParseGate reads "success>=0.9".
func ParseGate(text string) (Gate, error) {
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

// ScenarioGates gives the gates that scenarios ask for by a tag such as @pass(0.9).
func ScenarioGates(scenarios []scenario.Scenario) (gates []Gate) {
	for _, s := range scenarios {
		if s.Pass > 0 {
			gates = append(gates, Gate{What: s.ID, Rate: s.Pass, Implied: true})
		}
	}
	return gates
}

// Check holds a subject to the gate. A rate that is too low is missed; the text says whether chance may be the reason,
// by Clopper and Pearson's interval. What has no trial is missed: it proves nothing.
func (g Gate) Check(trials Scored, subject string) GateOutcome {
	if k, ok := strings.CutPrefix(g.What, "pass^"); ok {
		n, _ := strconv.Atoi(k) // ParseGate has read it
		return g.passHat(trials.Scores(subject, ""), n)
	}
	sum := Total(maps.Values(g.scores(trials, subject)))
	if sum.Trials == 0 {
		return g.missed("there is no trial that passed or failed")
	}
	interval := ClopperPearson(sum.Passed, sum.Trials)
	found := fmt.Sprintf("%s is %.3f, %d of %d (%.3f to %.3f)",
		g.What, sum.Rate(), sum.Passed, sum.Trials, interval.Low, interval.High)
	switch {
	case sum.Rate() >= g.Rate:
		return GateOutcome{false, fmt.Sprintf("%s: at least %g", found, g.Rate)}
	case interval.High >= g.Rate:
		return GateOutcome{true, fmt.Sprintf("%s: below %g, which may be chance; more runs would tell", found, g.Rate)}
	}
	return GateOutcome{true, fmt.Sprintf("%s: below %g", found, g.Rate)}
}

func (g Gate) missed(why string, args ...any) GateOutcome {
	return GateOutcome{true, fmt.Sprintf("%s >= %g is missed: ", g.What, g.Rate) + fmt.Sprintf(why, args...)}
}

// Concerns says whether the gate is about something among scenarios.
func (g Gate) Concerns(scenarios []scenario.Scenario) bool {
	if g.What == "success" || strings.HasPrefix(g.What, "pass^") {
		return true
	}
	return slices.ContainsFunc(scenarios, func(s scenario.Scenario) bool {
		return s.ID == g.What || slices.Contains(s.Tags, g.What)
	})
}

func (g Gate) scores(trials Scored, subject string) map[string]Score {
	if strings.HasPrefix(g.What, "@") {
		return trials.Scores(subject, g.What)
	}
	scores := trials.Scores(subject, "")
	if g.What != "success" {
		maps.DeleteFunc(scores, func(name string, _ Score) bool { return name != g.What })
	}
	return scores
}

// passHat holds the mean of pass^k over the scenarios to the rate.
func (g Gate) passHat(scores map[string]Score, k int) GateOutcome {
	for name, score := range scores {
		if score.Trials < k {
			return g.missed("%s has %d trials only", name, score.Trials)
		}
	}
	if len(scores) == 0 {
		return g.missed("there is no trial that passed or failed")
	}
	got := PassHat(slices.Collect(maps.Values(scores)), k)
	if got >= g.Rate {
		return GateOutcome{false, fmt.Sprintf("%s is %.3f: at least %g", g.What, got, g.Rate)}
	}
	return GateOutcome{true, fmt.Sprintf("%s is %.3f: below %g", g.What, got, g.Rate)}
}
