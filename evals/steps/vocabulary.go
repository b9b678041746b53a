package steps

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/cucumber/godog"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// bindings are what sentences of the vocabulary do here, by their form. A function takes what varies in the sentence,
// then the table or the text below it. Given sentences decide the world, When sentences act, Then sentences check,
// and the vocabulary keeps to that: a check cannot be smuggled in as a condition.
type bindings map[string]any

// bindings gives the functions of all sentences but those whose meaning the vocabulary has.
func (w *world) bindings() bindings {
	all := bindings{}
	for _, part := range []bindings{
		guarded(w.unstarted, w.settingSentences()), w.worldSentences(),
		w.userSentences(), w.clientSentences(), w.afterwards(),
		guarded(w.spoken, w.answerChecks()), guarded(w.spoken, w.streamChecks()), guarded(w.spoken, w.modelChecks()),
		guarded(w.spoken, w.callChecks()), guarded(w.spoken, w.dialogueChecks()), guarded(w.spoken, w.workflowChecks()),
	} {
		maps.Copy(all, part)
	}
	return all
}

// guarded gives functions that do nothing but fail where guard does.
func guarded(guard func() error, all bindings) bindings {
	failure := reflect.TypeFor[error]()
	for form, do := range all {
		inner := reflect.ValueOf(do)
		takes := []reflect.Type{}
		for kind := range inner.Type().Ins() {
			takes = append(takes, kind)
		}
		outer := reflect.FuncOf(takes, []reflect.Type{failure}, false)
		all[form] = reflect.MakeFunc(outer, func(args []reflect.Value) []reflect.Value {
			if err := guard(); err != nil {
				return []reflect.Value{reflect.ValueOf(err)}
			}
			if got := inner.Call(args); len(got) > 0 {
				return got
			}
			return []reflect.Value{reflect.Zero(failure)}
		}).Interface()
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
	if err := w.spoken(); err != nil {
		return err
	}
	var expected scenario.Expect
	if err := form.Expect(&expected, step); err != nil {
		return err
	}
	calls := w.trace().ToolCalls
	got := judge.Observed{Answer: w.answer()}
	for _, call := range calls {
		got.Calls = append(got.Calls, judge.Call{Name: call.Name, Arguments: call.Arguments})
	}
	if v := judge.Stated(expected, got); !v.Pass() {
		return fmt.Errorf("%s: %s; there are %d calls: %s; the answer is %q", v.Class, v.Detail,
			len(calls), callsText(calls), got.Answer)
	}
	return nil
}

// unless is an error where what must hold does not.
func unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// counted compares how often something happened with what a sentence says.
func counted(what string, got int, often string) error {
	n, err := scenario.ReadCount(often)
	if err != nil {
		return err
	}
	return unless(got == n, "%s %d times", what, got)
}

// cells are what stands in a table.
func cells(table *godog.Table) [][]string {
	var out [][]string
	for _, row := range table.Rows {
		var one []string
		for _, cell := range row.Cells {
			one = append(one, cell.Value)
		}
		out = append(out, one)
	}
	return out
}

func rows(table *godog.Table, known ...string) ([]map[string]string, error) {
	return scenario.Rows(cells(table), known...)
}

func pairs(table *godog.Table, name string) (map[string]string, error) {
	return scenario.Pairs(cells(table), name)
}
