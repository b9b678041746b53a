package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

// workflowStepsMax bounds the steps of a workflow in one turn: a text and the results of a few calls.
const workflowStepsMax = 8

// WorkflowTrace is where a workflow stands after a turn.
type WorkflowTrace struct {
	Name   string            `json:"name"`
	Phase  string            `json:"phase"` // in capitals
	Fields map[string]string `json:"fields"`
}

// traceOf shows a workflow that is open or has just ended, nil when there is none.
func traceOf(state workflow.State) *WorkflowTrace {
	if state.Flow == "" {
		return nil
	}
	trace := &WorkflowTrace{Name: state.Flow, Phase: state.Phase, Fields: make(map[string]string, len(state.Fields))}
	for name, field := range state.Fields {
		trace.Fields[name] = field.Value
	}
	return trace
}

// dialogue is a turn's part in workflows.
type dialogue struct {
	flows      *workflow.Flows // nil where workflows take no part
	state      workflow.State  // of the workflow that is open, or has just ended
	others     []string        // the workflows that the text may open
	digressing bool            // an open workflow has left the text to others
}

// read takes the workflow that a conversation carries over.
func (d *dialogue) read(stored json.RawMessage) error {
	if len(stored) == 0 {
		return nil
	}
	return json.Unmarshal(stored, &d.state)
}

// enter makes state the workflow's, and returns what the conversation carries of it: nothing where it has ended.
func (d *dialogue) enter(state workflow.State) json.RawMessage {
	d.state = state
	if !state.Open() {
		return nil
	}
	encoded, err := json.Marshal(state)
	if err != nil { // texts, numbers and times always have a JSON form
		panic(err)
	}
	return encoded
}

// openable lists the workflows that a text may open: the mode's, where all their tools are there.
func (d *dialogue) openable(mode *route.Mode, tools []string) []string {
	found := []string{}
	for _, name := range d.flows.Names() {
		isMissing := func(tool string) bool { return !slices.Contains(tools, tool) }
		if mode.HasWorkflow(name) && !slices.ContainsFunc(d.flows.Get(name).Tools(), isMissing) {
			found = append(found, name)
		}
	}
	return found
}

// trigger finds the workflow that a text opens, for the router.
func (d *dialogue) trigger(text, language string) (name, reason string) {
	flow, reason := d.flows.Opened(text, language, d.others)
	if flow == nil {
		return "", ""
	}
	return flow.Name(), reason
}

// openWorkflow reads the workflow that the conversation carries. One that cannot be read is forgotten: the person can
// begin it again.
func (t *turn) openWorkflow() {
	if t.opts.Strategy.opensWorkflows() {
		t.dialogue.flows = t.opts.Workflows()
	}
	if err := t.dialogue.read(t.record.state.Workflow); err != nil {
		t.opts.Log.Warn("the workflow of a conversation cannot be read and is forgotten",
			"conversation", t.record.id, "error", err)
		t.record.state.Workflow = t.dialogue.enter(workflow.State{})
	}
}

// input is a text as workflows read it.
func (t *turn) input(text, language string) workflow.Input {
	return workflow.Input{
		Text: text, Language: language, Country: t.request.country(t.opts.Country), Now: t.opts.Now(),
		Others: t.dialogue.others,
	}
}

// followWorkflow takes the turn by the workflow of decision, from the person's text to the next word to the person.
// Where it leaves the text to others, or has ended by itself, they answer.
func (t *turn) followWorkflow(ctx context.Context, decision route.Decision) {
	input := t.input(t.text, t.request.Language)
	input.Start = !t.dialogue.state.Open()
	machine := loop.New(t.opts.Limits, nil)
	for range workflowStepsMax {
		state, action := workflow.Step(t.dialogue.flows.Get(decision.Workflow), t.dialogue.state, input)
		t.record.state.Workflow = t.dialogue.enter(state)
		if action.Reason != "" {
			t.route.Reason = decision.Reason + "; " + action.Reason
		}
		switch action.Kind {
		case workflow.CallTool:
			machine = t.callForWorkflow(ctx, machine, *action.Call)
			if t.outcome.Failure != nil {
				return
			}
			result := t.outcome.Results[0]
			input = workflow.Input{
				Language: input.Language, Country: input.Country, Now: t.opts.Now(),
				Result: &workflow.Result{Content: result.Content, Failed: result.Failed},
			}
		case workflow.Digression:
			t.answerDigression(ctx, action.Reply)
			return
		case workflow.Expired:
			t.record.state.Workflow = t.dialogue.enter(workflow.State{})
			t.record.conversation.State.Workflow = nil // which may have kept the mode
			t.enterMode()
			t.answer(ctx)
			return
		default:
			t.say(ctx, machine, action.Reply, phrasing{action.Facts, t.opts.PhraseTime})
			return
		}
	}
	t.fail(loop.KindInternal, fmt.Errorf("workflow %s asked for %d calls", decision.Workflow, workflowStepsMax))
}

// callForWorkflow runs a call. A confirmed one carries the person's yes and is not asked for again; one that needs none
// is refused where its tool asks. The state of one that acts is committed first, which notes the call, and the client's
// leaving does not stop it.
func (t *turn) callForWorkflow(ctx context.Context, machine loop.Machine, asked workflow.Call) loop.Machine {
	tools := t.tools()
	tools.unasked = "needs a yes before the workflow may look"
	if asked.Confirmed || asked.Unasked {
		if !t.commitState(ctx, "note the workflow's call") {
			return machine
		}
		var release func()
		ctx, release = t.unlessAbandoned(ctx)
		defer release()
		tools.unasked, tools.journal, t.record.keep = "", nil, true
	}
	if asked.Unasked {
		tools.unasked = "needs a yes, for which this workflow does not ask"
	}
	call := loop.Call{ID: "workflow", Name: asked.Tool, Arguments: string(asked.Arguments)}
	return t.drive(ctx, tools, machine, loop.Event{
		Kind: loop.Start, Proposed: []loop.Proposed{{Call: call, Approved: asked.Confirmed}}, CallerWords: true,
	})
}

// unlessAbandoned is ctx without its end, but for that of the service.
func (s *Service) unlessAbandoned(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(s.base, func() { cancel(ErrStopping) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// answerDigression lets the router's other stages answer a text that is not for the open workflow, whose question is
// then asked again. Where nobody can answer, it says so: the workflow goes on in any case.
func (t *turn) answerDigression(ctx context.Context, question string) {
	reason := t.route.Reason
	t.dialogue.digressing = true
	offered, decision := t.decide()
	t.route.Reason = reason + "; " + decision.Reason
	t.route.ToolsOffered = names(offered)
	t.answerBy(ctx, offered, decision)
	switch failure := t.outcome.Failure; {
	case t.outcome.Cause != "":
		return
	case failure != nil:
		t.route.Reason += fmt.Sprintf("; it failed (%s)", failure.Kind)
		t.opts.Log.Warn("a question beside a workflow has no answer",
			"conversation", t.record.id, "kind", failure.Kind, "error", failure.Message)
		t.outcome.Failure, t.outcome.Text = nil, t.sentence("no_answer_now")
	case decision.Stage == route.StageNone:
		t.outcome.Text = t.sentence("no_answer")
	}
	t.outcome.Text = strings.TrimSpace(t.outcome.Text + " " + question)
}
