package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

// newApproval is pending while it waits for the person's yes, from which machine goes on.
func newApproval(machine loop.Machine, pending loop.Pending, expires time.Time) (*Approval, error) {
	stored, err := json.Marshal(machine)
	return &Approval{
		Tool: pending.Call.Name, Arguments: rawJSON(pending.Call.Arguments), Question: pending.Question,
		Expires: expires.UTC(), Machine: stored,
	}, err
}

// resume goes on with what waits for a yes, and reports whether it took the turn. What is neither yes nor no to a
// command, and a text that the router takes from any model, goes on like any other, as does whatever comes too late,
// but for a yes: nobody may think that it was heard in time.
func (t *turn) resume(ctx context.Context, approval *Approval) bool {
	var said *workflow.Flows
	if t.opts.Workflows != nil {
		said = t.opts.Workflows()
	}
	yes := said.IsYes(t.request.Text)
	if !t.opts.Now().Before(approval.Expires) {
		if yes {
			t.route = RouteTrace{Stage: "approval", Reason: "the person approved " + approval.Tool + " too late"}
			t.answerWith(ctx, t.inLanguage("That took too long, so I did nothing. Please ask me again.",
				"Das hat zu lange gedauert, deshalb habe ich nichts getan. Bitte frag noch einmal."))
		}
		return yes
	}
	machine, err := approval.machine(t.opts.Limits)
	switch {
	case err != nil && !yes:
		return false
	case err != nil:
	case !machine.CallerWords && t.model == nil, !yes && t.beginsAnew(),
		machine.CallerWords && !yes && !said.IsNo(t.request.Text):
		return false
	}
	t.route = RouteTrace{
		Stage: "approval", Reason: "the person declined " + approval.Tool, ToolsOffered: names(machine.Tools),
	}
	if yes {
		t.route.Reason = "the person approved " + approval.Tool
	}
	commands, known := approval.commands(t.rules())
	switch {
	case err != nil, yes && !known:
		t.because("what it was for is not known any more")
		t.answerWith(ctx, t.inLanguage("I can't go on with that any more, so I did nothing. Please ask me again.",
			"Damit kann ich nicht mehr weitermachen, deshalb habe ich nichts getan. Bitte frag noch einmal."))
	case !yes && machine.CallerWords:
		machine = t.drive(ctx, nil, machine, loop.Event{Kind: loop.Answered, Text: t.request.Text})
		t.say(ctx, machine, t.inLanguage("All right, I won't.", "In Ordnung, dann nicht."), phrasing{})
	case !yes:
		t.drive(ctx, t.tools(), machine, loop.Event{Kind: loop.Answered, Text: t.request.Text})
	default:
		t.record.approve(approval.Tool, approval.Arguments)
		if !t.noteState(ctx, "use up approval") {
			return true
		}
		machine = t.drive(ctx, t.tools(), machine, loop.Event{Kind: loop.Answered, Text: t.request.Text, Yes: true})
		if machine.CallerWords {
			t.answerCommands(ctx, machine, commands)
		}
	}
	return true
}

// beginsAnew says whether the text asks for another mode or opens a workflow: no model may stand in between, least of all one
// whose call waits for a yes.
func (t *turn) beginsAnew() bool {
	_, decision := t.decide()
	return decision.Mode != nil || decision.Workflow != "" || len(decision.Parts) > 0
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

// noteState commits the state before what must not happen twice happens: after a crash between a call and its turn's
// commit, the same words cannot run it again. It reports whether the turn can go on.
func (t *turn) noteState(ctx context.Context, operation string) bool {
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
