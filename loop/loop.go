// Package loop is the agentic loop of one conversation turn: a pure state machine and the driver that performs its
// effects.
//
// [Step] decides and does nothing else: no clock, no I/O, no randomness, no goroutine. The same machine and the same
// event give the same machine and the same effects, so a turn can be recorded, replayed, resumed and simulated from its
// events alone. [Driver] asks the [Model], checks and calls the [Tools] and feeds what they say back as events.
package loop

import (
	"context"
	"encoding/json"
	"time"

	"chatterbox/loop/toolcall"
)

// Role says who speaks in a [Message].
type Role string

// The roles of the chat completions format.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	FromTool  Role = "tool"
)

// Message is one entry of what a model reads, in the chat completions format.
type Message struct {
	Role       Role   `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []Call `json:"tool_calls,omitempty"`   // assistant only
	ToolCallID string `json:"tool_call_id,omitempty"` // tool only: the Call.ID that this content answers
}

// Call is one tool call as the model asked for it.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is one JSON object once the machine has accepted the call, and whatever the model wrote before.
	Arguments string `json:"arguments"`
	// Conversation is the id of the conversation that the call belongs to, empty where there is none. Who runs a turn
	// sets it; a model never does.
	Conversation string `json:"-"`
	// Language is the person's, for a question about the call; empty is not known. Who runs a turn sets it likewise.
	Language string `json:"-"`

	read *Arguments
}

// Read gives what the arguments say. They are decoded once for all who look at a call of a turn.
func (c Call) Read() (*Arguments, error) {
	if c.read != nil && c.read.Source == c.Arguments {
		return c.read, nil
	}
	return toolcall.ReadArguments(c.Arguments)
}

// Tool is what a model is told about a tool.
type Tool = toolcall.Tool

// Arguments are what a call's arguments say.
type Arguments = toolcall.Arguments

// Request is one question to a model.
type Request struct {
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// Again, where it is set, reports whether an answer that broke off may begin anew, which is so while nobody has
	// heard anything of it. What its deltas gave is forgotten then. It is called on the goroutine of the deltas.
	Again func() bool `json:"-"`
}

// Usage is what one model call consumed.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	// CostUSD is nil when the model's price is not known; it is never 0 for that reason.
	CostUSD *float64 `json:"estimated_cost_usd"`
}

// Completion is a model's whole answer.
type Completion struct {
	Content      string `json:"content,omitempty"`
	ToolCalls    []Call `json:"tool_calls,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"`
	Model        string `json:"model,omitempty"` // the model that answered, which after a fallback is not the first
	Usage        Usage  `json:"usage"`
}

// Model answers a request.
type Model interface {
	// Complete asks once and returns the whole answer. While the answer arrives, onDelta gets its text in order, on
	// the calling goroutine; an implementation that cannot stream calls it once or not at all, and the concatenation
	// of all deltas is a prefix of Completion.Content; those before Request.Again allowed a new beginning do not
	// count. Where deltas were given and Again does not allow it, an error is final: text that was heard is never
	// taken back.
	//
	// The error is an *[Error] whose Kind says what happened, or wraps ctx.Err(). An incomplete answer is an error,
	// never a Completion. Complete may be called by several goroutines at once.
	Complete(ctx context.Context, request Request, onDelta func(text string)) (Completion, error)
}

// Decision is what [Tools.Check] says of a call.
type Decision string

// The decisions.
const (
	Run    Decision = "run"    // Question and Reason: see [Verdict.Trusted]
	Refuse Decision = "refuse" // Reason becomes the call's result
	Ask    Decision = "ask"    // Question goes to the person; the call waits for a yes
)

// Verdict is the answer of [Tools.Check].
type Verdict struct {
	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Question string   `json:"question,omitempty"`
	// Tool is the digest of module, manifest and grant that was checked.
	Tool string `json:"tool,omitempty"`
	// CacheTTL is how long the result may be reused; 0 is never.
	CacheTTL time.Duration `json:"cache_ttl,omitempty"`
	// Acts says that the call changes something, so that it must not be made twice, nor be forgotten.
	Acts bool `json:"acts,omitempty"`
	// Trusted says that nothing stands in the result but the host's words and the person's own. What a model calls
	// after it has read another one may be what a stranger told it to: a call that would [Run] and has a Question is
	// then asked about, or, where it has a Reason, refused with that.
	Trusted bool `json:"trusted,omitempty"`
	// Undo is the call that takes the effect back; nil where there is none.
	Undo *Undo `json:"undo,omitempty"`
}

// Undo is how an effect is taken back.
type Undo struct {
	Tool      string            `json:"tool"` // name
	Digest    string            `json:"digest,omitempty"`
	Arguments map[string]string `json:"arguments"` // by name, the member of the result that is the value
}

// Result is what a tool answered. A failure is a result too: {"error": "..."}.
type Result struct {
	Content string `json:"content"` // JSON, valid UTF-8
	Failed  bool   `json:"failed,omitempty"`
	Cached  bool   `json:"cached,omitempty"`
}

// Tools checks and runs calls. Both methods may be called by several goroutines at once.
type Tools interface {
	// Check says whether the call may run. It has no effects.
	Check(ctx context.Context, call Call) Verdict
	// Call runs a call that Check let pass and refuses when the tool's digest is no longer the verdict's. It returns
	// when ctx ends, whatever the tool does.
	Call(ctx context.Context, call Call, verdict Verdict) Result
}

// ErrorResult is the result that tells a model what went wrong.
func ErrorResult(message string) Result {
	content, _ := json.Marshal(map[string]string{"error": message})
	return Result{Content: string(content), Failed: true}
}
