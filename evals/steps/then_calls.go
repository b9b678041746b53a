package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// callChecks are about the tool calls of the last turn.
func (w *world) callChecks() []sentence {
	return []sentence{
		{`no tool is called`, func() error { return w.callsMade("", "never") }},
		{`tools are called ` + count + ` in all`, func(often string) error { return w.callsMade("", often) }},
		{name + ` is called ` + count, w.callsMade},
		{name + ` is called with no arguments`, func(tool string) error { return w.calledWith(tool, nil) }},
		{name + ` is called with ` + name + ` ` + text, func(tool, argument, value string) error {
			return w.calledWith(tool, map[string]string{argument: value})
		}},
		{name + ` is called with ` + name + ` one of ((?:` + text + `(?:, | or )?)+)`, w.calledWithOneOf},
		{name + ` is called with:`, func(tool string, table *godog.Table) error {
			want, err := pairs(table, "argument")
			if err != nil {
				return err
			}
			return w.calledWith(tool, want)
		}},
		{name + ` is repaired by ` + name, func(tool, repair string) error {
			call, err := w.onlyCall(tool)
			if err == nil && !slices.Contains(call.Repaired, repair) {
				err = fmt.Errorf("the repairs are %q", call.Repaired)
			}
			return err
		}},
		{`the calls are:`, w.callsAre},
	}
}

// resultChecks are about what tools answered in the last turn, and what the weather service was asked in all.
func (w *world) resultChecks() []sentence {
	return []sentence{
		{name + ` answers:`, func(tool string, table *godog.Table) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return resultIs(call, table)
		}},
		{`call (\d+) is answered:`, func(n int, table *godog.Table) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return resultIs(call, table)
		}},
		{name + ` fails with ` + text, func(tool, message string) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return scenario.MatchObject("the result of "+tool, map[string]string{"error": message}, call.Result)
		}},
		{`call (\d+) fails with ` + text, func(n int, message string) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return scenario.MatchObject(fmt.Sprintf("the result of call %d", n), map[string]string{"error": message}, call.Result)
		}},
		{`the result of ` + name + ` is (new|reused)`, func(tool, want string) error {
			call, err := w.onlyCall(tool)
			if err == nil && call.Cached != (want == "reused") {
				err = fmt.Errorf("cached is %t", call.Cached)
			}
			return err
		}},
		{`the weather service is asked ` + count + ` in all`, func(often string) error {
			n, err := scenario.ReadCount(often)
			if got := len(w.weather.Forecasts()); err == nil && got != n {
				err = fmt.Errorf("it is asked %d times", got)
			}
			return err
		}},
	}
}

// callsMade counts the last turn's calls of a tool; an empty name is all tools.
func (w *world) callsMade(tool, often string) error {
	n, err := scenario.ReadCount(often)
	if err != nil {
		return err
	}
	list, err := w.callsOf(tool)
	if err == nil && len(list) != n {
		err = fmt.Errorf("there are %d calls: %s", len(list), callsText(list))
	}
	return err
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

// calledWith checks that one of the calls of a tool has exactly the arguments.
func (w *world) calledWith(tool string, arguments map[string]string) error {
	list, err := w.callsOf(tool)
	if err != nil {
		return err
	}
	var problems []error
	for _, call := range list {
		err := scenario.MatchObject("arguments of "+tool, arguments, call.Arguments)
		if err == nil {
			return nil
		}
		problems = append(problems, err)
	}
	if len(list) == 0 {
		return fmt.Errorf("there is no call of %s", tool)
	}
	return errors.Join(problems...)
}

func (w *world) calledWithOneOf(tool, argument, list, _ string) error {
	var problems []error
	for _, value := range scenario.Quoted(list) {
		err := w.calledWith(tool, map[string]string{argument: value})
		if err == nil {
			return nil
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// callsAre compares all calls of the last turn, in their order.
func (w *world) callsAre(table *godog.Table) error {
	want, err := calls(table)
	if err != nil {
		return err
	}
	got, err := w.callsOf("")
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("there are %d calls, not %d: %s", len(got), len(want), callsText(got))
	}
	for i, call := range got {
		if call.Name != want[i].Tool {
			return fmt.Errorf("call %d is of %s, not of %s", i+1, call.Name, want[i].Tool)
		}
		if err := scenario.MatchObject(fmt.Sprintf("arguments of call %d", i+1), want[i].Arguments, call.Arguments); err != nil {
			return err
		}
	}
	return nil
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
