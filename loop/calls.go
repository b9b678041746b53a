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
	CallRunning  CallPhase = "running"
	CallAsking   CallPhase = "asking" // its verdict was Ask; which one asks is decided when its siblings have ended
	CallSettled  CallPhase = "settled"
)

// OpenCall is one call of the model's latest answer and what became of it so far.
type OpenCall struct {
	Call     Call      `json:"call"`
	Written  string    `json:"written,omitempty"` // the arguments as the model wrote them, where Call's differ
	Repaired []string  `json:"repaired,omitempty"`
	Phase    CallPhase `json:"phase"`
	Verdict  Verdict   `json:"verdict,omitzero"`
	Result   Result    `json:"result,omitzero"`
	MS       float64   `json:"ms,omitempty"`
	Recorded bool      `json:"recorded,omitempty"` // the trace has it
}

// open takes the calls of an answer. Each is checked, but for those that cannot be: they have their result already.
func (s *step) open(text string, calls []toolcall.Call) {
	s.Calls = make([]OpenCall, len(calls))
	said := make([]Call, len(calls))
	for i, call := range calls {
		open := OpenCall{Phase: CallChecking, Repaired: call.Repaired}
		open.Call = Call{ID: s.freshID(call.ID, said[:i]), Name: call.Name, Arguments: call.Arguments}
		reason := call.Rejected
		if reason == "" && s.Limits.Calls > 0 && s.CallsUsed >= s.Limits.Calls {
			reason = fmt.Sprintf("Not run: this turn's limit of %d tool calls is reached. Answer with what you have.", s.Limits.Calls)
		}
		if reason == "" {
			s.CallsUsed++
		} else {
			open.Phase, open.Result = CallSettled, ErrorResult(reason)
		}
		said[i] = open.Call
		if call.Rejected != "" {
			open.Written = call.Arguments
			open.Call.Arguments = "{}"
			said[i].Arguments = "{}"
		}
		said[i].Name = toolcall.SafeName(call.Name)
		s.Calls[i] = open
	}
	s.say(Message{Role: Assistant, Content: text, ToolCalls: said})
	s.enter(ToolExecution)
	for i := range s.Calls {
		if open := &s.Calls[i]; open.Phase == CallChecking {
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
	open.Verdict = verdict
	switch verdict.Decision {
	case Run:
		if s.overBudget() {
			return
		}
		s.run(s.event.Index)
		return
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

// settle goes on when no call is under way any more: to the person, where a call needs a yes, else to the model.
func (s *step) settle() {
	asking := -1
	for i := range s.Calls {
		switch s.Calls[i].Phase {
		case CallChecking, CallRunning:
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
// note on repeating ends the turn instead.
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
			switch s.repeats(open, earlier) {
			case repeatAgain:
				stuck = open.Call.Name
			case repeatFirst:
				noted = true
				s.Noted = append(slices.Clip(s.Noted), len(s.Trace.ToolCalls))
			}
			s.record(open)
		}
		results = append(results, Message{
			Role: FromTool, ToolCallID: open.Call.ID, Content: present(open.Result.Content, noted, s.Limits.ResultBytes),
		})
	}
	s.say(append(results, more...)...)
	if stuck != "" {
		s.fail(Failure{Kind: KindRepeatedCall, Message: fmt.Sprintf(
			"the model repeated a call of %s with the same arguments and result after it was told so", stuck)})
		return
	}
	s.ask()
}

func (s *step) record(open *OpenCall) {
	open.Recorded = true
	s.Trace.ToolCalls = append(slices.Clip(s.Trace.ToolCalls), CallRecord{
		Name: open.Call.Name, Arguments: open.arguments(), Result: open.Result.Content,
		Cached: open.Result.Cached, MS: open.MS, Repaired: open.Repaired,
	})
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
