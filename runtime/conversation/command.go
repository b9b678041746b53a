package conversation

import (
	"context"
	"fmt"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// byRule answers a single-turn command without a model: it runs the command's tool and speaks the command's template.
// What a model did before it failed stays in the trace.
func (t *turn) byRule(ctx context.Context, command *route.Command) {
	if t.opts.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.opts.Limits.Wall)
		defer cancel()
	}
	t.outcome.Failure, t.outcome.Text = nil, ""
	trace := &t.outcome.Trace
	if trace.Usage.CostUSD == nil && trace.LLMCalls == 0 {
		trace.Usage.CostUSD = new(float64) // nobody was asked, so nothing was spent
	}
	enter := func(state loop.State) { trace.States = append(trace.States, state) }

	if len(trace.States) == 0 {
		enter(loop.ReceiveInput)
	}
	enter(loop.ToolDecision)
	call := loop.Call{ID: "rule", Name: command.Tool, Arguments: string(command.Arguments)}
	t.speaker.pass(loop.Emission{Kind: loop.EmitTool, Name: call.Name, State: loop.ToolRunning})
	enter(loop.ToolExecution)
	began := time.Now()
	result := t.runByRule(ctx, call)
	trace.ToolCalls = append(trace.ToolCalls, loop.CallRecord{
		Name: call.Name, Arguments: call.Arguments, Result: result.Content, Cached: result.Cached,
		MS: milliseconds(time.Since(began)),
	})
	state := loop.ToolOK
	if result.Failed {
		state = loop.ToolFailed
	}
	t.speaker.pass(loop.Emission{Kind: loop.EmitTool, Name: call.Name, State: state})
	enter(loop.ResultAggregation)

	answer, err := command.Answer([]byte(result.Content))
	if err != nil {
		t.fail(loop.KindInternal, fmt.Errorf("rule %s: %w", command.Rule, err))
		return
	}
	enter(loop.ResponseComposition)
	t.outcome.Text = answer
	enter(loop.Output)
}

func (t *turn) runByRule(ctx context.Context, call loop.Call) loop.Result {
	switch verdict := t.opts.Tools.Check(ctx, call); verdict.Decision {
	case loop.Run:
		return t.opts.Tools.Call(ctx, call, verdict)
	case loop.Ask:
		return loop.ErrorResult(fmt.Sprintf("%s needs a confirmation, which only a language model can ask for", call.Name))
	default:
		return loop.ErrorResult(verdict.Reason)
	}
}

// noTools is for a service without tools.
type noTools struct{}

func (noTools) Check(_ context.Context, call loop.Call) loop.Verdict {
	return loop.Verdict{Decision: loop.Refuse, Reason: fmt.Sprintf("Unknown tool: '%s'", call.Name)}
}

func (noTools) Call(_ context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	return loop.ErrorResult(fmt.Sprintf("Unknown tool: '%s'", call.Name))
}

// unconfirmed is the tools of a stateless turn: a question to the person could never be answered, so none is asked.
type unconfirmed struct{ loop.Tools }

func (u unconfirmed) Check(ctx context.Context, call loop.Call) loop.Verdict {
	verdict := u.Tools.Check(ctx, call)
	if verdict.Decision != loop.Ask {
		return verdict
	}
	return loop.Verdict{
		Decision: loop.Refuse,
		Reason:   fmt.Sprintf("%s needs the person's confirmation, which this request has no conversation_id to wait for", call.Name),
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
