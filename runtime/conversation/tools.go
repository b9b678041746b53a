package conversation

import (
	"context"

	"chatterbox/loop"
)

// tools are what this turn may call. A turn without an id cannot wait for a yes, and beside a workflow, whose question the
// person answers next, a yes would have two meanings. The question of one that rests is not answered next.
func (t *turn) tools() loop.Tools {
	tools := belonging{t.opts.Tools, t.record.id, t.request.Language}
	switch {
	case t.record.id == "":
		return unconfirmed{tools, "needs the person's confirmation, which this request has no conversation_id to wait for"}
	case t.dialogue.aside && !t.dialogue.state.Resting:
		return unconfirmed{t.record.noting(tools), "needs the person's confirmation, " +
			"and the person is being asked something else; it can be asked for afterwards"}
	default:
		return t.record.noting(tools)
	}
}

// belonging says of each call which conversation it belongs to, and in which language the person is asked about it.
type belonging struct {
	inner    loop.Tools
	id       string
	language string
}

func (b belonging) Check(ctx context.Context, call loop.Call) loop.Verdict {
	call.Conversation, call.Language = b.id, b.language
	return b.inner.Check(ctx, call)
}

func (b belonging) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	call.Conversation = b.id
	return b.inner.Call(ctx, call, verdict)
}
