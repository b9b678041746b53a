package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/internal/texts"
)

// newApproval is pending while it waits for the person's yes, from which machine goes on.
func newApproval(machine loop.Machine, pending loop.Pending, language string, expires time.Time) (*Approval, error) {
	stored, err := json.Marshal(machine)
	return &Approval{
		Tool: pending.Call.Name, Arguments: rawJSON(pending.Call.Arguments), Question: pending.Question,
		Language: language, Expires: expires.UTC(), Machine: stored,
	}, err
}

// decider is [turn.decide].
type decider func() ([]loop.Tool, route.Decision)

// resume goes on with what waits for a yes, and reports whether it took the turn. A consent runs the call; a refusal
// drops it; another value for it is asked about anew; what is neither yes nor no leaves it open; anything else drops
// it, which is said, and is a turn of its own, for which decide asks the router. What comes too late is one as well,
// but for a yes: nobody may think that it was heard in time.
func (t *turn) resume(ctx context.Context, approval *Approval, decide decider) bool {
	reading := t.readAnswer(approval)
	if !t.opts.Now().Before(approval.Expires) {
		if reading.Verdict != workflow.Consent {
			return false
		}
		t.route = RouteTrace{Stage: "approval", Reason: "the person approved " + approval.Tool + " too late"}
		t.answerWith(ctx, t.sentence("approval_late"))
		return true
	}
	machine, err := approval.machine(t.opts.Limits)
	commands, known := approval.commands(t.rules())
	t.route = RouteTrace{Stage: "approval", ToolsOffered: names(machine.Tools)}
	switch {
	case reading.Verdict == workflow.Other:
		return t.drop(ctx, approval, machine, err, decide)
	case reading.Verdict == workflow.Unclear:
		t.because("it is not clear whether that is a yes to %s", approval.Tool)
		t.answerWith(ctx, t.opts.Workflows().CallOpen(approval.Question, approval.Language))
		t.record.state.Approval = approval
	case reading.Verdict == workflow.Refusal && err == nil && !machine.CallerWords && t.model != nil:
		t.because("the person declined %s", approval.Tool)
		t.speaker.first += t.opts.Workflows().CallDeclined(t.request.Language) + " "
		// The model answers the rest of what it was asked. Who has just said no is not asked for another yes.
		tools := t.tools()
		tools.unasked = "needs a yes, and the person has just said no"
		t.drive(ctx, tools, machine, loop.Event{Kind: loop.Answered, Text: t.request.Text})
	case reading.Verdict == workflow.Refusal:
		t.because("the person declined %s", approval.Tool)
		if err == nil {
			machine = t.drive(ctx, nil, machine, loop.Event{Kind: loop.Answered, Text: t.request.Text, CallerWords: true})
		} else {
			machine = loop.New(t.opts.Limits, nil)
		}
		t.say(ctx, machine, t.opts.Workflows().CallDeclined(t.request.Language), phrasing{})
	case err != nil || !known || !machine.CallerWords && t.model == nil:
		t.because("what %s was for is not known any more", approval.Tool)
		t.answerWith(ctx, t.sentence("approval_lost"))
	case reading.Verdict == workflow.Revised:
		t.because("the person named another value for %s", approval.Tool)
		t.revise(ctx, machine, commands, reading)
	default:
		t.because("the person approved %s", approval.Tool)
		t.record.approve(approval.Tool, approval.Arguments)
		if t.commitState(ctx, "use up approval") {
			t.goOn(ctx, machine, commands, loop.Event{Kind: loop.Answered, Text: t.request.Text, Yes: true})
		}
	}
	return true
}

// sentence is one of the catalogue in the person's language, over the names and values that are given in turn.
func (t *turn) sentence(name string, given ...string) string {
	return t.opts.Workflows().Say(t.request.Language, name, given...)
}

// readAnswer reads the text as the answer to the approval's question.
func (t *turn) readAnswer(approval *Approval) workflow.CallReading {
	if approval.Language == "" { // an earlier version did not store it
		approval.Language = t.request.Language
	}
	call := workflow.AskedCall{Tool: approval.Tool, Language: approval.Language, Arguments: members(approval.Arguments)}
	return t.opts.Workflows().ReadCallAnswer(t.request.Text, call, t.schema(approval.Tool), t.answerContext())
}

// answerContext is what a text alone does not tell.
func (t *turn) answerContext() workflow.Context {
	return workflow.Context{Now: t.opts.Now(), Language: t.request.Language, Country: t.request.country(t.opts.Country)}
}

