package scenario

import (
	"encoding/json"

	"chatterbox/evals/bfcl"
	"chatterbox/evals/mockllm"
)

// Plan is a scenario that can be scored on a model, read from its sentences.
type Plan struct {
	Scenario Scenario
	Tools    []Tool // that the scenario is about
	Others   int    // how many more are offered, drawn from the catalogue
	Language string // empty: en
	Before   []Exchange
	Turns    []Turn
}

// Tool is a tool as it is offered to the model, and what its stub does.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// Effects is read, write or irreversible; empty is read.
	Effects string `json:"effects,omitempty"`
	// Confirm makes the assistant ask for a yes before a call runs.
	Confirm bool `json:"confirm,omitempty"`
	// Apart keeps the tool out of the others that are offered beside a scenario's own.
	Apart bool `json:"apart,omitempty"`
	// Answer is what every call is answered with; an object with the one field error is a failure.
	Answer json.RawMessage `json:"answer"`
}

// Exchange is a turn that lies before what is judged.
type Exchange struct {
	User  string `json:"user"`
	Model string `json:"model"`
}

// Turn is what a person says, and what is expected of it.
type Turn struct {
	Said   []string        `json:"said"` // ways to say the same; trials take them in turns
	Script []mockllm.Reply `json:"-"`    // what the model does where it is played
	Expect Expect          `json:"expect"`
}

// Expect is all that must hold of one turn. A zero field expects nothing.
type Expect struct {
	NoTool   bool           `json:"no_tool,omitempty"`
	Calls    []Call         `json:"calls,omitempty"`   // each is made by a call of its own, and no other call is made
	Ordered  bool           `json:"ordered,omitempty"` // and they are made in this order
	Allowed  []string       `json:"allowed,omitempty"` // tools whose calls do not matter
	Counts   map[string]int `json:"counts,omitempty"`  // by tool; the empty name is all of them
	Before   [][2]string    `json:"before,omitempty"`  // the first tool is called before the second
	AtOnce   bool           `json:"at_once,omitempty"`
	AskedMax int            `json:"asked_max,omitempty"` // so many calls of the model at most

	Mentions [][]string        `json:"mentions,omitempty"` // of each, one is in the answer
	Lacks    []string          `json:"lacks,omitempty"`
	Grounded bool              `json:"grounded,omitempty"` // every number in the answer was said or came from a tool
	Question bool              `json:"question,omitempty"`
	Refuses  bool              `json:"refuses,omitempty"`
	Approval string            `json:"approval,omitempty"` // the tool that a yes is asked for
	Phase    string            `json:"phase,omitempty"`
	Fields   map[string]string `json:"fields,omitempty"`

	// Leaderboard judges the calls of the model's first answer.
	Leaderboard *bfcl.Question `json:"leaderboard,omitempty"`

	// Listed says that a table has named all calls.
	Listed bool `json:"-"`
}

// Call is a call that is expected.
type Call struct {
	Tool      string              `json:"tool"`
	Any       bool                `json:"any,omitempty"` // with whatever arguments
	Arguments map[string]Argument `json:"arguments,omitempty"`
}

// Argument is the value that is expected of an argument.
type Argument struct {
	OneOf    []string    `json:"one_of,omitempty"` // cells
	Within   *[2]float64 `json:"within,omitempty"`
	Optional bool        `json:"optional,omitempty"` // it may be left out
}

// last is the turn that sentences speak of.
func (p *Plan) last() *Turn { return &p.Turns[len(p.Turns)-1] }
