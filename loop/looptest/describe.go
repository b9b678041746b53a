package looptest

import (
	"fmt"
	"io"
	"strings"

	"chatterbox/loop"
)

// This file is how transcripts are written: one line for an event or an effect, without what differs from run to run.

func describeEvent(event loop.Event) string {
	switch event.Kind {
	case loop.Start:
		return "start" + describeStart(event)
	case loop.Delta:
		return fmt.Sprintf("delta %q", event.Text)
	case loop.Completed:
		answer := event.Completion
		return fmt.Sprintf("completed %q%s %s", answer.Content, describeCalls(answer.ToolCalls), answer.FinishReason)
	case loop.ModelFailed:
		return fmt.Sprintf("model_failed %s", describeFailure(*event.Failure))
	case loop.Checked:
		verdict := *event.Verdict
		return strings.TrimSpace(fmt.Sprintf("checked %d %s %s%s", event.Index, verdict.Decision, verdict.Reason, verdict.Question))
	case loop.ToolDone:
		return fmt.Sprintf("tool_done %d %s", event.Index, event.Result.Content)
	case loop.Cancelled:
		return fmt.Sprintf("cancelled %s", event.Cause)
	case loop.Answered:
		said := fmt.Sprintf("answered yes=%v %q", event.Yes, event.Text)
		if event.Arguments != "" {
			said += " with " + event.Arguments
		}
		if event.CallerWords {
			said += ", the caller words"
		}
		return said
	default:
		return string(event.Kind)
	}
}

func describeStart(event loop.Event) string {
	var text strings.Builder
	for _, call := range event.Proposed {
		text.WriteString(describeCalls([]loop.Call{call.Call}))
		if call.Approved {
			text.WriteString(" approved")
		}
	}
	if event.CallerWords {
		fmt.Fprintf(&text, ", the caller words: %q", event.Text)
	}
	return text.String()
}

func describeEffect(effect loop.Effect) string {
	switch effect.Kind {
	case loop.CallModel:
		return fmt.Sprintf("call_model with %d messages, %d tools", len(effect.Request.Messages), len(effect.Request.Tools))
	case loop.CheckTool, loop.CallTool:
		return fmt.Sprintf("%s %d%s", effect.Kind, effect.Index, describeCalls([]loop.Call{*effect.Call}))
	case loop.Emit:
		emission := effect.Emission
		switch emission.Kind {
		case loop.EmitDelta:
			return fmt.Sprintf("emit delta %q", emission.Text)
		case loop.EmitTool:
			return fmt.Sprintf("emit tool %s %s", emission.Name, emission.State)
		}
		return fmt.Sprintf("emit %s", emission.Kind)
	default:
		return string(effect.Kind)
	}
}

func describeCalls(calls []loop.Call) string {
	var text strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&text, " [%s] %s(%s)", call.ID, call.Name, call.Arguments)
	}
	return text.String()
}

func describeMessage(message loop.Message) string {
	id := ""
	if message.ToolCallID != "" {
		id = " [" + message.ToolCallID + "]"
	}
	return fmt.Sprintf("%s%s: %q%s", message.Role, id, message.Content, describeCalls(message.ToolCalls))
}

func describeFailure(failure loop.Error) string {
	return fmt.Sprintf("%s (%s)", failure.Kind, failure.Message)
}

func writeOutcome(w io.Writer, outcome loop.Outcome) {
	fmt.Fprintf(w, "    text: %q\n", outcome.Text)
	if outcome.Failure != nil {
		fmt.Fprintf(w, "    failure: %s\n", describeFailure(*outcome.Failure))
	}
	if outcome.Cause != "" {
		fmt.Fprintf(w, "    cause: %s\n", outcome.Cause)
	}
	if outcome.Pending != nil {
		fmt.Fprintf(w, "    pending:%s of %s\n", describeCalls([]loop.Call{outcome.Pending.Call}), outcome.Pending.Tool)
	}
	for _, result := range outcome.Results {
		fmt.Fprintf(w, "    result: %s\n", result.Content)
	}
	for _, warning := range outcome.Warnings {
		fmt.Fprintf(w, "    warning: %s\n", warning)
	}
	fmt.Fprintf(w, "    states: %s\n", strings.Trim(fmt.Sprint(outcome.Trace.States), "[]"))
	fmt.Fprintf(w, "    llm_calls: %d\n", outcome.Trace.LLMCalls)
	for _, call := range outcome.Trace.ToolCalls {
		fmt.Fprintf(w, "    call: %s(%s) = %s", call.Name, call.Arguments, call.Result)
		if call.Cached {
			fmt.Fprint(w, " cached")
		}
		if len(call.Repaired) > 0 {
			fmt.Fprintf(w, " repaired %s", strings.Join(call.Repaired, ","))
		}
		fmt.Fprintln(w)
	}
}
