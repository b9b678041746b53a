package steps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// callChecks are about the tool calls of the last turn.
func (w *world) callChecks() bindings {
	return bindings{
		`{tool} is repaired by {name}`: func(tool, repair string) error {
			call, err := w.onlyCall(tool)
			if err == nil && !slices.Contains(call.Repaired, repair) {
				err = fmt.Errorf("the repairs are %q", call.Repaired)
			}
			return err
		},
	}
}

// resultChecks are about what tools answered in the last turn, and what the weather service was asked in all.
func (w *world) resultChecks() bindings {
	return bindings{
		`{tool} answers:`: func(tool string, table *godog.Table) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return resultIs(call, table)
		},
		`call {n} is answered:`: func(n int, table *godog.Table) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return resultIs(call, table)
		},
		`{tool} fails with {text}`: func(tool, message string) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return scenario.MatchObject("the result of "+tool, map[string]string{"error": message}, call.Result)
		},
		`call {n} fails with {text}`: func(n int, message string) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return scenario.MatchObject(fmt.Sprintf("the result of call %d", n), map[string]string{"error": message}, call.Result)
		},
		`the result of {tool} is {new|reused}`: func(tool, want string) error {
			call, err := w.onlyCall(tool)
			if err == nil && call.Cached != (want == "reused") {
				err = fmt.Errorf("cached is %t", call.Cached)
			}
			return err
		},
		`the weather service is asked {count} in all`: func(often string) error {
			n, err := scenario.ReadCount(often)
			if got := len(w.weather.Forecasts()); err == nil && got != n {
				err = fmt.Errorf("it is asked %d times", got)
			}
			return err
		},
	}
}

// callsOf is the last turn's calls of a tool; an empty name is all tools.
func (w *world) callsOf(tool string) ([]toolCall, error) {
	current, err := w.lastTurn()
	if err != nil {
		return nil, err
	}
	var out []toolCall
	for _, call := range current.reply.Trace.ToolCalls {
		if tool == "" || call.Name == tool {
			out = append(out, call)
		}
	}
	return out, nil
}

// onlyCall is the last turn's one call of a tool: where there are more, a scenario speaks of them by number.
func (w *world) onlyCall(tool string) (toolCall, error) {
	list, err := w.callsOf(tool)
	if err != nil {
		return toolCall{}, err
	}
	if len(list) != 1 {
		return toolCall{}, fmt.Errorf("there are %d calls of %s", len(list), tool)
	}
	return list[0], nil
}

// call is the last turn's n-th call, in the order in which the model made them.
func (w *world) call(n int) (toolCall, error) {
	list, err := w.callsOf("")
	if err != nil {
		return toolCall{}, err
	}
	if n < 1 || n > len(list) {
		return toolCall{}, fmt.Errorf("there are %d calls: %s", len(list), callsText(list))
	}
	return list[n-1], nil
}

func resultIs(call toolCall, table *godog.Table) error {
	want, err := pairs(table, "field")
	if err != nil {
		return err
	}
	return scenario.MatchObject("the result of "+call.Name, want, call.Result)
}

func callsText(list []toolCall) string {
	var out []string
	for _, call := range list {
		out = append(out, fmt.Sprintf("%s%s", call.Name, call.Arguments))
	}
	return strings.Join(out, ", ")
}
