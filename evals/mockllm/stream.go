package mockllm

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// stream writes the answer as events: the role first, then text, then calls, each call's name in its first event, the
// finish_reason in an event of its own, the usage where it was asked for, and [DONE].
func (a *answer) stream() {
	a.w.Header().Set("Content-Type", "text/event-stream")
	a.w.Header().Set("Cache-Control", "no-cache")
	if a.FirstTokenMS > 0 {
		a.w.WriteHeader(http.StatusOK)
		a.flush()
	}
	if !a.pause(a.FirstTokenMS) || a.instead() {
		return
	}
	for i, event := range a.events() {
		if i > 0 && !a.pause(a.BetweenMS) {
			return
		}
		if _, err := io.WriteString(a.out, event); err != nil || a.r.Context().Err() != nil {
			return
		}
		a.flush()
	}
	if a.Fault == "late_terminator" {
		a.pause(max(a.BetweenMS, 1))
	}
	a.breakOff()
}

// instead writes what some faults put in the place of an answer.
func (a *answer) instead() bool {
	switch a.Fault {
	case "huge":
		a.huge(`data: {"choices":[{"index":0,"delta":{"content":"`, "\"}}]}\n\ndata: [DONE]\n\n")
	case "comments":
		for there := true; there && a.r.Context().Err() == nil; there = a.pause(a.BetweenMS) {
			if _, err := io.WriteString(a.w, ": keep-alive\n\n"); err != nil {
				return true
			}
			a.flush()
		}
	case "error_200":
		io.WriteString(a.w, event(a.errorBody(serverError))) // a client that left gets nothing
	default:
		return false
	}
	return true
}

func event(data []byte) string { return "data: " + string(data) + "\n\n" }

// events are the parts of the stream that are written and flushed one by one.
func (a *answer) events() (events []string) {
	add := func(usage *tokens, choices ...choice) {
		events = append(events, event(encoded(a.object("chat.completion.chunk", usage, choices...))))
	}
	deltas := a.deltas()
	switch {
	case a.stops():
		deltas = deltas[:(len(deltas)+1)/2]
	case a.Fault == "no_choices":
		deltas = nil
	}
	for _, delta := range deltas {
		add(nil, choice{Delta: &delta})
	}
	if a.stops() {
		return events
	}
	if a.Fault != "no_finish" && a.Fault != "no_choices" {
		add(nil, choice{Delta: &message{}, FinishReason: a.finishReason()})
	}
	if a.request.Usage || a.Fault == "no_choices" {
		add(a.usage())
	}
	done := event([]byte("[DONE]"))
	switch last := len(events) - 1; {
	case a.Fault == "no_done":
	case a.Fault == "late_terminator" || last < 0 || a.BetweenMS > 0:
		events = append(events, done)
	default:
		events[last] += done
	}
	return events
}

// deltas are what each event adds.
func (a *answer) deltas() []message {
	deltas := []message{{Role: "assistant", Content: a.content("")}}
	for _, piece := range a.pieces(a.Content) {
		deltas = append(deltas, message{Content: quoted(piece)})
	}
	var calls [][]message
	for i, call := range a.ToolCalls {
		calls = append(calls, a.callDeltas(i, call))
	}
	if a.Fault != "interleave" {
		return append(deltas, slices.Concat(calls...)...)
	}
	for round, before := 0, 0; before < len(deltas); round++ {
		before = len(deltas)
		for _, call := range calls {
			if round < len(call) {
				deltas = append(deltas, call[round])
			}
		}
	}
	return deltas
}

func (a *answer) callDeltas(i int, call ToolCall) []message {
	if a.Fault == "object_arguments" {
		return []message{{ToolCalls: []wireCall{a.call(i, call, a.arguments(call.text()))}}}
	}
	deltas := []message{{ToolCalls: []wireCall{a.call(i, call, quoted(""))}}}
	for _, piece := range a.argumentPieces(call.text()) {
		one := wireCall{Index: a.index(i), Function: function{Arguments: quoted(piece)}}
		deltas = append(deltas, message{ToolCalls: []wireCall{one}})
	}
	return deltas
}

// pieces cuts text as the reply says.
func (a *answer) pieces(text string) (pieces []string) {
	switch {
	case a.Fault == "split_rune":
		for i := range len(text) {
			pieces = append(pieces, text[i:i+1])
		}
		return pieces
	case a.Chunk > 0:
		return runes(text, a.Chunk)
	}
	for text != "" {
		end := strings.IndexByte(text[1:], ' ') + 1
		if end == 0 {
			end = len(text)
		}
		pieces, text = append(pieces, text[:end]), text[end:]
	}
	return pieces
}

// argumentPieces cuts arguments: a fault that breaks off in the middle must have one.
func (a *answer) argumentPieces(text string) []string {
	switch {
	case a.Chunk > 0:
		return runes(text, a.Chunk)
	case a.Fault != "":
		return runes(text, (utf8.RuneCountInString(text)+1)/2)
	case text == "":
		return nil
	}
	return []string{text}
}

// runes cuts a text after every n characters.
func runes(text string, n int) (pieces []string) {
	for piece := range slices.Chunk([]rune(text), max(n, 1)) {
		pieces = append(pieces, string(piece))
	}
	return pieces
}
