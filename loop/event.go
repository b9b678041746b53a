package loop

import "time"

// EventKind names an [Event].
type EventKind string

// The events. Each field of Event says which of them carry it.
const (
	Start       EventKind = "start"        // the turn begins
	Delta       EventKind = "delta"        // a piece of the model's text
	Restarted   EventKind = "restarted"    // the model's text broke off unheard and begins anew
	Completed   EventKind = "completed"    // the model's whole answer
	ModelFailed EventKind = "model_failed" // no answer
	Checked     EventKind = "checked"      // the verdict on a call
	ToolDone    EventKind = "tool_done"    // the result of a call
	Cancelled   EventKind = "cancelled"    // the turn is given up
	Answered    EventKind = "answered"     // the person answered the question of AWAITING_APPROVAL
)

// Cause says why a turn was cancelled.
type Cause string

// The causes.
const (
	ClientGone Cause = "client"
	Deadline   Cause = "deadline"
	Shutdown   Cause = "shutdown"
)

// Event is what happened. It is plain data: recorded events replay a turn.
type Event struct {
	Kind EventKind `json:"kind"`
	// Elapsed is the wall time since the turn's Start or Answered and CostUSD the money spent so far, so that a machine
	// without a clock can hold to its limits.
	Elapsed time.Duration `json:"elapsed,omitempty"`
	CostUSD float64       `json:"cost_usd,omitempty"`

	Messages   []Message   `json:"messages,omitempty"`   // Start: system, earlier turns, the user's text
	Text       string      `json:"text,omitempty"`       // Delta: the piece; Answered: the person's; Start: the caller's
	Completion *Completion `json:"completion,omitempty"` // Completed
	Failure    *Error      `json:"failure,omitempty"`    // ModelFailed
	Index      int         `json:"index,omitempty"`      // Checked, ToolDone: which call of the model's answer, from 0
	Verdict    *Verdict    `json:"verdict,omitempty"`    // Checked
	Result     *Result     `json:"result,omitempty"`     // ToolDone
	ResultMS   float64     `json:"result_ms,omitempty"`  // ToolDone: how long the call took
	Cause      Cause       `json:"cause,omitempty"`      // Cancelled
	Yes        bool        `json:"yes,omitempty"`        // Answered: a yes, and nothing else, runs the pending call
	Arguments  string      `json:"arguments,omitempty"`  // Answered: an object to ask about anew

	// Proposed are calls that are made in the model's place; Start carries them. Those that act run in their order.
	Proposed []Proposed `json:"proposed,omitempty"`
	// CallerWords says that the caller and no model words the results; Start carries it, and Answered may. The turn
	// then pauses with their Outcome.Results, and the next Start of the same machine brings further calls, or the
	// Text that it ends with.
	CallerWords bool `json:"caller_words,omitempty"`
}

// Proposed is a call that a rule or a workflow makes. Call.Arguments is one JSON object.
type Proposed struct {
	Call
	Approved bool `json:"approved,omitempty"` // the person has agreed to it: it is checked, and not asked about again
}

// EffectKind names an [Effect].
type EffectKind string

// The effects. Each field of Effect says which of them carry it.
const (
	CallModel EffectKind = "call_model"
	CheckTool EffectKind = "check_tool"
	CallTool  EffectKind = "call_tool"
	Emit      EffectKind = "emit"
	Finish    EffectKind = "finish" // the last effect of a turn
)

// Effect is what the machine wants done.
type Effect struct {
	Kind     EffectKind `json:"kind"`
	Request  *Request   `json:"request,omitempty"`  // CallModel
	Index    int        `json:"index,omitempty"`    // CheckTool, CallTool
	Call     *Call      `json:"call,omitempty"`     // CheckTool, CallTool
	Verdict  *Verdict   `json:"verdict,omitempty"`  // CallTool
	Emission *Emission  `json:"emission,omitempty"` // Emit
	Outcome  *Outcome   `json:"outcome,omitempty"`  // Finish
}

// EmissionKind names an [Emission].
type EmissionKind string

