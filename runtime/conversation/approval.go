package conversation

import (
	"context"
	"encoding/json"
	"fmt"

	"chatterbox/loop"
	"chatterbox/loop/workflow"
)

// resume goes on with what waits for a yes, and reports whether it took the turn. What is neither yes nor no to a
// command, and a text that the router takes from any model, goes on like any other, as does whatever comes too late, but
// for a yes: nobody may think that it was heard in time.
func (t *turn) resume(ctx context.Context, approval *Approval) bool {
	var said *workflow.Flows
	if t.opts.Workflows != nil {
		said = t.opts.Workflows()
	}
	yes := said.IsYes(t.request.Text)
	if !t.opts.Now().Before(approval.Expires) {
		if yes {
			t.route = RouteTrace{Stage: "approval", Reason: "the person approved " + approval.Tool + " too late"}
			t.say(t.inLanguage("That took too long, so I did nothing. Please ask me again.",
				"Das hat zu lange gedauert, deshalb habe ich nichts getan. Bitte frag noch einmal."))
		}
		return yes
	}
	switch {
	case approval.Command == nil && t.model == nil, !yes && t.beginsAnew():
		return false
	case approval.Command != nil && !yes && !said.IsNo(t.request.Text):
		return false
	}
	t.route = RouteTrace{Stage: "approval", Reason: "the person declined " + approval.Tool}
	if yes {
		t.route.Reason = "the person approved " + approval.Tool
	}
	switch {
	case approval.Command != nil && yes:
		t.resumeCommand(ctx, approval)
		return true
	case approval.Command != nil:
		t.say(t.inLanguage("All right, I won't.", "In Ordnung, dann nicht."))
		return true
	}
	var machine loop.Machine
	if err := json.Unmarshal(approval.Machine, &machine); err != nil {
		t.fail(loop.KindInternal, fmt.Errorf("resume approval: %w", err))
		return true
	}
	t.route.ToolsOffered = names(machine.Tools)
	if yes {
		t.notes.approve(t, approval.Tool, approval.Arguments)
	}
	if !yes || t.noteState(ctx, "use up approval") {
		t.drive(ctx, machine, loop.Event{Kind: loop.Answered, Text: t.request.Text, Yes: yes})
	}
	return true
}

// beginsAnew says whether the text asks for another mode or opens a workflow: no model may stand in between, least of all one
// whose call waits for a yes.
func (t *turn) beginsAnew() bool {
	_, decision := t.decide()
	return decision.Mode != nil || decision.Workflow != ""
}

// resumeCommand runs the command that the person agreed to.
func (t *turn) resumeCommand(ctx context.Context, approval *Approval) {
	command := t.rules().Restore(*approval.Command)
	if command == nil {
		t.fail(loop.KindInternal, fmt.Errorf("resume approval: rule %q is gone", approval.Command.Rule))
		return
	}
	t.notes.approve(t, approval.Tool, approval.Arguments)
	if t.noteState(ctx, "use up approval") {
		call := loop.Call{ID: "rule", Name: command.Tool, Arguments: string(command.Arguments)}
		t.runCommand(ctx, command, call, loop.Verdict{Decision: loop.Run, Tool: approval.Digest, Acts: true})
	}
}

// noteState commits the state before what must not happen twice happens: after a crash between a call and its turn's
// commit, the same words cannot run it again. It reports whether the turn can go on.
func (t *turn) noteState(ctx context.Context, operation string) bool {
	if err := t.commitState(ctx); err != nil {
		t.fail(storeKind(err), fmt.Errorf("%s: %w", operation, err))
		return false
	}
	return true
}

// commitState commits the state alone.
func (t *turn) commitState(ctx context.Context) error {
	err := t.opts.Store.SetState(ctx, t.id, t.conversation.Version, t.state)
	if err == nil {
		t.conversation.Version++
	}
	return err
}

// view returns the approval as replies show it.
func (a *Approval) view() *ApprovalView {
	return &ApprovalView{Tool: a.Tool, Arguments: a.Arguments, Question: a.Question, Expires: a.Expires}
}
