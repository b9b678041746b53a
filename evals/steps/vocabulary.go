package steps

import (
	"slices"

	"github.com/cucumber/godog"
)

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

// vocabulary lists what may be said, by keyword.
func (w *world) vocabulary() (given, when, then []sentence) {
	return slices.Concat(w.settingSentences(), w.weatherSentences(), w.houseSentences(), w.customerSentences(), w.modelSentences(), w.modelTroubles(), w.contextSettings(), w.dialogueSettings(), w.agendaSettings()),
		slices.Concat(w.userSentences(), w.clientSentences(), w.contextDoings(), w.dialogueDoings(), w.agendaDoings()),
		slices.Concat(w.answerChecks(), w.streamChecks(), w.modelChecks(), w.callChecks(), w.resultChecks(), w.responseChecks(), w.contextChecks(),
			w.dialogueChecks(), w.houseChecks())
}

// define gives the vocabulary to one scenario.
func define(sc *godog.ScenarioContext, w *world) {
	given, when, then := w.vocabulary()
	for _, s := range given {
		sc.Given("^"+s.pattern+"$", s.do)
	}
	for _, s := range when {
		sc.When("^"+s.pattern+"$", s.do)
	}
	for _, s := range then {
		sc.Then("^"+s.pattern+"$", s.do)
	}
}