// schema is that of a tool's arguments, nil where it is not offered.
func (t *turn) schema(tool string) json.RawMessage {
	if t.opts.Offered == nil {
		return nil
	}
	for _, offered := range t.opts.Offered() {
		if offered.Name == tool {
			return offered.Parameters
		}
	}
	return nil
}

// members are those of a JSON object, numbers as they are written.
func members(object json.RawMessage) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	var members map[string]any
	if decoder.Decode(&members) != nil {
		return nil
	}
	return members
}

// drop forgets the call for good, says so, and reports whether the model goes on with what the person said instead: it
// may not where the router takes the text from any model.
func (t *turn) drop(ctx context.Context, approval *Approval, machine loop.Machine, broken error, decide decider) bool {
	if !t.commitState(ctx, "drop approval") {
		return true
	}
	t.speaker.first += t.opts.Workflows().CallDropped(approval.Tool, t.request.Language) + " "
	_, decision := decide()
	taken := decision.Mode != nil || decision.Workflow != "" || decision.Command != nil || len(decision.Parts) > 0
	if taken || t.opts.Workflows().IsUndo(t.text, false) || broken != nil || machine.CallerWords || t.model == nil {
		return false
	}
	t.because("the person said something else than a yes to %s", approval.Tool)
	t.drive(ctx, t.tools(), machine, loop.Event{Kind: loop.Answered, Text: t.request.Text})
	return true
}

// revise has the call asked about anew, with what the person named. What the tool refuses is told at once.
func (t *turn) revise(
	ctx context.Context, machine loop.Machine, commands []*route.Command, reading workflow.CallReading,
) {
	arguments, _ := texts.JSON(reading.Arguments) // what was decoded from JSON encodes
	for i := range min(len(commands), len(machine.Calls)) {
		if machine.Calls[i].Phase == loop.CallAsking {
			commands[i] = commands[i].With(json.RawMessage(arguments), reading.Said)
		}
	}
	t.goOn(ctx, machine, commands, loop.Event{Kind: loop.Answered, Text: t.request.Text, Arguments: arguments})
}

// goOn gives the person's answer to machine, and lets the commands word what they proposed.
func (t *turn) goOn(ctx context.Context, machine loop.Machine, commands []*route.Command, answer loop.Event) {
	machine = t.drive(ctx, t.tools(), machine, answer)
	if machine.CallerWords {
		t.answerCommands(ctx, machine, commands)
	}
}

// commands are those of the approval. It says whether all their rules are still there.
func (a *Approval) commands(rules *route.Rules) ([]*route.Command, bool) {
	saved := a.Commands
	if a.Command != nil {
		saved = []route.Saved{*a.Command}
	}
	commands := make([]*route.Command, len(saved))
	for i := range saved {
		if commands[i] = rules.Restore(saved[i]); commands[i] == nil {
			return nil, false
		}
	}
	return commands, true
}

// machine is what goes on with the answer to the approval. Where an earlier version stored a command without one, it is
// made as the command's turn would have made it.
func (a *Approval) machine(limits loop.Limits) (loop.Machine, error) {
	if a.Command == nil {
		var machine loop.Machine
		err := json.Unmarshal(a.Machine, &machine)
		if err == nil && machine.State != loop.AwaitingApproval {
			err = fmt.Errorf("the machine is in state %q", machine.State)
		}
		return machine, err
	}
	call := loop.Call{ID: "rule", Name: a.Command.Tool, Arguments: string(a.Command.Arguments)}
	machine, _ := loop.Step(loop.New(limits, nil), loop.Event{
		Kind: loop.Start, Proposed: []loop.Proposed{{Call: call}}, CallerWords: true,
	})
	machine, _ = loop.Step(machine, loop.Event{Kind: loop.Checked, Verdict: &loop.Verdict{
		Decision: loop.Ask, Question: a.Question, Tool: a.Digest, Acts: true,
	}})
	return machine, nil
}

// commitState commits the state before what must not happen twice happens: after a crash between a call and its turn's
// commit, the same words cannot run it again. It reports whether the turn can go on.
func (t *turn) commitState(ctx context.Context, operation string) bool {
	if err := t.record.commitState(ctx); err != nil {
		t.fail(storeKind(err), fmt.Errorf("%s: %w", operation, err))
		return false
	}
	return true
}

// view returns the approval as replies show it.
func (a *Approval) view() *ApprovalView {
	return &ApprovalView{Tool: a.Tool, Arguments: a.Arguments, Question: a.Question, Expires: a.Expires}
}
