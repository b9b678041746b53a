package mockllm

import (
	"compress/gzip"
	"io"
	"net/http"
	"unicode/utf8"
)

// stream writes the answer as events: the role first, then text, then calls, each call's name in its first event, the
// finish_reason in an event of its own, the usage where it was asked for, and [DONE].
func (a *answer) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	flush := http.NewResponseController(w)
	out := io.Writer(w)
	if a.Fault == "gzip" {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		defer zip.Close() //nolint:errcheck // a client that left gets nothing
		out = zip
	}
	if a.FirstTokenMS > 0 {
		w.WriteHeader(http.StatusOK)
		flush.Flush() //nolint:errcheck // the next write fails too
	}
	if !a.pause(r, a.FirstTokenMS) || a.instead(w, r) {
		return
	}
	events := a.events()
	for i, event := range events {
		if i > 0 && !a.pause(r, a.BetweenMS) {
			return
		}
		if _, err := out.Write(event); err != nil || r.Context().Err() != nil {
			return
		}
		if a.Fault != "gzip" {
			flush.Flush() //nolint:errcheck // the next write fails too
		}
	}
	switch a.Fault {
	case "reset", "stall", "cut":
		a.breakOff(w, r)
	case "late_terminator":
		a.pause(r, max(a.BetweenMS, 1))
	}
}

// instead writes what some faults put in the place of an answer.
func (a *answer) instead(w http.ResponseWriter, r *http.Request) bool {
	switch a.Fault {
	case "huge":
		a.huge(w, r, `data: {"choices":[{"index":0,"delta":{"content":"`, "\"}}]}\n\ndata: [DONE]\n\n")
	case "comments":
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, ": keep-alive\n\n"); err != nil {
				return true
			}
			http.NewResponseController(w).Flush() //nolint:errcheck // the next write fails too
			if !a.pause(r, a.BetweenMS) {
				return true
			}
		}
	case "error_200":
		body := string(a.Body)
		if body == "" {
			body = `{"error":{"message":"the server had an error while processing your request","type":"server_error","param":null,"code":null}}`
		}
		io.WriteString(w, "data: "+body+"\n\n") //nolint:errcheck // a client that left gets nothing
	default:
		return false
	}
	return true
}

// events are the parts of the stream that are written and flushed one by one.
func (a *answer) events() [][]byte {
	var events [][]byte
	deltas := a.deltas()
	breaks := a.Fault == "reset" || a.Fault == "stall" || a.Fault == "cut"
	if breaks {
		deltas = deltas[:(len(deltas)+1)/2]
	}
	if a.Fault == "no_choices" {
		deltas = nil
	}
	for _, delta := range deltas {
		events = append(events, a.event(delta, "null"))
	}
	if breaks {
		return events
	}
	if a.Fault != "no_finish" && a.Fault != "no_choices" {
		events = append(events, a.event([]byte("{}"), string(appendQuoted(nil, a.finishReason()))))
	}
	if a.request.Usage || a.Fault == "no_choices" {
		event := a.head([]byte("data: "), "chat.completion.chunk")
		events = append(events, append(event, `],"usage":`+a.usage()+"}\n\n"...))
	}
	if a.Fault != "no_done" {
		done := "data: [DONE]\n\n"
		if a.Fault != "late_terminator" && len(events) > 0 && a.BetweenMS == 0 {
			events[len(events)-1] = append(events[len(events)-1], done...)
		} else {
			events = append(events, []byte(done))
		}
	}
	return events
}

func (a *answer) event(delta []byte, finish string) []byte {
	event := a.head(append(make([]byte, 0, 192+len(delta)), "data: "...), "chat.completion.chunk")
	event = append(event, `{"index":0,"delta":`...)
	event = append(event, delta...)
	event = append(event, `,"finish_reason":`...)
	event = append(event, finish...)
	return append(event, "}]}\n\n"...)
}

// deltas are the JSON of what each event adds.
func (a *answer) deltas() [][]byte {
	role := a.appendContent([]byte(`{"role":"assistant","content":`), "")
	deltas := [][]byte{append(role, '}')}
	for _, piece := range a.pieces(a.Content) {
		deltas = append(deltas, append(appendQuoted([]byte(`{"content":`), piece), '}'))
	}
	var each [][][]byte
	for i, call := range a.ToolCalls {
		each = append(each, a.callDeltas(i, call))
	}
	if a.Fault != "interleave" {
		for _, one := range each {
			deltas = append(deltas, one...)
		}
		return deltas
	}
	for left := true; left; {
		left = false
		for i := range each {
			if len(each[i]) > 0 {
				deltas, each[i], left = append(deltas, each[i][0]), each[i][1:], true
			}
		}
	}
	return deltas
}

func (a *answer) callDeltas(i int, call ToolCall) [][]byte {
	if a.Fault == "object_arguments" {
		whole := a.appendCall([]byte(`{"tool_calls":[`), i, call)
		return [][]byte{append(whole, "]}"...)}
	}
	first := a.appendCallHead([]byte(`{"tool_calls":[`), i, call)
	deltas := [][]byte{append(first, `""}}]}`...)}
	for _, piece := range a.argumentPieces(call.text()) {
		delta := append(a.appendIndex([]byte(`{"tool_calls":[{`), i), `"function":{"arguments":`...)
		deltas = append(deltas, append(appendQuoted(delta, piece), "}}]}"...))
	}
	return deltas
}

// pieces cuts text as the reply says.
func (a *answer) pieces(text string) []string {
	if a.Fault == "split_rune" {
		return cut(text, func(string) int { return 1 })
	}
	if a.Chunk > 0 {
		return cut(text, func(rest string) int { return runes(rest, a.Chunk) })
	}
	return cut(text, func(rest string) int {
		for i := 1; i < len(rest); i++ {
			if rest[i] == ' ' {
				return i
			}
		}
		return len(rest)
	})
}

// argumentPieces cuts arguments: a fault that breaks off in the middle must have one.
func (a *answer) argumentPieces(text string) []string {
	switch {
	case a.Chunk > 0:
		return cut(text, func(rest string) int { return runes(rest, a.Chunk) })
	case a.Fault != "":
		half := (utf8.RuneCountInString(text) + 1) / 2
		return cut(text, func(rest string) int { return runes(rest, half) })
	case text == "":
		return nil
	}
	return []string{text}
}

func cut(text string, next func(rest string) int) []string {
	var pieces []string
	for text != "" {
		n := next(text)
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// runes is the length of the first n runes of a text, at least one.
func runes(text string, n int) int {
	length := 0
	for i := 0; i < max(n, 1) && length < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[length:])
		length += size
	}
	return length
}

// appendQuoted writes a JSON string and leaves bytes that are no UTF-8 as they are, which encoding/json does not.
func appendQuoted(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
