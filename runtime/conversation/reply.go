package conversation

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"chatterbox/loop"
)

// Reply is the answer to a request: what to say, and what programs want to know.
type Reply struct {
	ResponseText   string  `json:"response_text"`
	ConversationID *string `json:"conversation_id"` // nil when the turn was stateless
	Extra          Extra   `json:"extra"`
	Trace          *Trace  `json:"trace,omitempty"` // only where the request asked for it
}

// Extra is always an object, empty after an ordinary answer.
type Extra struct {
	Error    *ReplyError   `json:"error,omitempty"`    // set when ResponseText is an apology
	Approval *ApprovalView `json:"approval,omitempty"` // set when ResponseText is a question that needs a yes
	// Reminders are those that ResponseText begins with.
	Reminders []Reminder `json:"reminders,omitempty"`
}

// ReplyError says why a turn could not be finished.
type ReplyError struct {
	Kind       loop.Kind `json:"kind"`
	RetryAfter int       `json:"retry_after,omitempty"` // seconds, where the model's server told them
}

// ApprovalView is a call that waits for a yes.
type ApprovalView struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Question  string          `json:"question"`
	Expires   time.Time       `json:"expires"`
}

// Trace is what happened in a turn.
type Trace struct {
	States    []loop.State `json:"states"`
	LLMCalls  int          `json:"llm_calls"`
	ToolCalls []ToolCall   `json:"tool_calls"`
	Usage     loop.Usage   `json:"usage"`
	MS        float64      `json:"ms"`
	Route     RouteTrace   `json:"route"`
	Mode      string       `json:"mode"`
	// Claims are sentences of the model that told of what no call had done. Nobody heard them.
	Claims []string `json:"claim,omitempty"`
	// Workflow is the one that is open or has just ended.
	Workflow *WorkflowTrace `json:"workflow,omitempty"`
}

// ToolCall is one call of a trace.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object; a string where the model wrote no JSON
	Result    json.RawMessage `json:"result"`
	Cached    bool            `json:"cached"`
	MS        float64         `json:"ms"`
	Repaired  []string        `json:"repaired,omitempty"`
}

// RouteTrace says which stage took the turn, and why.
type RouteTrace struct {
	Stage        string   `json:"stage"`
	Reason       string   `json:"reason"`
	ToolsOffered []string `json:"tools_offered"`
}

// storedTrace is what of a trace is stored with the turn: what was called, what it cost and why. A successful turn's
// states follow from it, and every byte of a turn is written to the disk several times.
type storedTrace struct {
	LLMCalls  int         `json:"llm_calls"`
	ToolCalls []ToolCall  `json:"tool_calls,omitempty"`
	Usage     loop.Usage  `json:"usage"`
	MS        float64     `json:"ms"`
	Route     storedRoute `json:"route"`
	Claims    []string    `json:"claim,omitempty"`

	Workflow *WorkflowTrace `json:"workflow,omitempty"`
}

type storedRoute struct {
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// newTrace makes the trace of a turn that took elapsed.
func newTrace(from loop.Trace, route RouteTrace, mode string, elapsed time.Duration) *Trace {
	out := &Trace{
		States: from.States, LLMCalls: from.LLMCalls, ToolCalls: make([]ToolCall, len(from.ToolCalls)),
		Usage: from.Usage, MS: milliseconds(elapsed), Route: route, Mode: mode,
		Claims: from.Claims,
	}
	if out.LLMCalls == 0 {
		out.Usage.CostUSD = new(float64) // nobody was asked, so nothing was spent
	}
	if out.States == nil {
		out.States = []loop.State{}
	}
	if out.Route.ToolsOffered == nil {
		out.Route.ToolsOffered = []string{}
	}
	for i, call := range from.ToolCalls {
		out.ToolCalls[i] = ToolCall{
			Name: call.Name, Arguments: rawJSON(call.Arguments), Result: rawJSON(call.Result),
			Cached: call.Cached, MS: call.MS, Repaired: call.Repaired,
		}
	}
	return out
}

// joined is what happened in first and then in second.
func joined(first, second loop.Trace) loop.Trace {
	out := loop.Trace{
		States:    slices.Concat(first.States, second.States),
		LLMCalls:  first.LLMCalls + second.LLMCalls,
		ToolCalls: slices.Concat(first.ToolCalls, second.ToolCalls),
		Usage:     first.Usage,
		Offered:   second.Offered,
		Claims:    slices.Concat(first.Claims, second.Claims),
	}
	if second.LLMCalls > 0 {
		out.Usage = first.Usage.Plus(second.Usage, first.LLMCalls == 0)
	}
	return out
}

// rawJSON returns text as it is when it is JSON, else as a JSON string.
func rawJSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // of a string without an error
	return quoted
}

// milliseconds returns d with three decimals, as traces show it.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}
