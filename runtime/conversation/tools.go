package conversation

import (
	"context"
	"fmt"

	"chatterbox/loop"
)

// turnTools are the tools as one turn calls them.
type turnTools struct {
	inner        loop.Tools
	id, language string // of the conversation, and of the questions to the person
	// unasked says, after a tool's name, why the person cannot be asked for a yes; empty where they can.
	unasked string
	digest  string   // of the only version of a tool that is called; empty is any
	journal *journal // nil: nothing is committed before calls that act
}

// tools are what this turn may call. A turn without an id cannot wait for a yes, and beside a workflow, whose question
// the person answers next, a yes would have two meanings. The question of one that rests is not answered next.
func (t *turn) tools() turnTools {
	tools := turnTools{inner: t.opts.Tools, id: t.record.id, language: t.request.Language}
	if t.record.id == "" {
		tools.unasked = "needs the person's confirmation, which this request has no conversation_id to wait for"
		return tools
	}
	tools.journal = t.record.newJournal()
	if t.dialogue.digressing && !t.dialogue.state.Resting {
		tools.unasked = "needs the person's confirmation, " +
			"and the person is being asked something else; it can be asked for afterwards"
	}
	return tools
}

func (t turnTools) Check(ctx context.Context, call loop.Call) loop.Verdict {
	call.Conversation, call.Language = t.id, t.language
	verdict := t.inner.Check(ctx, call)
	unasked := call.Name + " " + t.unasked
	switch {
	case t.digest != "" && verdict.Tool != t.digest:
		return loop.Verdict{Decision: loop.Refuse, Reason: call.Name + " has changed since"}
	case t.unasked == "":
	case verdict.Decision == loop.Ask:
		return loop.Verdict{Decision: loop.Refuse, Reason: unasked}
	case verdict.Decision == loop.Run && verdict.Question != "":
		verdict.Reason = unasked
	}
	return verdict
}

func (t turnTools) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	call.Conversation = t.id
	if t.journal == nil || !verdict.Acts && !t.journal.record.expects(call.Name) {
		return t.inner.Call(ctx, call, verdict)
	}
	return t.journal.around(ctx, call, func() loop.Result { return t.inner.Call(ctx, call, verdict) })
}

// noTools is for a service without tools.
type noTools struct{}

func (noTools) Check(_ context.Context, call loop.Call) loop.Verdict {
	return loop.Verdict{Decision: loop.Refuse, Reason: fmt.Sprintf("Unknown tool: '%s'", call.Name)}
}

func (noTools) Call(_ context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	return loop.ErrorResult(fmt.Sprintf("Unknown tool: '%s'", call.Name))
}
