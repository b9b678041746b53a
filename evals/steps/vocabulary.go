package steps

import "github.com/cucumber/godog"

// This file is the vocabulary: every sentence that a scenario may use, beside what it does. A sentence has one meaning;
// one that fits two patterns fails its scenario. Given sentences decide the world, When sentences act, Then sentences
// check, and the patterns keep to that: a check cannot be smuggled in as a condition.

// How the patterns say what varies.
const (
	text  = `"([^"]*)"`
	name  = `([A-Za-z_][A-Za-z0-9_.-]*)`
	count = `(never|once|twice|\d+ times)`
)

// sentence is one entry of the vocabulary.
type sentence struct {
	pattern string // without ^ and $
	do      any    // takes what the pattern captures, then a table or a text where the sentence ends with a colon
}

// define gives the vocabulary to one scenario.
func define(sc *godog.ScenarioContext, w *world) {
	for _, part := range [][]sentence{w.settingSentences(), w.weatherSentences(), w.modelSentences(), w.modelTroubles()} {
		for _, s := range part {
			sc.Given("^"+s.pattern+"$", s.do)
		}
	}
	for _, part := range [][]sentence{w.userSentences(), w.clientSentences()} {
		for _, s := range part {
			sc.When("^"+s.pattern+"$", s.do)
		}
	}
	for _, part := range [][]sentence{
		w.answerChecks(), w.streamChecks(), w.modelChecks(), w.callChecks(), w.resultChecks(), w.responseChecks(),
	} {
		for _, s := range part {
			sc.Then("^"+s.pattern+"$", s.do)
		}
	}
}
