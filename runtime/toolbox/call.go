package toolbox

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/worker"
)

// Check says whether the call may run: the tool exists and is granted, and the arguments fit its schema. A tool with a
// policy other than never asks first, every time; one that acts has its question ready in any case.
func (t *Toolbox) Check(_ context.Context, call loop.Call) loop.Verdict {
	tool := t.current.Load().tools[call.Name]
	if tool == nil {
		return loop.Verdict{Decision: loop.Refuse, Reason: unknownTool(call.Name)}
	}
	verdict := loop.Verdict{Decision: loop.Refuse, Tool: tool.digest, Acts: tool.rights.Effects != Read}
	if tool.blocked != "" {
		verdict.Reason = notGranted(tool)
		return verdict
	}
	read, complaint := readArguments(call, tool.limits.Input)
	if complaint != "" {
		verdict.Reason = complaint
		return verdict
	}
	arguments := read.Values
	schema, err := tool.schema()
	if err != nil {
		verdict.Reason = fmt.Sprintf("The tool '%s' cannot be called: %v.", tool.manifest.Name, err)
		return verdict
	}
	if wrong := schema.complaint(arguments); wrong != "" {
		verdict.Reason = wrong + expected(tool)
		return verdict
	}
	if verdict.Reason = tool.refusesRecipient(arguments); verdict.Reason != "" {
		return verdict
	}
	verdict.Trusted, verdict.Undo = tool.trusted(), t.undo(tool)
	if verdict.Acts || tool.rights.Confirm != Never {
		verdict.Question = t.ask(tool, call, arguments)
	}
	if tool.rights.Confirm != Never {
		verdict.Decision = loop.Ask
		return verdict
	}
	verdict.Decision, verdict.CacheTTL = loop.Run, tool.cacheTTL(t.options.CacheTTL)
	return verdict
}

// expected tells a model that has called a tool wrongly how it is called.
func expected(tool *tool) string {
	shape := tool.offer().Shape()
	if shape == "{}" {
		return ""
	}
	return fmt.Sprintf(". Expected arguments of %s: %s.", tool.manifest.Name, oneLine(shape, 1000))
}

func unknownTool(name string) string { return fmt.Sprintf("Unknown tool: '%s'", oneLine(name, 64)) }

func notGranted(tool *tool) string {
	return fmt.Sprintf("The tool '%s' may not run: it %s.", tool.manifest.Name, tool.blocked)
}

// Call runs a call whose verdict is Run, on the version of the tool that the verdict is about.
func (t *Toolbox) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	tool, refusal := t.take(call.Name, verdict)
	if refusal != "" {
		return loop.ErrorResult(refusal)
	}
	defer tool.module.release()
	arguments, complaint := readArguments(call, tool.limits.Input)
	if complaint != "" {
		return loop.ErrorResult(complaint)
	}
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, tool.limits.Wall)
	defer cancel()
	leave, refusal := tool.gate.enter(waiting)
	if refusal != "" {
		t.log.WarnContext(ctx, "tool call refused", "tool", call.Name, "reason", refusal)
		return loop.ErrorResult(refusal)
	}
	defer leave()
	wall := max(tool.limits.Wall-time.Since(began), time.Millisecond) // waiting is part of the first run's time
	input := []byte(arguments.Text())
	for run := 0; ; run++ {
		output := t.run(ctx, tool, call.Conversation, input, wall)
		if run < t.options.Retries && tool.rights.Effects == Read && ctx.Err() == nil &&
			(output.Fault == worker.TimedOut || output.Fault == worker.HostFailure) {
			t.log.WarnContext(ctx, "tool is run again",
				"tool", call.Name, "fault", string(output.Fault), "message", output.Message)
			wall = tool.limits.Wall
			continue
		}
		return t.finish(ctx, tool, output)
	}
}

// take finds the tool and holds its module; it must be released. A refusal says why there is none.
func (t *Toolbox) take(name string, verdict loop.Verdict) (*tool, string) {
	for {
		tool := t.current.Load().tools[name]
		switch {
		case tool == nil:
			return nil, unknownTool(name)
		case tool.digest != verdict.Tool:
			return nil, fmt.Sprintf("The tool '%s' has changed since the call was checked. Call it again.", name)
		case tool.blocked != "":
			return nil, notGranted(tool)
		case verdict.Decision != loop.Run:
			return nil, "The call was not allowed to run."
		case tool.module.hold():
			return tool, ""
		}
		// It was replaced just now: what has taken its place is there already.
	}
}

// run is one run of a call.
func (t *Toolbox) run(
	ctx context.Context, tool *tool, conversation string, arguments []byte, wall time.Duration,
) worker.Output {
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	host := &host{box: t, tool: tool, conversation: conversation}
	return t.options.Workers.Call(ctx, worker.Call{
		Digest:    tool.module.known.Digest,
		Tool:      tool.manifest.Name,
		Arguments: arguments,
		Env:       tool.env,
		Limits: worker.Limits{
			MemoryPages: tool.limits.MemoryPages, Wall: wall, InputBytes: tool.limits.Input,
			OutputBytes: tool.limits.Output, LogBytes: tool.limits.Log,
		},
	}, host.answer)
}

// finish makes the result of an output and logs what happened.
func (t *Toolbox) finish(ctx context.Context, tool *tool, output worker.Output) loop.Result {
	log := t.log.With("tool", tool.manifest.Name)
	if len(output.Log) > 0 {
		log.DebugContext(ctx, "tool log", "text", strconv.QuoteToGraphic(string(output.Log)))
	}
	if output.Fault == worker.NoFault {
		result := readResult(output.Result, output.Truncated, tool.limits.Output)
		log.DebugContext(ctx, "tool call", "took", output.Duration, "failed", result.Failed, "truncated", output.Truncated,
			"memory_bytes", output.MemoryBytes)
		return result
	}
	if ctx.Err() != nil {
		log.DebugContext(ctx, "tool call given up", "took", output.Duration, "reason", ctx.Err())
		return loop.ErrorResult("The call was given up.")
	}
	log.WarnContext(ctx, "tool call failed", "file", tool.file, "fault", string(output.Fault), "message", output.Message,
		"took", output.Duration)
	sentence := faultSentence(output, tool.limits.Wall)
	if output.Fault == worker.ExitStatus && len(output.Result) > 0 {
		return withError(readResult(output.Result, output.Truncated, tool.limits.Output), sentence)
	}
	return loop.ErrorResult(sentence)
}

// faultSentence tells the model what went wrong and what it may do about it.
func faultSentence(output worker.Output, wall time.Duration) string {
	message := oneLine(output.Message, 300)
	switch output.Fault {
	case worker.TimedOut:
		return fmt.Sprintf("The tool did not finish within %v.", wall)
	case worker.OutOfMemory:
		return "The tool ran out of memory. Ask it for less."
	case worker.BadOutput, worker.ExitStatus:
		return "The tool " + message + "."
	case worker.Refused:
		return "The tool could not take the call: " + message + "."
	case worker.HostFailure:
		return "The tool could not be started. Try again later."
	default:
		return "The tool crashed: " + message + "."
	}
}
