// Package toolcall reads the tool calls in a model's answer as models really write them: as calls, in the text between
// tags, as JSON that is the whole text, with arguments encoded twice or cut off. It is text in, calls out: no I/O, no
// state, the same for the same input.
//
// It recovers what can mean only one thing and hands the rest back with a complaint that the model can act on. It never
// guesses a tool, never completes what was cut off and never takes an example in prose for a call.
package toolcall

import "encoding/json"

// Tool is what a model is told about a tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of type object; may be empty
}

// Call is one tool call.
type Call struct {
	ID        string // as the model gave it; may be empty
	Name      string
	Arguments string // one JSON object, or what the model wrote where the call is rejected
	// Read is what Arguments say; nil where the call is rejected.
	Read *Arguments
	// Repaired names what was changed, empty for a sound call.
	Repaired []string
	// Rejected says in one line why the call must not run, for the model to act on; empty for a call that may.
	Rejected string
}

// Answer is a model's whole answer.
type Answer struct {
	Content   string
	Calls     []Call // those that the server told apart from the content
	Truncated bool   // the answer met its length limit
}

// Decoded is what an answer means.
type Decoded struct {
	Text  string // for the person: without markup and thoughts
	Calls []Call // in the model's order
}
