package loop

import (
	"slices"

	"chatterbox/loop/toolcall"
)

// This file is the person's part. A call whose verdict is Ask ends the turn with a question; what the person says
// next resumes the same machine, perhaps in another process. Only a yes runs the call, and only once: the machine
// that it leads to waits for no answer any more. Other arguments are checked, and asked about anew. The verdict of
// the resumed call names the tool that was checked, so that Tools refuses when another one has taken its place.

// await ends the turn with the question of the call at index i. The caller owns s.Calls.
func (s *step) await(i int) {
	open := &s.Calls[i]
	for j := range s.Calls {
		if j != i && !s.Calls[j].Recorded {
			s.record(&s.Calls[j])
		}
	}
	s.showTool(open.Call.Name, ToolWaiting)
	question := s.cut(open.Verdict.Question)
	s.showText(question)
	s.enter(AwaitingApproval)
	s.finish(Outcome{Text: question, Pending: &Pending{Call: open.Call, Tool: open.Verdict.Tool, Question: question}})
}

// answered begins a new turn, with its own trace and limits, on the calls of the old one.
func (s *step) answered() {
	i := slices.IndexFunc(s.Calls, func(open OpenCall) bool { return open.Phase == CallAsking })
	s.Trace, s.Warnings, s.Noted, s.CallsUsed, s.Shown = newTrace(s.Tools), nil, nil, 1, Shown{}
	s.enter(ReceiveInput)
	if i < 0 {
		s.fail(Error{Kind: KindInternal, Message: "the machine awaits approval of no call"})
		return
	}
	s.Calls, s.CallerWords = slices.Clone(s.Calls), s.CallerWords || s.event.CallerWords
	if read, err := toolcall.ReadArguments(s.event.Arguments); err == nil {
		s.revise(i, read)
		return
	}
	if s.event.Yes {
		s.enter(ToolExecution)
		if s.overBudget() {
			return
		}
		s.Calls[i].Verdict, s.Calls[i].Approved = approved(s.Calls[i].Verdict), true
		s.run(i)
		return
	}
	s.end(&s.Calls[i], ErrorResult("declined by the person"), 0)
	s.aggregate(Message{Role: User, Content: s.event.Text})
}

// revise has the call at index i checked anew, with the arguments that the person named. The caller owns s.Calls.
func (s *step) revise(i int, named *Arguments) {
	if s.overBudget() {
		return
	}
	open := &s.Calls[i]
	open.Call.Arguments, open.Call.read, open.Written, open.Repaired = named.Source, named, "", nil
	open.Phase, open.Verdict = CallChecking, Verdict{}
	s.Messages = slices.Clone(s.Messages)
	for m := range s.Messages {
		said := s.Messages[m].ToolCalls
		if at := slices.IndexFunc(said, func(call Call) bool { return call.ID == open.Call.ID }); at >= 0 {
			s.Messages[m].ToolCalls = slices.Clone(said)
			s.Messages[m].ToolCalls[at].Arguments = open.Call.Arguments
		}
	}
	s.enter(ToolDecision, ToolExecution)
	call := open.Call
	s.do(Effect{Kind: CheckTool, Index: i, Call: &call})
}

// approved is the verdict on a call that the person has agreed to. No result is reused for it.
func approved(asked Verdict) Verdict {
	return Verdict{Decision: Run, Tool: asked.Tool, Acts: asked.Acts, Trusted: asked.Trusted, Undo: asked.Undo}
}
