package conversation

import (
	"context"
	"fmt"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// byRule answers a single-turn command without a model: it runs the command's tool and speaks the command's template. A
// tool that needs a yes is asked for first, as the loop does. What a model did before it failed stays in the trace.
func (t *turn) byRule(ctx context.Context, command *route.Command) {
	t.outcome.Failure, t.outcome.Text = nil, ""
	call := loop.Call{ID: "rule", Name: command.Tool, Arguments: string(command.Arguments)}
	verdict := t.tools().Check(ctx, call)
	if verdict.Decision == loop.Ask {
		saved := command.Save()
		t.enter(loop.ReceiveInput, loop.ToolDecision, loop.AwaitingApproval)
		t.speaker.pass(loop.Emission{Kind: loop.EmitTool, Name: call.Name, State: loop.ToolWaiting})
		t.outcome.Text = verdict.Question
		t.state.Approval = &Approval{
			Tool: call.Name, Arguments: rawJSON(call.Arguments), Question: verdict.Question,
			Expires: t.opts.Now().Add(t.opts.ApprovalExpiry).UTC(), Command: &saved, Digest: verdict.Tool,
		}
		return
	}
	t.runCommand(ctx, command, call, verdict)
}

// runCommand runs a command's call as the verdict says and answers with its result.
func (t *turn) runCommand(ctx context.Context, command *route.Command, call loop.Call, verdict loop.Verdict) {
	result := t.call(ctx, call, verdict)
	answer, err := command.Answer([]byte(result.Content))
	if err != nil {
		t.fail(loop.KindInternal, fmt.Errorf("rule %s: %w", command.Rule, err))
		return
	}
	t.say(answer)
}

// say answers without a model and without a call.
func (t *turn) say(text string) {
	t.enter(loop.ReceiveInput, loop.ResponseComposition, loop.Output)
	t.outcome.Text = text
}

// enter adds states to the trace of a turn, or a part of one, that has no machine.
func (t *turn) enter(states ...loop.State) {
	for _, state := range states {
		if state != loop.ReceiveInput || len(t.outcome.Trace.States) == 0 {
			t.outcome.Trace.States = append(t.outcome.Trace.States, state)
		}
	}
}

// call runs a call without a model, as the verdict says, and puts it into the trace.
func (t *turn) call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	if t.opts.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.opts.Limits.Wall)
		defer cancel()
	}
	t.enter(loop.ReceiveInput, loop.ToolDecision, loop.ToolExecution)
	t.speaker.pass(loop.Emission{Kind: loop.EmitTool, Name: call.Name, State: loop.ToolRunning})
	began := time.Now()
	result := loop.ErrorResult(verdict.Reason)
	if verdict.Decision == loop.Run {
		result = t.tools().Call(ctx, call, verdict)
	}
	t.outcome.Trace.ToolCalls = append(t.outcome.Trace.ToolCalls, loop.CallRecord{
		Name: call.Name, Arguments: call.Arguments, Result: result.Content, Cached: result.Cached,
		MS: milliseconds(time.Since(began)),
	})
	state := loop.ToolOK
	if result.Failed {
		state = loop.ToolFailed
	}
	t.speaker.pass(loop.Emission{Kind: loop.EmitTool, Name: call.Name, State: state})
	t.enter(loop.ResultAggregation)
	return result
}

// noTools is for a service without tools.
type noTools struct{}

func (noTools) Check(_ context.Context, call loop.Call) loop.Verdict {
	return loop.Verdict{Decision: loop.Refuse, Reason: fmt.Sprintf("Unknown tool: '%s'", call.Name)}
}

func (noTools) Call(_ context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	return loop.ErrorResult(fmt.Sprintf("Unknown tool: '%s'", call.Name))
}

// unconfirmed is the tools of a turn that cannot ask the person for a yes.
type unconfirmed struct {
	loop.Tools
	why string
}

func (u unconfirmed) Check(ctx context.Context, call loop.Call) loop.Verdict {
	verdict := u.Tools.Check(ctx, call)
	if verdict.Decision != loop.Ask {
		return verdict
	}
	return loop.Verdict{
		Decision: loop.Refuse,
		Reason:   fmt.Sprintf("%s needs the person's confirmation, %s", call.Name, u.why),
	}
}

// names lists the names of tools.
func names(tools []loop.Tool) []string {
	out := make([]string, len(tools))
	for i, tool := range tools {
		out[i] = tool.Name
	}
	return out
}

// named returns those of tools that wanted names, in their own order.
func named(tools []loop.Tool, wanted []string) []loop.Tool {
	out := make([]loop.Tool, 0, len(wanted))
	for _, tool := range tools {
		for _, name := range wanted {
			if tool.Name == name {
				out = append(out, tool)
				break
			}
		}
	}
	return out
}