// The emissions, which are also the names of the server's stream events.
const (
	EmitDelta   EmissionKind = "delta"   // Text is a piece of the answer
	EmitInterim EmissionKind = "interim" // the deltas since the last one preceded calls and are no part of the answer
	EmitTool    EmissionKind = "tool"    // a tool's call changed its state
)

// ToolState is how far a call is, as streams show it.
type ToolState string

// The tool states.
const (
	ToolRunning ToolState = "running"
	ToolOK      ToolState = "done"
	ToolFailed  ToolState = "failed"
	ToolWaiting ToolState = "waiting" // for the person's yes
)

// Emission is something that the person may see while the turn runs.
type Emission struct {
	Kind  EmissionKind `json:"kind"`
	Text  string       `json:"text,omitempty"`
	Name  string       `json:"name,omitempty"`  // tool
	State ToolState    `json:"state,omitempty"` // tool
}

// Outcome is how a turn ended: with an answer, with a question to the person, or with a failure.
type Outcome struct {
	Text    string   `json:"text"`              // the answer, or the question of Pending
	Failure *Error   `json:"failure,omitempty"` // nil when the turn succeeded
	Cause   Cause    `json:"cause,omitempty"`   // set when the turn was cancelled
	Pending *Pending `json:"pending,omitempty"` // set in AWAITING_APPROVAL
	// Results are those of the calls that the caller words, in their order.
	Results []Result `json:"results,omitempty"`
	Trace   Trace    `json:"trace"`
	// Warnings are for the log: an unexpected finish_reason and the like.
	Warnings []string `json:"warnings,omitempty"`
}

// Pending is a call that waits for the person's yes.
type Pending struct {
	Call     Call   `json:"call"`
	Tool     string `json:"tool"` // digest at the time of the question
	Question string `json:"question"`
}

// Trace is the machine's own log of a turn.
type Trace struct {
	States    []State      `json:"states"`
	LLMCalls  int          `json:"llm_calls"`
	ToolCalls []CallRecord `json:"tool_calls"`
	Usage     Usage        `json:"usage"` // the sum; CostUSD is nil when one call's price is not known
	Offered   []string     `json:"offered,omitempty"`
	Claims    []string     `json:"claim,omitempty"` // sentences of what no call had done; they were not spoken
}

// CallRecord is one call of a trace.
type CallRecord struct {
	Name      string   `json:"name"`
	Arguments string   `json:"arguments"` // JSON, or what the model wrote where it is none
	Result    string   `json:"result"`    // JSON
	Cached    bool     `json:"cached"`
	MS        float64  `json:"ms"`
	Repaired  []string `json:"repaired,omitempty"`
	// Acted says that the call has changed something, and Undo how that is taken back. They are for the caller of the
	// turn.
	Acted bool  `json:"-"`
	Undo  *Undo `json:"-"`
}

// State is where a turn is.
type State string

// The states.
const (
	ReceiveInput        State = "RECEIVE_INPUT"
	LLMInference        State = "LLM_INFERENCE"
	ToolDecision        State = "TOOL_DECISION"
	ToolExecution       State = "TOOL_EXECUTION"
	ResultAggregation   State = "RESULT_AGGREGATION"
	ResponseComposition State = "RESPONSE_COMPOSITION"
	Output              State = "OUTPUT"
	AwaitingApproval    State = "AWAITING_APPROVAL"
)

// Limits bound one turn. Zero is no limit, except where Validate says otherwise.
type Limits struct {
	Iterations  int           `json:"iterations"`   // model calls
	Calls       int           `json:"calls"`        // tool calls
	ResultBytes int           `json:"result_bytes"` // of one result as the model reads it
	OutputBytes int           `json:"output_bytes"` // of the answer
	Tokens      int           `json:"tokens"`       // prompt and completion, over all model calls
	CostUSD     float64       `json:"cost_usd"`
	Wall        time.Duration `json:"wall"`
}

// DefaultLimits are those of a turn without configuration.
func DefaultLimits() Limits {
	return Limits{Iterations: 10, Calls: 16, ResultBytes: 64 << 10, OutputBytes: 256 << 10, Wall: 60 * time.Second}
}
