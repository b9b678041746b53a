package loop

import (
	"fmt"
	"slices"
	"strconv"

	"chatterbox/loop/toolcall"
)

// CallPhase is how far an [OpenCall] is.
type CallPhase string

// The phases. A call that ends without being run goes from checking, or from nowhere, to settled.
const (
	CallChecking CallPhase = "checking"
	CallQueued   CallPhase = "queued" // it may run when the proposed calls before it have acted
	CallRunning  CallPhase = "running"
	CallAsking   CallPhase = "asking" // its verdict was Ask; which one asks is decided when its siblings have ended
	CallSettled  CallPhase = "settled"
)

// OpenCall is one call of the model's latest answer, or a proposed one, and what became of it so far.
type OpenCall struct {
	Call     Call      `json:"call"`
	Written  string    `json:"written,omitempty"` // the arguments as the model wrote them, where Call's differ
	Repaired []string  `json:"repaired,omitempty"`
	Phase    CallPhase `json:"phase"`
	Verdict  Verdict   `json:"verdict,omitzero"`
	Result   Result    `json:"result,omitzero"`
	MS       float64   `json:"ms,omitempty"`
	Recorded bool      `json:"recorded,omitempty"` // the trace has it
	Proposed bool      `json:"proposed,omitempty"` // by a rule or a workflow
	Approved bool      `json:"approved,omitempty"` // the person agreed to it
}

// openDecoded takes the calls of a model's answer. What the model wrote stays in the trace where it is no JSON.
func (s *step) openDecoded(text string, calls []toolcall.Call) {
	open := make([]OpenCall, len(calls))
	for i, call := range calls {
		open[i] = OpenCall{
			Call:  Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments, read: call.Read},
			Phase: CallChecking, Repaired: call.Repaired,
		}
		if call.Rejected != "" {
			open[i].reject(call.Rejected)
		}
	}
	s.open(text, open)
}

// propose takes calls that are made in the model's place.
func (s *step) propose(calls []Proposed) {
	open := make([]OpenCall, len(calls))
	for i, call := range calls {
		open[i] = OpenCall{Call: call.Call, Phase: CallChecking, Proposed: true, Approved: call.Approved}
		if read, err := call.Read(); err == nil {
			open[i].Call.Arguments, open[i].Call.read = read.Source, read
		} else {
			open[i].reject("the arguments are not one JSON object")
		}
	}
	s.open("", open)
}

// reject settles a call that is not checked.
func (open *OpenCall) reject(why string) {
	open.Written, open.Call.Arguments = open.Call.Arguments, "{}"
	open.Phase, open.Result = CallSettled, ErrorResult(why)
}

// open takes calls, with the text before them. Each is checked, but for those that have a result already.
func (s *step) open(text string, calls []OpenCall) {
	s.Calls = calls
	said := make([]Call, len(calls))
	for i := range calls {
		open := &calls[i]
		open.Call.ID = s.freshID(open.Call.ID, said[:i])
		said[i] = open.Call
		said[i].Name = toolcall.SafeName(open.Call.Name)
		switch {
		case open.Phase == CallSettled:
		case s.Limits.Calls > 0 && s.CallsUsed >= s.Limits.Calls:
			open.Phase, open.Result = CallSettled, ErrorResult(fmt.Sprintf(
				"Not run: this turn's limit of %d tool calls is reached. Answer with what you have.", s.Limits.Calls))
		default:
			s.CallsUsed++
		}
	}
	s.say(Message{Role: Assistant, Content: text, ToolCalls: said})
	s.enter(ToolExecution)
	for i := range calls {
		if open := &calls[i]; open.Phase == CallChecking {
			call := open.Call
			s.do(Effect{Kind: CheckTool, Index: i, Call: &call})
		} else {
			s.showTool(open.Call.Name, ToolFailed)
		}
	}
	s.settle()
}

// freshID is id, or a new one where id is empty or taken in this turn: two results with one id are one too many for
// every server.
func (s *step) freshID(id string, siblings []Call) string {
	taken := func(id string) bool {
		same := func(call Call) bool { return call.ID == id }
		return slices.ContainsFunc(siblings, same) || slices.ContainsFunc(s.Messages, func(message Message) bool {
			return slices.ContainsFunc(message.ToolCalls, same)
		})
	}
	for n := len(siblings) + 1; id == "" || taken(id); n++ {
		id = "call_" + strconv.Itoa(s.Trace.LLMCalls) + "_" + strconv.Itoa(n)
	}
	return id
}

// change gives the call of the event's index to write to, nil when it is not in phase.
func (s *step) change(phase CallPhase) *OpenCall {
	i := s.event.Index
	if i < 0 || i >= len(s.Calls) || s.Calls[i].Phase != phase {
		return nil
	}
	s.Calls = slices.Clone(s.Calls)
	return &s.Calls[i]
}

func (s *step) checked() {
	open := s.change(CallChecking)
	if open == nil {
		return
	}
	verdict := Verdict{Decision: Refuse, Reason: "the call was not checked"}
	if s.event.Verdict != nil {
		verdict = *s.event.Verdict
	}
	switch {
	case verdict.Decision == Ask && open.Approved:
		verdict = approved(verdict)
	case s.Swayed && !open.Proposed && verdict.Decision == Run && verdict.Question != "":
		verdict.Decision = Ask
		if verdict.Reason != "" {
			verdict.Decision = Refuse
		}
	}
	open.Verdict = verdict
	switch verdict.Decision {
	case Run:
		open.Phase = CallQueued
	case Ask:
		open.Phase = CallAsking
	default:
		s.end(open, ErrorResult(verdict.Reason), 0)
	}
	s.settle()
}

