package loop

import (
	"chatterbox/loop/toolcall"
)

// Shown is how much of the answer that is arriving has been emitted. The text itself stays with the completion: its
// hash is enough to know whether what was shown is how the whole begins.
type Shown struct {
	Scanner toolcall.Scanner `json:"scanner,omitzero"`
	Bytes   int              `json:"bytes,omitempty"`
	Hash    uint64           `json:"hash,omitempty"` // FNV-1a of the emitted bytes
	Full    bool             `json:"full,omitempty"` // the output limit is reached
	Gate    Gate             `json:"gate,omitzero"`

	judge *judge // of this answer, made when it is needed
}

func (s *step) delta() {
	scanner, text, restart := s.Shown.Scanner.Feed(s.event.Text, s.Tools)
	s.Shown.Scanner = scanner
	if restart {
		s.Shown.Gate = Gate{}
		s.interim()
	}
	if s.Shown.Full {
		return
	}
	text = s.release(text)
	if room := s.Limits.OutputBytes - s.Shown.Bytes; s.Limits.OutputBytes > 0 && len(text) > room {
		text, s.Shown.Full = runePrefix(text, room), true
	}
	s.showText(text)
}

// showText emits a piece of the answer.
func (s *step) showText(text string) {
	if text == "" {
		return
	}
	s.Shown.Bytes += len(text)
	s.Shown.Hash = hash(s.Shown.Hash, text)
	s.do(Effect{Kind: Emit, Emission: &Emission{Kind: EmitDelta, Text: text}})
}

// interim takes back what was shown: it is not part of the answer.
func (s *step) interim() {
	if s.Shown.Bytes == 0 {
		return
	}
	s.Shown.Bytes, s.Shown.Hash, s.Shown.Full = 0, 0, false
	s.do(Effect{Kind: Emit, Emission: &Emission{Kind: EmitInterim}})
}

// complete shows what of text has not been shown.
func (s *step) complete(text string) {
	if n := s.Shown.Bytes; n > len(text) || hash(0, text[:n]) != s.Shown.Hash {
		s.interim()
	}
	s.showText(text[s.Shown.Bytes:])
}

// cut is text within the output limit.
func (s *step) cut(text string) string {
	if s.Limits.OutputBytes == 0 || len(text) <= s.Limits.OutputBytes {
		return text
	}
	s.warn("the answer of %d bytes was cut at %d", len(text), s.Limits.OutputBytes)
	return runePrefix(text, s.Limits.OutputBytes)
}

func (s *step) completed() {
	if s.event.Completion == nil {
		s.fail(Error{Kind: KindInternal, Message: "the model completed nothing"})
		return
	}
	completion := *s.event.Completion
	s.Trace.Usage = s.Trace.Usage.Plus(completion.Usage, s.Trace.LLMCalls == 1)
	s.enter(ToolDecision)
	decoded := s.decode(completion)
	written := s.cut(decoded.Text)
	text := s.spoken(written, len(decoded.Calls) > 0)
	if len(decoded.Calls) == 0 {
		s.answer(text, completion)
		return
	}
	s.complete(text)
	s.interim()
	if !s.overBudget() {
		s.openDecoded(written, decoded.Calls)
	}
}

func (s *step) decode(completion Completion) toolcall.Decoded {
	answer := toolcall.Answer{Content: completion.Content, Truncated: completion.FinishReason == "length"}
	for _, call := range completion.ToolCalls {
		answer.Calls = append(answer.Calls, toolcall.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
	}
	return toolcall.Decode(answer, s.Tools)
}

// answer ends the turn with text.
func (s *step) answer(text string, completion Completion) {
	switch completion.FinishReason {
	case "stop", "":
	default:
		s.warn("unexpected finish_reason %q: its content was taken as the answer", completion.FinishReason)
	}
	s.compose(text)
}

// compose shows what of text has not been shown and ends the turn with it.
func (s *step) compose(text string) {
	s.enter(ResponseComposition)
	s.complete(text)
	s.enter(Output)
	s.finish(Outcome{Text: text})
}

// hash continues the FNV-1a hash of what came before text; 0 is that of nothing.
func hash(before uint64, text string) uint64 {
	h := before
	if h == 0 {
		h = 14695981039346656037
	}
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	if text == "" {
		return before
	}
	return h
}
