package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// callChecks are about the tool calls of the last turn.
func (w *world) callChecks() bindings {
	only := func(check func(call run.TraceCall, want string) error) func(tool, want string) error {
		return func(tool, want string) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return check(call, want)
		}
	}
	return bindings{
		`{tool} is repaired by {name}`: only(func(call run.TraceCall, repair string) error {
			return unless(slices.Contains(call.Repaired, repair), "the repairs are %q", call.Repaired)
		}),
		`the result of {tool} is {new|reused}`: only(func(call run.TraceCall, want string) error {
			return unless(call.Cached == (want == "reused"), "cached is %t", call.Cached)
		}),
		`{tool} fails with {text}`: only(failsWith),
		`call {n} fails with {text}`: func(n int, message string) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return failsWith(call, message)
		},
		`{tool} answers:`: func(tool string, table *godog.Table) error {
			call, err := w.onlyCall(tool)
			if err != nil {
				return err
			}
			return answers(call, table)
		},
		`call {n} is answered:`: func(n int, table *godog.Table) error {
			call, err := w.call(n)
			if err != nil {
				return err
			}
			return answers(call, table)
		},
		`{tool} is called for {today|tomorrow} at {text}`: w.calledFor,
	}
}

// onlyCall is the last turn's one call of a tool: where there are more, a scenario speaks of them by number.
func (w *world) onlyCall(tool string) (run.TraceCall, error) {
	list := slices.DeleteFunc(slices.Clone(w.trace().ToolCalls), func(c run.TraceCall) bool { return c.Name != tool })
	if len(list) != 1 {
		return run.TraceCall{}, fmt.Errorf("there are %d calls of %s", len(list), tool)
	}
	return list[0], nil
}

// call is the last turn's n-th call, in the order in which the model made them.
func (w *world) call(n int) (run.TraceCall, error) {
	list := w.trace().ToolCalls
	if n < 1 || n > len(list) {
		return run.TraceCall{}, fmt.Errorf("there are %d calls: %s", len(list), callsText(list))
	}
	return list[n-1], nil
}

func failsWith(c run.TraceCall, message string) error {
	return scenario.MatchObject("the result of "+c.Name, map[string]string{"error": message}, c.Result)
}

func answers(c run.TraceCall, table *godog.Table) error {
	want, err := pairs(table, "field")
	if err != nil {
		return err
	}
	return scenario.MatchObject("the result of "+c.Name, want, c.Result)
}

func callsText(list []run.TraceCall) string {
	var out []string
	for _, call := range list {
		out = append(out, call.Name+string(call.Arguments))
	}
	return strings.Join(out, ", ")
}

// calledFor checks the day and the time of the only call of a tool, in UTC.
func (w *world) calledFor(tool, day, clock string) error {
	call, err := w.onlyCall(tool)
	if err != nil {
		return err
	}
	var arguments struct{ Date, Time string }
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
		return err
	}
	days := map[string]int{"today": 0, "tomorrow": 1}[day]
	var allowed []string
	for _, now := range []time.Time{w.now(), w.now().Add(-time.Minute)} { // midnight may have passed since it was said
		allowed = append(allowed, now.UTC().AddDate(0, 0, days).Format(time.DateOnly))
	}
	holds := arguments.Time == clock && slices.Contains(allowed, arguments.Date)
	return unless(holds, "it is called for %s at %s", arguments.Date, arguments.Time)
}

// dialogueChecks are about modes, workflows and questions that wait for a yes.
func (w *world) dialogueChecks() bindings {
	return bindings{
		`the turn is in mode {text}`: func(mode string) error { return scenario.MatchText("the mode", mode, w.trace().Mode) },
		`the router's reason mentions {text}`: func(part string) error {
			reason := w.trace().Route.Reason
			return unless(strings.Contains(reason, part), "the reason is %q", reason)
		},
		`the turn belongs to no workflow`: func() error {
			return unless(w.trace().Workflow == nil, "it belongs to %+v", w.trace().Workflow)
		},
		`a yes is waited for, to call {tool}`: func(tool string) error {
			approval := w.last.reply.Extra.Approval
			if approval == nil {
				return errors.New("nothing waits for a yes")
			}
			holds := approval.Tool == tool && approval.Question != "" && approval.Expires.After(w.now())
			return unless(holds, "what waits is %+v", *approval)
		},
		`no yes is waited for`: func() error {
			approval := w.last.reply.Extra.Approval
			return unless(approval == nil, "there is one for %+v", approval)
		},
	}
}

// workflowChecks are about the workflow that the last turn belongs to.
func (w *world) workflowChecks() bindings {
	return guarded(w.inWorkflow, bindings{
		`the workflow {name} is in phase {phase}`: func(flow, phase string) error {
			open := w.trace().Workflow
			return unless(open.Name == flow && open.Phase == phase, "it is %s in phase %s", open.Name, open.Phase)
		},
		`the workflow knows:`: w.workflowKnows,
	})
}

// inWorkflow fails where the last turn belongs to no workflow.
func (w *world) inWorkflow() error {
	return unless(w.trace().Workflow != nil, "the turn belongs to no workflow")
}

// workflowKnows compares the fields in the table; there may be others.
func (w *world) workflowKnows(table *godog.Table) error {
	want, err := pairs(table, "field")
	if err != nil {
		return err
	}
	open := w.trace().Workflow
	for field, value := range want {
		if open.Fields[field] != value {
			return fmt.Errorf("%s is %q, not %q, among %v", field, open.Fields[field], value, open.Fields)
		}
	}
	return nil
}
