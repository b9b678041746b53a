package steps

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/doubles"
)

// homeToken is what the product is told to show at the door of the house.
const homeToken = "token-of-the-house"

// houseSentences are about the house that Home Assistant runs, and what became of it.
func (w *world) houseSentences() bindings {
	return bindings{
		`the house has:`:                 w.furnish,
		`Home Assistant is out of order`: func() { w.house.Fail(http.StatusServiceUnavailable) },
		`Home Assistant takes no token`:  func() { w.house.Fail(http.StatusUnauthorized) },
		`the house is in {text}`: func(place string) error {
			return w.configure(func(s *Settings) { s.HomeLocation = place })
		},
		`{name} is now {text}`: func(thing, want string) error {
			state, there := w.house.State(thing)
			switch {
			case !there:
				return fmt.Errorf("the house has no %s", thing)
			case state != want:
				return fmt.Errorf("%s is %q", thing, state)
			}
			return nil
		},
		`nothing is done in the house`: func() error {
			if _, err := w.lastTurn(); err != nil {
				return err
			}
			if done := w.done(); len(done) > 0 {
				return errors.New("done was " + strings.Join(done, ", "))
			}
			return nil
		},
		`all that is done in the house is {name}`: func(service string) error {
			if done := w.done(); len(done) != 1 || done[0] != service {
				return fmt.Errorf("done was %s", strings.Join(done, ", "))
			}
			return nil
		},
	}
}

// furnish reads things, which Home Assistant calls entities; a class is what it calls the class of a device.
func (w *world) furnish(table *godog.Table) error {
	list, err := rows(table, "thing", "name", "state", "class?")
	if err != nil {
		return err
	}
	for _, row := range list {
		thing := doubles.Entity{ID: row["thing"], Name: row["name"], State: row["state"]}
		if row["class"] != "" {
			thing.Attributes = map[string]any{"device_class": row["class"]}
		}
		w.house.Put(thing)
	}
	if w.settings.HomeToken != "" {
		return nil
	}
	return w.configure(func(s *Settings) { s.HomeToken = homeToken })
}

// done are the services that were called, in their order.
func (w *world) done() []string {
	var services []string
	for _, call := range w.house.Calls() {
		services = append(services, call.Service)
	}
	return services
}
