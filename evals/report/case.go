package report

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/judge"
)

// This file makes test cases of trials, for reports that know passed and failed only. The rules are: a case is one
// scenario on one subject; it fails when fewer of its trials passed than its tag @pass(rate) asks for, without the tag
// when none did; errors and excluded trials are no failures, and a case with nothing else is an error or skipped.

// state is how a case ended.
type state string

const (
	passed  state = "passed"
	broken  state = "failed"
	errored state = "error"
	skipped state = "skipped"
)

// testCase is a scenario on a subject.
type testCase struct {
	subject, scenario string
	*scores
	notes []string // of the trials that did not pass, the first ones
}

// notesMax is how many trials of a case are described.
const notesMax = 10

func (c testCase) flaky() bool { return c.score.Passed > 0 && c.score.Passed < c.score.Trials }

func (c testCase) state() state {
	switch {
	case c.score.Trials == 0 && c.errors > 0:
		return errored
	case c.score.Trials == 0:
		return skipped
	case c.score.Passed == 0, c.score.Rate() < passTag(c.tags):
		return broken
	}
	return passed
}

// cases are the cases of the logs, sorted by subject and scenario.
func (l *Logs) cases() ([]testCase, error) {
	var out []testCase
	at := map[[2]string]int{}
	for _, subject := range l.Subjects() {
		scenarios := l.scenarios(subject)
		for _, name := range slices.Sorted(maps.Keys(scenarios)) {
			at[[2]string{subject, name}] = len(out)
			out = append(out, testCase{subject: subject, scenario: name, scores: scenarios[name]})
		}
	}
	err := l.Each(func(t judge.Trial) error {
		if c := &out[at[[2]string{t.Subject, t.Scenario}]]; t.Outcome != judge.Pass && len(c.notes) < notesMax {
			c.notes = append(c.notes, fmt.Sprintf("trial %d: %s", t.Trial, reason(t)))
		}
		return nil
	})
	return out, err
}

// passTag is the rate of the tag @pass(rate), the highest of several, 0 without it.
func passTag(tags []string) (rate float64) {
	for _, tag := range tags {
		if text, ok := strings.CutPrefix(tag, "@pass("); ok {
			if value, err := strconv.ParseFloat(strings.TrimSuffix(text, ")"), 64); err == nil {
				rate = max(rate, value)
			}
		}
	}
	return rate
}

// reason is why a trial did not pass, in a line.
func reason(t judge.Trial) string {
	what := string(t.Outcome)
	switch t.Outcome {
	case judge.Pass:
		return what
	case judge.Fail:
		what = cmp.Or(t.Class, Unclassified)
	case judge.Excluded:
		what = cmp.Or(t.Class, what)
	}
	if t.Detail == "" {
		return what
	}
	return what + ": " + t.Detail
}

// summary says in a line how often a case passed.
func (c testCase) summary() string {
	text := fmt.Sprintf("%d of %d trials passed", c.score.Passed, c.score.Trials)
	if c.score.Trials == 0 {
		text = "no trial passed or failed"
	}
	if asked := passTag(c.tags); asked > 0 {
		text += fmt.Sprintf(", at least %g asked for", asked)
	}
	if c.errors > 0 {
		text += fmt.Sprintf(", %d errors", c.errors)
	}
	if c.excluded > 0 {
		text += fmt.Sprintf(", %d excluded", c.excluded)
	}
	return text
}

// fileOf is the feature that a scenario's id names: what stands before its last slash.
func fileOf(scenario string) string {
	folder, _ := path.Split(scenario)
	return strings.TrimSuffix(folder, "/")
}
