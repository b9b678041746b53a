// Package workflow is the machine behind dialogues that collect facts and then act: booking, reminders. A workflow is
// data ([Definition]); [Step] interprets it and is pure: the same flow, state and input give the same state and action.
//
// The machine decides what happens: which field is asked for, which tool is called with which arguments, when the
// person has agreed. It never calls a tool that acts unless the person said yes to a question of this workflow, or the
// workflow marks the call as one that needs none; then the tool has the last word.
package workflow

import (
	"encoding/json"
	"time"
)

// Match is one value that an [Extractor] found in a text.
type Match struct {
	Kind        string
	Start, End  int    // bytes of the text
	Text        string // as said
	Value       string // canonical, such as 2026-03-05 for a date
	Approximate bool   // a default stood in for what was said, such as 09:00 for "morning"
}

// Context is what a text is understood in.
type Context struct {
	Now      time.Time // with the location that dates and times are meant in
	Language string    // such as "en" or "de-AT"
	Country  string    // ISO 3166, for telephone numbers
	Expect   string    // the kind that was asked for, so that a bare answer counts; else empty
}

// Extractor finds the values of one kind, in the order of their Start. It must be pure, and several goroutines may call
// it at once.
type Extractor func(text string, in Context) []Match

// Value is what a field holds.
type Value struct {
	Value       string `json:"value"`
	Text        string `json:"text,omitempty"` // as the person said it
	Approximate bool   `json:"approximate,omitempty"`
}

// State is a dialogue between two turns. It is JSON; the zero value has no workflow open. Step never changes the one it
// is given.
type State struct {
	Flow   string           `json:"flow,omitempty"`
	Phase  string           `json:"phase,omitempty"` // in capitals
	Fields map[string]Value `json:"fields,omitempty"`
	Ended  Ending           `json:"ended,omitempty"`

	Language    string         `json:"language,omitempty"`
	At          time.Time      `json:"at,omitzero"`        // of the last step
	Asked       string         `json:"asked,omitempty"`    // the field that the last question asked for
	Asks        map[string]int `json:"asks,omitempty"`     // how often each question was asked: the next wording is another
	Skipped     []string       `json:"skipped,omitempty"`  // fields that the person does not want to tell
	Changing    bool           `json:"changing,omitempty"` // the person wants a change and has not said which
	Confirmed   bool           `json:"confirmed,omitempty"`
	Checked     string         `json:"checked,omitempty"` // arguments that the check found free
	Taken       bool           `json:"taken,omitempty"`   // the check found it not free, and nothing has changed since
	Offers      []Offer        `json:"offers,omitempty"`  // what was offered instead
	Pending     *Call          `json:"pending,omitempty"` // asked for and without its result
	Soonest     bool           `json:"soonest,omitempty"` // the time was left to the workflow, and no check has looked at it yet
	Retry       bool           `json:"retry,omitempty"`   // a tool failed; the person may say "try again"
	Unsure      bool           `json:"unsure,omitempty"`  // a call that acts has no result: what it did is not known
	Digressions int            `json:"asides,omitempty"`  // how often in a row the question was asked again beside another topic
	Resting     bool           `json:"resting,omitempty"` // it is not asked any more before the person returns to it
	Parked      *State         `json:"parked,omitempty"`  // the workflow that goes on when this one has ended
}

// Offer is one alternative, by field.
type Offer map[string]string

// Ending says how a workflow ended.
type Ending string

// The endings.
const (
	Completed Ending = "completed"
	Abandoned Ending = "cancelled"
	TimedOut  Ending = "expired"
)

// Open says whether a workflow waits for the person. A state that has ended still tells its flow, phase and fields.
func (s State) Open() bool { return s.Flow != "" && s.Ended == "" }

// Input is what a step is made from.
type Input struct {
	Text     string
	Language string // empty is that of the step before
	Country  string // ISO 3166
	Now      time.Time
	// Result is that of the call which the last action asked for. Text and Start then do not count.
	Result *Result
	// Start opens the flow with Text. A state that is open is parked.
	Start bool
	// Others names the workflows that Text may open beside this one; nil is all of the set.
	Others []string
}

// Result is what a tool gave.
type Result struct {
	Content string // one JSON value
	Failed  bool
}

// ActionKind says what the caller has to do.
type ActionKind string

// The kinds of actions.
const (
	Say        ActionKind = "say"       // answer with Reply; the workflow stays open
	CallTool   ActionKind = "call"      // run Call, then Step again with Input.Result
	Digression ActionKind = "aside"     // Text is not for this workflow: let others answer it, then append Reply, if any
	Done       ActionKind = "done"      // answer with Reply; the workflow is complete
	Cancelled  ActionKind = "cancelled" // answer with Reply; the workflow has ended without effect
	Expired    ActionKind = "expired"   // the workflow has ended silently: route Text anew
)

// Action is what a step asks of the caller.
type Action struct {
	Kind   ActionKind
	Reply  string
	Call   *Call          // of CallTool
	Facts  map[string]any // what Reply was made from, for a model that phrases it anew
	Reason string         // for the trace
}

// Call is a tool call.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Confirmed bool            `json:"confirmed,omitempty"` // carries the person's yes
	// Unasked acts without a yes. It may run only where the tool asks for none.
	Unasked bool `json:"unasked,omitempty"`
}

// acts says whether the call is more than a look.
func (c *Call) acts() bool { return c.Confirmed || c.Unasked }
