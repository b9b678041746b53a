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

// openWorkflow reads the workflow that the conversation carries. One that cannot be read is forgotten: the person can
// begin it again.
func (t *turn) openWorkflow() {
	if t.opts.Workflows != nil && t.opts.Strategy.opensWorkflows() {
		t.flows = t.opts.Workflows()
	}
	if len(t.state.Workflow) == 0 {
		return
	}
	if err := json.Unmarshal(t.state.Workflow, &t.dialogue); err != nil {
		t.opts.Log.Warn("the workflow of a conversation cannot be read and is forgotten", "conversation", t.id, "error", err)
		t.setDialogue(workflow.State{})
	}
}

// setDialogue makes state the workflow that the conversation carries, where it is open.
func (t *turn) setDialogue(state workflow.State) {
	t.dialogue = state
	t.state.Workflow = nil
	if !state.Open() {
		return
	}
	encoded, err := json.Marshal(state)
	if err != nil { // texts, numbers and times always have a JSON form
		panic(err)
	}
	t.state.Workflow = encoded
}

// openable lists the workflows that the text may open: the mode's, where all their tools are there. A stateless turn
// opens none, because nothing would keep what the person tells.
func (t *turn) openable(tools []string) []string {
	found := []string{}
	if t.id == "" {
		return found
	}
	for _, name := range t.flows.Names() {
		missing := slices.ContainsFunc(t.flows.Get(name).Tools(), func(tool string) bool { return !slices.Contains(tools, tool) })
		if t.mode.HasWorkflow(name) && !missing {
			found = append(found, name)
		}
	}
	return found
}

// trigger finds the workflow that a text opens, for the router.
func (t *turn) trigger(text, language string) (name, reason string) {
	flow, reason := t.flows.Opened(text, language, t.others)
	if flow == nil {
		return "", ""
	}
	return flow.Name(), reason
}

// followWorkflow takes the turn by the workflow of decision, from the person's text to the next word to the person.
// Where it leaves the text to others, or has ended by itself, they answer.
func (t *turn) followWorkflow(ctx context.Context, decision route.Decision) {
	input := workflow.Input{
		Text: t.text, Language: t.request.Language, Country: t.country(), Now: t.opts.Now(),
		Start: !t.dialogue.Open(), Others: t.others,
	}
	machine := loop.New(t.opts.Limits, nil)
	for range workflowStepsMax {
		state, action := workflow.Step(t.flows.Get(decision.Workflow), t.dialogue, input)
		t.setDialogue(state)
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
		case workflow.Aside:
			t.answerAside(ctx, action.Reply)
			return
		case workflow.Expired:
			t.setDialogue(workflow.State{})
			t.conversation.State.Workflow = nil // which may have kept the mode
			t.enterMode()
			t.answer(ctx)
			return
		default:
			reply, cost := t.phrase(ctx, action)
			t.say(ctx, machine, reply)
			t.outcome.Trace = joined(t.outcome.Trace, cost)
			return
		}
	}
	t.fail(loop.KindInternal, fmt.Errorf("workflow %s asked for more than %d calls", decision.Workflow, workflowStepsMax-1))
}

// callForWorkflow runs a call. A confirmed one carries the person's yes: it is not asked for again, the state is committed
// first, which notes the call, and the client's leaving does not stop it.
func (t *turn) callForWorkflow(ctx context.Context, machine loop.Machine, asked workflow.Call) loop.Machine {
	var tools loop.Tools = unconfirmed{t.tools(), "needs a yes before the workflow may look"}
	if asked.Confirmed {
		if !t.noteState(ctx, "note the workflow's call") {
			return machine
		}
		var release func()
		ctx, release = t.unlessAbandoned(ctx)
		defer release()
		tools, t.acted = belonging{t.opts.Tools, t.id}, true
	}
	call := loop.Call{ID: "workflow", Name: asked.Tool, Arguments: string(asked.Arguments)}
	return t.drive(ctx, tools, machine, loop.Event{
		Kind: loop.Start, Proposed: []loop.Proposed{{Call: call, Approved: asked.Confirmed}}, CallerWords: true,
	})
}

// unlessAbandoned is ctx without its end, but for that of the service.
func (t *turn) unlessAbandoned(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := context.AfterFunc(t.base, func() { cancel(ErrStopping) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// answerAside lets the router's other stages answer a text that is not for the open workflow, whose question is then
// asked again. Where nobody can answer, it says so: the workflow goes on in any case.
func (t *turn) answerAside(ctx context.Context, question string) {
	reason := t.route.Reason
	t.aside = true
	offered, decision := t.decide()
	t.route.Reason = reason + "; " + decision.Reason
	t.route.ToolsOffered = names(offered)
	t.answerBy(ctx, offered, decision)
	switch failure := t.outcome.Failure; {
	case t.outcome.Cause != "":
		return
	case failure != nil:
		t.route.Reason += fmt.Sprintf("; it failed (%s)", failure.Kind)
		t.opts.Log.Warn("a question beside a workflow has no answer", "conversation", t.id, "kind", failure.Kind, "error", failure.Message)
		t.outcome.Failure, t.outcome.Text = nil, t.inLanguage("I can't answer that right now.", "Das kann ich gerade nicht beantworten.")
	case decision.Stage == route.StageNone:
		t.outcome.Text = t.inLanguage("I can't answer that.", "Das kann ich nicht beantworten.")
	}
	t.outcome.Text = strings.TrimSpace(t.outcome.Text + " " + question)
}

// country is that of the person's language, else the configured one.
func (t *turn) country() string {
	parts := strings.Split(t.request.Language, "-")
	if region := parts[len(parts)-1]; len(parts) > 1 && len(region) == 2 {
		return strings.ToUpper(region)
	}
	return t.opts.Country
}
