package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cucumber/godog"
)

// dialogueSentences are about modes, workflows and questions that wait for a yes.
func (w *world) dialogueSentences() bindings {
	return bindings{
		`conversations begin in mode {text}`: func(mode string) error {
			return w.configure(func(s *Settings) { s.Mode = mode })
		},
		`the conversation is put into mode {text}`: func(ctx context.Context, mode string) error {
			body, err := json.Marshal(map[string]string{"mode": mode})
			if err != nil {
				return err
			}
			return w.modeIs(ctx, http.MethodPut, body, mode)
		},
		`the conversation is in mode {text}`: func(ctx context.Context, mode string) error {
			return w.modeIs(ctx, http.MethodGet, nil, mode)
		},
		`the turn is in mode {text}`: func(mode string) error {
			current, err := w.lastTurn()
			if err == nil && current.reply.Trace.Mode != mode {
				err = fmt.Errorf("it is in mode %q", current.reply.Trace.Mode)
			}
			return err
		},
		`the router's reason mentions {text}`: func(part string) error {
			current, err := w.lastTurn()
			if err == nil && !strings.Contains(current.reply.Trace.Route.Reason, part) {
				err = fmt.Errorf("the reason is %q", current.reply.Trace.Route.Reason)
			}
			return err
		},
		`the workflow {name} is in phase {phase}`: func(flow, phase string) error {
			open, err := w.workflow()
			if err == nil && (open.Name != flow || open.Phase != phase) {
				err = fmt.Errorf("it is %s in phase %s", open.Name, open.Phase)
			}
			return err
		},
		`the workflow knows:`: w.workflowKnows,
		`the turn belongs to no workflow`: func() error {
			current, err := w.lastTurn()
			if err == nil && current.reply.Trace.Workflow != nil {
				err = fmt.Errorf("it belongs to %+v", *current.reply.Trace.Workflow)
			}
			return err
		},
		`{tool} is called for {today|tomorrow} at {text}`: w.calledFor,
		`a yes is waited for, to call {tool}`: func(tool string) error {
			approval, err := w.approval()
			switch {
			case err != nil:
				return err
			case approval == nil:
				return errors.New("nothing waits for a yes")
			case approval.Tool != tool || approval.Question == "" || !approval.Expires.After(w.now()):
				return fmt.Errorf("what waits is %+v", *approval)
			}
			return nil
		},
		`no yes is waited for`: func() error {
			approval, err := w.approval()
			if err == nil && approval != nil {
				err = fmt.Errorf("there is one for %+v", *approval)
			}
			return err
		},
	}
}

// modeIs asks for the mode of the scenario's conversation, or sets it, and compares the answer.
func (w *world) modeIs(ctx context.Context, method string, body []byte, mode string) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	got, err := w.ask(ctx, method, "/conversation/"+defaultConversation+"/mode", nil, body)
	if err != nil {
		return err
	}
	if got.status != http.StatusOK {
		return fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	var answer struct{ Mode string }
	if err := json.Unmarshal(got.body, &answer); err != nil || answer.Mode != mode {
		return fmt.Errorf("the product answered %s", got.body)
	}
	return nil
}

// workflow is the one that the last turn belongs to.
func (w *world) workflow() (*workflowTrace, error) {
	current, err := w.lastTurn()
	if err != nil {
		return nil, err
	}
	if current.reply.Trace.Workflow == nil {
		return nil, errors.New("the turn belongs to no workflow")
	}
	return current.reply.Trace.Workflow, nil
}

// workflowKnows compares the fields in the table; there may be others.
func (w *world) workflowKnows(table *godog.Table) error {
	want, err := pairs(table, "field")
	if err != nil {
		return err
	}
	open, err := w.workflow()
	if err != nil {
		return err
	}
	for field, value := range want {
		if open.Fields[field] != value {
			return fmt.Errorf("%s is %q, not %q, among %v", field, open.Fields[field], value, open.Fields)
		}
	}
	return nil
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
	if arguments.Time != clock || arguments.Date != allowed[0] && arguments.Date != allowed[1] {
		return fmt.Errorf("it is called for %s at %s", arguments.Date, arguments.Time)
	}
	return nil
}

// approval is the call that waits for a yes after the last turn, nil when there is none.
func (w *world) approval() (*approvalView, error) {
	current, err := w.lastTurn()
	if err != nil {
		return nil, err
	}
	return current.reply.Extra.Approval, nil
}
