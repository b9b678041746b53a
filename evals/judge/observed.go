// Package judge gives verdicts on turns, reads the log of trials, and has their statistics and thresholds.
package judge

import "encoding/json"

// Class is what was wrong.
type Class string

// The classes of failures.
const (
	NoCall           Class = "no_call"
	NeedlessQuestion Class = "needless_question"
	WrongTool        Class = "wrong_tool"
	UnknownTool      Class = "unknown_tool"
	WrongArguments   Class = "wrong_arguments"
	MalformedCall    Class = "malformed_call"
	ExtraCall        Class = "extra_call"
	MissingCall      Class = "missing_call"
	RepeatedCall     Class = "repeated_call"
	ForbiddenCall    Class = "forbidden_call"
	UngroundedAnswer Class = "ungrounded_answer"
	WrongAnswer      Class = "wrong_answer"
	IterationLimit   Class = "iteration_limit"
	EmptyResponse    Class = "empty_response"
	Timeout          Class = "timeout"
)

// ContextTruncated is the class of a trial that is excluded because the server cut what the model was to read.
const ContextTruncated Class = "context_truncated"

// Classes lists the classes of failures.
func Classes() []Class {
	return []Class{
		NoCall, NeedlessQuestion, WrongTool, UnknownTool, WrongArguments, MalformedCall, ExtraCall, MissingCall,
		RepeatedCall, ForbiddenCall, UngroundedAnswer, WrongAnswer, IterationLimit, EmptyResponse, Timeout,
	}
}

// abouts says in a few words what a class is.
var abouts = map[Class]string{
	NoCall:           "it answered, or did nothing, instead of calling a tool",
	NeedlessQuestion: "it asked for what it knew already instead of calling a tool",
	WrongTool:        "it called another of the tools",
	UnknownTool:      "it called a tool that was not offered",
	WrongArguments:   "the right tool, with other arguments than asked for",
	MalformedCall:    "a call that nobody can read, or that breaks the tool's schema",
	ExtraCall:        "a call that nobody asked for",
	MissingCall:      "some of the calls, but not all of them",
	RepeatedCall:     "the same call again",
	ForbiddenCall:    "a call that must not be made, or not without a yes",
	UngroundedAnswer: "the answer has numbers that no tool told it",
	WrongAnswer:      "the calls were right, the answer was not",
	IterationLimit:   "it never came to an answer",
	EmptyResponse:    "an answer without a word",
	Timeout:          "the turn took too long",
	ContextTruncated: "the server cut the prompt: it says nothing about the model",
}

// About says in a few words what a class is; empty for one that is not known.
func (c Class) About() string { return abouts[c] }

// Refusal is why a call did not run.
type Refusal string

// The refusals.
const (
	Ran           Refusal = ""
	NotOffered    Refusal = "unknown_tool"
	NotReadable   Refusal = "malformed"
	NotAcceptable Refusal = "schema"
)

// Call is a call as the model made it.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a JSON string where the model wrote no object
	Result    json.RawMessage `json:"result,omitempty"`
	Refusal   Refusal         `json:"refusal,omitempty"`
	Answer    int             `json:"-"` // which answer of the model it is from; 0 where that is not known
	Cached    bool            `json:"-"` // its result was that of an earlier call
}

// Observed is what happened in one turn.
type Observed struct {
	Said     string
	History  []string // all that was said and answered before the turn
	Offered  []string // names
	Calls    []Call
	Answer   string
	Asked    int    // calls of the model
	AtOnce   *bool  // whether all calls were made at once, where only that is known
	Failure  Class  // of a turn that ended early, else empty
	Approval string // the tool that a yes was asked for
	Repaired int    // calls that the product put right
	Phase    string // of the workflow
	Fields   map[string]string
}

// Round tells calls that were made at once from those that were not: it is the same number for the former. 0 is not
// known.
func (o Observed) Round(c Call) int {
	if c.Answer == 0 && o.AtOnce != nil && *o.AtOnce {
		return 1
	}
	return c.Answer
}

// Verdict is a judgement: the zero value is that all held.
type Verdict struct {
	Class  Class
	Detail string
}

// Pass says that all held.
func (v Verdict) Pass() bool { return v.Class == "" }
