package steps

import (
	"fmt"
	"maps"

	"github.com/cucumber/godog"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// bindings are what sentences of the vocabulary do here, by their form. A function takes what varies in the sentence, then
// the table or the text below it. Given sentences decide the world, When sentences act, Then sentences check, and the
// vocabulary keeps to that: a check cannot be smuggled in as a condition.
type bindings map[string]any

// bindings gives the functions of all sentences but those whose meaning the vocabulary has.
func (w *world) bindings() bindings {
	all := bindings{}
	for _, part := range []bindings{
		w.settingSentences(), w.weatherSentences(), w.houseSentences(), w.customerSentences(), w.agendaSentences(),
		w.contextSentences(), w.userSentences(), w.clientSentences(), w.dialogueSentences(),
		w.answerChecks(), w.streamChecks(), w.modelChecks(), w.callChecks(), w.resultChecks(), w.responseChecks(),
	} {
		maps.Copy(all, part)
	}
	return all
}

// define gives the vocabulary to one scenario.
func define(sc *godog.ScenarioContext, w *world) {
	own := w.bindings()
	for _, form := range scenario.Forms() {
		if !form.Product {
			continue
		}
		do, pattern := own[form.Form], form.Pattern()
		if do == nil {
			do, pattern = w.shared(form)
		}
		switch form.Keyword {
		case "Given":
			sc.Given(pattern, do)
		case "When":
			sc.When(pattern, do)
		default:
			sc.Then(pattern, do)
		}
	}
}

// shared binds a form that means the same wherever it stands: the model's part, and what is expected of a turn.
func (w *world) shared(form scenario.Form) (do any, pattern string) {
	meaning := func(step scenario.Step) error {
		if form.Plays() {
			return form.Play(&w.script, step)
		}
		return w.expect(form, step)
	}
	switch form.Below {
	case "table":
		do = func(text string, table *godog.Table) error {
			return meaning(scenario.Step{Text: text, Table: cells(table)})
		}
	case "text":
		do = func(text string, doc *godog.DocString) error {
			return meaning(scenario.Step{Text: text, Doc: &doc.Content})
		}
	default:
		do = func(text string) error { return meaning(scenario.Step{Text: text}) }
	}
	return do, form.WholePattern()
}

// expect judges the last turn by one sentence.
func (w *world) expect(form scenario.Form, step scenario.Step) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	var expected scenario.Expect
	if err := form.Expect(&expected, step); err != nil {
		return err
	}
	got := judge.Observed{Answer: current.reply.ResponseText}
	for _, call := range current.reply.Trace.ToolCalls {
		got.Calls = append(got.Calls, judge.Call{Name: call.Name, Arguments: call.Arguments})
	}
	if v := judge.Stated(expected, got); !v.Pass() {
		return fmt.Errorf("%s: %s; there are %d calls: %s; the answer is %q", v.Class, v.Detail, len(got.Calls),
			callsText(current.reply.Trace.ToolCalls), got.Answer)
	}
	return nil
}
