package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/internal/texts"
)

// jsonDepthMax is how deeply a request's JSON may nest.
const jsonDepthMax = 32

// heartbeat is how long a stream is silent at most, so that nothing between here and the client takes it for dead.
const heartbeat = 15 * time.Second

// converse answers POST /conversation: at once, or as a stream where the client accepts one.
func (s *Server) converse(ctx *fasthttp.RequestCtx, _ string) {
	request, err := decodeRequest(ctx.PostBody())
	if err == nil {
		err = request.Validate()
	}
	if err != nil {
		s.answerProblem(ctx, problemOf(err))
		return
	}
	// HTTP/1.0 has no way to send what has no known length.
	header := &ctx.Request.Header
	if header.IsHTTP11() && accepts(string(header.Peek(fasthttp.HeaderAccept)), "text/event-stream") {
		s.stream(ctx, request)
		return
	}
	turn, _, end := s.requestContext(ctx.Conn())
	defer end()
	reply, err := s.opts.Service.Converse(turn, request, nil)
	if err != nil {
		s.answerProblem(ctx, problemOf(err))
		return
	}
	s.json(ctx, statusOf(reply), "application/json", reply)
}

// statusOf returns the HTTP status of a reply. An apology has 200 as a rule, because it is fit to be spoken.
func statusOf(reply conversation.Reply) int {
	if reply.Extra.Error == nil {
		return fasthttp.StatusOK
	}
	switch reply.Extra.Error.Kind {
	case conversation.KindStorage:
		return fasthttp.StatusServiceUnavailable
	case conversation.KindConflict:
		return fasthttp.StatusConflict
	default:
		return fasthttp.StatusOK
	}
}

// stream answers with server-sent events: the emissions while the turn runs, then done with the reply, or error with a
// problem. The status is sent before the turn's end is known, so that of a failed turn is in the events alone.
func (s *Server) stream(ctx *fasthttp.RequestCtx, request conversation.Request) {
	s.harden(ctx)
	ctx.SetContentType("text/event-stream")
	ctx.Response.Header.Set("X-Accel-Buffering", "no") // a proxy is to pass events on as they come
	connection := ctx.Conn()
	s.streams.Add(1)
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		defer s.streams.Done()
		turn, cancel, end := s.requestContext(connection)
		defer end()
		events := newEvents(w, func() { cancel(conversation.ErrClientGone) })
		defer events.close()
		defer func() {
			if r := recover(); r != nil {
				s.opts.Log.Error("stream panicked", "panic", fmt.Sprint(r))
				events.send("error", newProblem(fasthttp.StatusInternalServerError, wentWrong))
			}
		}()
		reply, err := s.opts.Service.Converse(turn, request, func(emission conversation.Emission) {
			events.send(string(emission.Kind), shown{emission.Text, emission.Name, string(emission.State)})
		})
		if err != nil {
			events.send("error", problemOf(err))
			return
		}
		events.send("done", reply)
	})
}

// shown is the data of an emission's event.
type shown struct {
	Text  string `json:"text,omitempty"`
	Name  string `json:"name,omitempty"`
	State string `json:"state,omitempty"`
}

// events writes server-sent events and keeps the stream alive between them.
type events struct {
	broken func() // called when the client cannot be written to

	mu    sync.Mutex
	w     *bufio.Writer // guarded by mu; nil when closed
	beats *time.Timer   // guarded by mu
}

func newEvents(w *bufio.Writer, broken func()) *events {
	e := &events{w: w, broken: broken}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beats = time.AfterFunc(heartbeat, e.beat)
	return e
}

// send writes one event and flushes it.
func (e *events) send(name string, data any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.w == nil {
		return
	}
	_, _ = fmt.Fprintf(e.w, "event: %s\ndata: ", name)
	_ = texts.Encoder(e.w).Encode(data) // ends in a line feed; errors of w stay with it until Flush
	_ = e.w.WriteByte('\n')
	e.flush()
}

func (e *events) beat() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.w == nil {
		return
	}
	_, _ = e.w.WriteString(": still here\n\n")
	e.flush()
}

func (e *events) flush() {
	if err := e.w.Flush(); err != nil {
		e.broken()
		e.w = nil
		return
	}
	e.beats.Reset(heartbeat)
}

func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beats.Stop()
	e.w = nil
}

// decodeRequest reads the body of POST /conversation. Fields that it does not know are ignored, as clients send theirs
// to everybody. The error is a *[conversation.RequestError].
func decodeRequest(body []byte) (conversation.Request, error) {
	var request conversation.Request
	fields, err := decodeObject(body, `{"text": "What time is it?"}`)
	if err != nil {
		return request, err
	}
	if text := fields["text"]; text == nil || string(text) == "null" {
		fields["text"] = fields["query"]
	}
	for _, field := range []struct {
		name string
		into any
		kind string
	}{
		{"text", &request.Text, "a string"},
		{"conversation_id", &request.ConversationID, "a string"},
		{"language", &request.Language, "a string"},
		{"mode", &request.Mode, "a string"},
		{"trace", &request.Trace, "true or false"},
	} {
		if raw := fields[field.name]; raw != nil && json.Unmarshal(raw, field.into) != nil {
			return request, &conversation.RequestError{Field: field.name, Message: "must be " + field.kind}
		}
	}
	return request, nil
}

// decodeObject reads the members of a body that is a JSON object such as example. The error is a
// *[conversation.RequestError].
func decodeObject(body []byte, example string) (map[string]json.RawMessage, error) {
	if !utf8.Valid(body) {
		return nil, &conversation.RequestError{Field: "body", Message: "must be UTF-8"}
	}
	if tooDeep(body, jsonDepthMax) {
		return nil, &conversation.RequestError{
			Field: "body", Message: fmt.Sprintf("nests deeper than %d levels, the limit here", jsonDepthMax),
		}
	}
	var fields map[string]json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(body, &fields); {
	case errors.As(err, &syntax) && len(body) > 0:
		return nil, &conversation.RequestError{
			Field: "body", Message: fmt.Sprintf("is not JSON: %s (at byte %d)", syntax, syntax.Offset),
		}
	case err != nil || fields == nil: // null is no object, but no error either
		return nil, &conversation.RequestError{Field: "body", Message: "must be a JSON object such as " + example}
	}
	return fields, nil
}

// tooDeep reports whether JSON text nests deeper than limit. Of text that is no JSON it may say either.
func tooDeep(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > limit {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

// accepts reports whether an Accept header lists mediaType by name.
func accepts(header, mediaType string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), mediaType) {
			return true
		}
	}
	return false
}
