package steps

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// afterwards is what came of it around the product, and what programs got.
func (w *world) afterwards() bindings {
	return bindings{
		`the conversation is in mode {text}`: func(ctx context.Context, mode string) error {
			return w.modeIs(ctx, http.MethodGet, "", mode)
		},
		`the weather service is asked {count} in all`: func(often string) error {
			return counted("it is asked", len(w.weather.Forecasts()), often)
		},
		`{name} is now {text}`: func(thing, want string) error {
			state, there := w.house.State(thing)
			if !there {
				return fmt.Errorf("the house has no %s", thing)
			}
			return unless(state == want, "%s is %q", thing, state)
		},
		`nothing is done in the house`: func() error {
			if err := w.spoken(); err != nil {
				return err
			}
			return unless(w.done() == "", "done was %s", w.done())
		},
		`all that is done in the house is {name}`: func(service string) error {
			return unless(w.done() == service, "done was %s", w.done())
		},
		`the log mentions {text} {count}`: func(part, often string) error {
			return counted(fmt.Sprintf("of %s it does so", w.instance.Log()), strings.Count(w.instance.Log(), part), often)
		},
		`the response has status {n}`: func(status int) error {
			return unless(w.response.status == status, "the status is %d: %s", w.response.status, w.response.body)
		},
		`the response says:`: w.responseSays,
	}
}

// done are the services of the house that were called, in their order.
func (w *world) done() string {
	var services []string
	for _, call := range w.house.Calls() {
		services = append(services, call.Service)
	}
	return strings.Join(services, ", ")
}

// responseSays compares the fields in the table; there may be others.
func (w *world) responseSays(table *godog.Table) error {
	want, err := pairs(table, "field")
	if err != nil {
		return err
	}
	value, err := scenario.ReadJSON(w.response.body)
	if err != nil {
		return fmt.Errorf("the response is no JSON: %s", w.response.body)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("the response is %s, not an object", w.response.body)
	}
	for field, written := range want {
		if err := scenario.MatchValue(field+" of the response", written, object[field]); err != nil {
			return err
		}
	}
	return nil
}
