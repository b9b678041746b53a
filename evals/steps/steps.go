// Package steps runs the scenarios of features against a product: it plays the person, the language model and the
// weather service, and knows the product by its URL only, so that the same scenarios can judge another one.
package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/cucumber/godog"
)

// Options say what to run, and against what.
type Options struct {
	// Features holds the .feature files.
	Features fs.FS
	// Product starts what is judged, once for each scenario.
	Product Product
	// Tags selects scenarios, as in "@history && ~@slow"; empty is all.
	Tags string
	// Concurrency is how many scenarios run at once; below 1 is 1.
	Concurrency int
}

// Outcome is what became of one scenario.
type Outcome struct {
	Feature string // path of the file
	Name    string
	Tags    []string
	Err     error  // nil when it passed
	Step    string // the step that failed; empty when what failed is the end of the scenario
	Log     string // what the product logged, of a scenario that failed
}

// Run runs the scenarios that Tags selects and returns what became of each, in no particular order.
//
// It fails when the run itself says nothing: when the features cannot be read, when no scenario was executed, when
// two have the same name, when godog counts a failure that no outcome shows. A step that is undefined or ambiguous
// fails its scenario.
func Run(ctx context.Context, options Options) ([]Outcome, error) {
	results := &results{}
	suite := godog.TestSuite{
		Name: "features",
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			w := newWorld(options.Product)
			define(sc, w)
			w.follow(sc, results)
		},
		Options: &godog.Options{
			Format: "progress", Output: io.Discard, NoColors: true, Strict: true,
			FS: options.Features, Paths: []string{"."}, Tags: options.Tags,
			Concurrency: options.Concurrency, DefaultContext: ctx,
		},
	}
	status := suite.Run()
	return results.outcomes, results.check(status)
}

// results collects the outcomes of scenarios that may run at once.
type results struct {
	mu       sync.Mutex
	outcomes []Outcome // guarded by mu
}

func (r *results) add(outcome Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, outcome)
}

// check says whether the outcomes are all there is to know about a run that ended with godog's status.
func (r *results) check(status int) error {
	if len(r.outcomes) == 0 {
		return fmt.Errorf("no scenario was executed (godog ended with status %d)", status)
	}
	var problems []error
	seen, failed := map[string]string{}, 0
	for _, outcome := range r.outcomes {
		if other, ok := seen[outcome.Name]; ok {
			problems = append(problems, fmt.Errorf("two scenarios are called %q, in %s and %s: of an outline, "+
				"put a column into the name", outcome.Name, other, outcome.Feature))
		}
		seen[outcome.Name] = outcome.Feature
		if outcome.Err != nil {
			failed++
		}
	}
	if (status != 0) != (failed > 0) {
		problems = append(problems, fmt.Errorf("godog ended with status %d, but %d of %d scenarios failed: "+
			"is there one without steps?", status, failed, len(r.outcomes)))
	}
	return errors.Join(problems...)
}

// follow notes the step that fails, ends the world after its last step and adds the outcome.
func (w *world) follow(sc *godog.ScenarioContext, results *results) {
	failedStep := ""
	type after = context.Context
	sc.StepContext().After(func(ctx after, step *godog.Step, _ godog.StepResultStatus, err error) (after, error) {
		if err != nil && failedStep == "" {
			failedStep = step.Text
		}
		return ctx, nil
	})
	sc.After(func(ctx context.Context, scenario *godog.Scenario, err error) (context.Context, error) {
		log := ""
		if w.started() {
			log = w.instance.Log()
		}
		closing := w.close()
		outcome := Outcome{
			Feature: scenario.Uri, Name: scenario.Name, Step: failedStep, Err: errors.Join(err, closing),
		}
		for _, tag := range scenario.Tags {
			outcome.Tags = append(outcome.Tags, tag.Name)
		}
		if outcome.Err != nil {
			outcome.Log = strings.TrimSpace(log)
		}
		results.add(outcome)
		return ctx, closing
	})
}