// run has the call at index i run by its verdict. The caller owns s.Calls.
func (s *step) run(i int) {
	open := &s.Calls[i]
	open.Phase = CallRunning
	call, verdict := open.Call, open.Verdict
	s.do(Effect{Kind: CallTool, Index: i, Call: &call, Verdict: &verdict})
	s.showTool(call.Name, ToolRunning)
}

func (s *step) toolDone() {
	open := s.change(CallRunning)
	if open == nil {
		return
	}
	result := ErrorResult("the tool gave no result")
	if s.event.Result != nil {
		result = *s.event.Result
	}
	s.end(open, result, s.event.ResultMS)
	s.settle()
}

func (s *step) end(open *OpenCall, result Result, ms float64) {
	open.Phase, open.Result, open.MS = CallSettled, wellFormed(result), ms
	state := ToolOK
	if result.Failed {
		state = ToolFailed
	}
	s.showTool(open.Call.Name, state)
}

func (s *step) showTool(name string, state ToolState) {
	s.do(Effect{Kind: Emit, Emission: &Emission{Kind: EmitTool, Name: name, State: state}})
}

// runQueued runs the calls that wait for nothing any more. A proposed call that acts waits for those before it that may
// act. It reports whether the turn can go on. The caller owns s.Calls.
func (s *step) runQueued() bool {
	wait := false
	for i := range s.Calls {
		open := &s.Calls[i]
		if open.Phase == CallQueued && !(wait && open.Proposed && open.Verdict.Acts) {
			if s.overBudget() {
				return false
			}
			s.run(i)
		}
		switch open.Phase {
		case CallChecking:
			wait = true
		case CallQueued, CallRunning:
			wait = wait || open.Verdict.Acts
		}
	}
	return true
}

// settle runs what may run now, and goes on when no call is under way any more: to the person, where a call needs a
// yes, else to whoever words the results. The caller owns s.Calls.
func (s *step) settle() {
	if !s.runQueued() {
		return
	}
	asking := -1
	for i := range s.Calls {
		switch s.Calls[i].Phase {
		case CallChecking, CallQueued, CallRunning:
			return
		case CallAsking:
			if asking < 0 {
				asking = i
			}
		}
	}
	if asking < 0 {
		s.aggregate()
		return
	}
	s.Calls = slices.Clone(s.Calls)
	for i := asking + 1; i < len(s.Calls); i++ {
		if open := &s.Calls[i]; open.Phase == CallAsking {
			s.end(open, ErrorResult("Not run: the person is asked for one confirmation at a time. Call it again afterwards."), 0)
		}
	}
	s.await(asking)
}

// aggregate tells the model all results, in the order of its calls, then more, and asks on. A call repeated after the
// note on repeating ends the turn instead. Where the caller words the results the turn pauses with them.
func (s *step) aggregate(more ...Message) {
	s.enter(ResultAggregation)
	s.Calls = slices.Clone(s.Calls)
	earlier := len(s.Trace.ToolCalls)
	stuck := ""
	results := make([]Message, 0, len(s.Calls)+len(more))
	for i := range s.Calls {
		open := &s.Calls[i]
		noted := false
		if !open.Recorded {
			repeated := repeatNone
			if !open.Proposed {
				repeated = s.repeats(open, earlier)
			}
			switch repeated {
			case repeatAgain:
				stuck = open.Call.Name
			case repeatFirst:
				noted = true
				s.Noted = append(slices.Clip(s.Noted), len(s.Trace.ToolCalls))
			}
			s.record(open)
		}
		s.Swayed = s.Swayed || open.Verdict.Decision == Run && !open.Verdict.Trusted
		results = append(results, Message{
			Role: FromTool, ToolCallID: open.Call.ID, Content: present(open.Result.Content, noted, s.Limits.ResultBytes),
		})
	}
	s.say(append(results, more...)...)
	if stuck != "" {
		s.fail(Error{Kind: KindRepeatedCall, Message: fmt.Sprintf(
			"the model repeated a call of %s with the same arguments and result after it was told so", stuck)})
		return
	}
	if !s.CallerWords {
		s.ask()
		return
	}
	outcome := Outcome{Results: make([]Result, len(s.Calls))}
	for i := range s.Calls {
		outcome.Results[i] = s.Calls[i].Result
	}
	s.finish(outcome)
}

func (s *step) record(open *OpenCall) {
	open.Recorded = true
	s.Done.note(open)
	record := CallRecord{
		Name: open.Call.Name, Arguments: open.arguments(), Result: open.Result.Content,
		Cached: open.Result.Cached, MS: open.MS, Repaired: open.Repaired,
	}
	if open.Verdict.Decision == Run && open.Verdict.Acts && !open.Result.Failed {
		record.Acted, record.Undo = true, open.Verdict.Undo
	}
	s.Trace.ToolCalls = append(slices.Clip(s.Trace.ToolCalls), record)
}

func (open *OpenCall) arguments() string {
	if open.Written != "" {
		return open.Written
	}
	return open.Call.Arguments
}

// abandonCalls gives every call that has none a result, so that the trace of a turn that breaks off is whole.
func (s *step) abandonCalls() {
	if s.State != ToolExecution {
		return
	}
	s.Calls = slices.Clone(s.Calls)
	for i := range s.Calls {
		open := &s.Calls[i]
		if open.Phase != CallSettled {
			s.end(open, ErrorResult("abandoned: the turn ended before the call did"), 0)
		}
		if !open.Recorded {
			s.record(open)
		}
	}
}
