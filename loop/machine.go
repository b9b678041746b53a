package loop

import (
	"fmt"
	"slices"
)

// Machine is one turn between two events. It is plain data that survives a round trip through JSON, which is how a turn
// in [AwaitingApproval] outlives a restart. Only [Step] changes it; everybody else reads it at most.
type Machine struct {
	Limits Limits `json:"limits"`
	Tools  []Tool `json:"tools,omitempty"`
	// State is empty before the first event.
	State State `json:"state,omitempty"`
	// Ended is set once the turn is over: no event has an effect any more. A machine in [AwaitingApproval] has not
	// ended, nor has one that pauses in [ResultAggregation] for its caller's words.
	Ended bool `json:"ended,omitempty"`
	// CallerWords says that the caller words the results of the calls.
	CallerWords bool `json:"caller_words,omitempty"`

	Messages []Message `json:"messages,omitempty"`
	// Calls are those of the model's latest answer, or those last proposed, in their order.
	Calls []OpenCall `json:"calls,omitempty"`
	// Swayed says that the model has read a result that is not to be trusted.
	Swayed bool `json:"swayed,omitempty"`
	// CallsUsed counts the calls of the turn that were given to Tools.
	CallsUsed int   `json:"calls_used,omitempty"`
	Shown     Shown `json:"shown"`
	// Honest is what is said in place of a claim. Where it is set, what the model claims to have done is spoken only
	// when a call of the turn did something: see release.go.
	Honest *Honest `json:"honest,omitempty"`
	Done   Done    `json:"done,omitzero"`
	// Noted are the indices of the trace's calls whose result carried the note on repeating.
	Noted    []int    `json:"noted,omitempty"`
	Trace    Trace    `json:"trace"`
	Warnings []string `json:"warnings,omitempty"`
}

// New is a turn that has not begun. tools are what the model is offered; Tools may run others too. Iterations of 0 are
// taken from [DefaultLimits], so that every turn ends.
func New(limits Limits, tools []Tool) Machine {
	if limits.Iterations <= 0 {
		limits.Iterations = DefaultLimits().Iterations
	}
	return Machine{Limits: limits, Tools: tools, Trace: newTrace(tools)}
}

func newTrace(tools []Tool) Trace {
	trace := Trace{States: []State{}, ToolCalls: []CallRecord{}}
	for _, tool := range tools {
		trace.Offered = append(trace.Offered, tool.Name)
	}
	return trace
}

// Step gives the machine that follows machine on event, and the effects to perform in their order. It keeps and returns
// parts of its arguments but changes none of them. An event that does not fit the machine's state has no effect: a late
// result, an answer to a question that was not asked, anything after the end.
func Step(machine Machine, event Event) (Machine, []Effect) {
	s := step{Machine: machine, event: event}
	if s.Ended {
		return machine, nil
	}
	switch event.Kind {
	case Start:
		switch {
		case s.State == "":
			s.start()
		case s.State == ResultAggregation && s.CallerWords:
			s.proceed()
		}
	case Delta:
		if s.State == LLMInference {
			s.delta()
		}
	case Restarted:
		if s.State == LLMInference {
			s.interim()
			s.Shown = Shown{}
		}
	case Completed:
		if s.State == LLMInference {
			s.completed()
		}
	case ModelFailed:
		if s.State == LLMInference {
			s.modelFailed()
		}
	case Checked:
		if s.State == ToolExecution {
			s.checked()
		}
	case ToolDone:
		if s.State == ToolExecution {
			s.toolDone()
		}
	case Cancelled:
		if s.State != AwaitingApproval {
			s.cancelled()
		}
	case Answered:
		if s.State == AwaitingApproval {
			s.answered()
		}
	}
	return s.Machine, s.effects
}

// step is one call of Step. Its methods own the embedded copy of the machine but not what its slices point to: those
// are replaced, never written.
type step struct {
	Machine
	event   Event
	effects []Effect
}

func (s *step) do(effect Effect) { s.effects = append(s.effects, effect) }

func (s *step) enter(states ...State) {
	s.Trace.States = append(slices.Clip(s.Trace.States), states...)
	s.State = states[len(states)-1]
}

func (s *step) say(messages ...Message) {
	s.Messages = append(slices.Clip(s.Messages), messages...)
}

func (s *step) warn(format string, arguments ...any) {
	s.Warnings = append(slices.Clip(s.Warnings), fmt.Sprintf(format, arguments...))
}

func (s *step) start() {
	s.Messages, s.CallerWords = s.event.Messages, s.event.CallerWords
	s.enter(ReceiveInput)
	s.proceed()
}

// proceed does what a Start carries: makes its calls, speaks the caller's words, or asks the model.
func (s *step) proceed() {
	switch {
	case len(s.event.Proposed) > 0:
		if s.overBudget() {
			return
		}
		s.enter(ToolDecision)
		s.propose(s.event.Proposed)
	case s.CallerWords:
		s.compose(s.cut(s.event.Text))
	default:
		s.ask()
	}
}

// ask puts the question to the model, unless a limit forbids it.
func (s *step) ask() {
	if s.Trace.LLMCalls >= s.Limits.Iterations {
		s.fail(Error{Kind: KindIterationLimit, Message: fmt.Sprintf(
			"AgenticLoop exceeded max_iterations=%d without reaching a final response.", s.Limits.Iterations)})
		return
	}
	if s.overBudget() {
		return
	}
	s.enter(LLMInference)
	s.Trace.LLMCalls++
	s.Shown = Shown{}
	s.do(Effect{Kind: CallModel, Request: &Request{Messages: s.Messages, Tools: s.Tools}})
}

func (s *step) modelFailed() {
	failure := Error{Kind: KindInternal, Message: "the model failed without saying why"}
	if s.event.Failure != nil {
		failure = *s.event.Failure
	}
	s.fail(failure)
}

func (s *step) cancelled() {
	failure := Error{Kind: KindInternal, Message: "the turn was cancelled: " + string(s.event.Cause)}
	if s.event.Cause == Deadline {
		failure.Kind = KindBudget
		if s.State == LLMInference {
			failure.Kind = KindConnection
		}
	}
	s.abandonCalls()
	s.finish(Outcome{Failure: &failure, Cause: s.event.Cause})
}

// fail ends the turn without an answer.
func (s *step) fail(failure Error) { s.finish(Outcome{Failure: &failure}) }

// finish is the last effect of the turn.
func (s *step) finish(outcome Outcome) {
	s.Ended = outcome.Pending == nil && outcome.Results == nil
	outcome.Trace = s.Trace
	outcome.Warnings = s.Warnings
	s.do(Effect{Kind: Finish, Outcome: &outcome})
}
