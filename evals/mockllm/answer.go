package mockllm

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// created is the time that every answer reports, so that the same script gives the same bytes.
const created = 1700000000

// hugeDefault is the size of the fault huge.
const hugeDefault = 100 << 20

// answer is a reply on its way to a client.
type answer struct {
	Reply
	request *Request
	number  int
	quit    <-chan struct{}

	w   http.ResponseWriter
	r   *http.Request
	out io.Writer // of the body
}

// refusals are what the faults say that do not take a request.
var refusals = map[string]string{
	"no_stream":         "streaming is not supported by this server",
	"no_stream_options": "unknown field: stream_options",
}

// refuses reports whether the request has something that the fault does not take.
func (a *answer) refuses() bool {
	return a.Fault == "no_stream" && a.request.Stream || a.Fault == "no_stream_options" && a.request.Usage
}

// stops reports whether the answer ends in the middle.
func (a *answer) stops() bool { return a.Fault == "reset" || a.Fault == "stall" || a.Fault == "cut" }

func (a *answer) respond() {
	if !a.pause(a.DelayMS) {
		return
	}
	for key, value := range a.Headers {
		a.w.Header().Set(key, value)
	}
	switch {
	case a.refuses():
		writeError(a.w, http.StatusBadRequest, "invalid_request_error", refusals[a.Fault])
	case a.Fault == "html":
		const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>"
		write(a.w, cmp.Or(a.Status, http.StatusBadGateway), "text/html", []byte(page))
	case a.Status >= 300:
		a.failed(a.Status, "the script answers "+strconv.Itoa(a.Status))
	case a.Fault == "error_200" && !a.request.Stream:
		a.failed(http.StatusOK, serverError)
	default:
		a.succeed()
	}
}

const serverError = "the server had an error while processing your request"

// failed writes an error.
func (a *answer) failed(status int, message string) {
	write(a.w, status, cmp.Or(a.w.Header().Get("Content-Type"), "application/json"), a.errorBody(message))
}

// errorBody is the script's own, or one in OpenAI's form.
func (a *answer) errorBody(message string) []byte {
	if a.Body != "" {
		return []byte(a.Body)
	}
	return errorBody("server_error", message)
}

func (a *answer) succeed() {
	a.out = a.w
	if a.Fault == "gzip" {
		a.w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(a.w)
		defer zip.Close() // a client that left gets nothing
		a.out = zip
	}
	if a.request.Stream && a.Fault != "json" {
		a.stream()
	} else {
		a.whole()
	}
}

// pause waits and reports whether client and server are still there.
func (a *answer) pause(ms int) bool {
	if ms <= 0 {
		return true
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a.r.Context().Done():
	case <-a.quit:
	}
	return false
}

// hold waits until the client leaves.
func (a *answer) hold() {
	select {
	case <-a.r.Context().Done():
	case <-a.quit:
	}
}

func (a *answer) flush() { http.NewResponseController(a.w).Flush() } // the next write fails too

// object is an object of the API: a whole answer, or an event of a stream.
type object struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int      `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *tokens  `json:"usage,omitempty"`
}

type choice struct {
	Index        int      `json:"index"`
	Message      *message `json:"message,omitempty"`
	Delta        *message `json:"delta,omitempty"`
	FinishReason *string  `json:"finish_reason"`
}

// message is a message, or what an event adds to one.
type message struct {
	Role      string          `json:"role,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	ToolCalls []wireCall      `json:"tool_calls,omitempty"`
}

type wireCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments"`
}

type tokens struct {
	Usage
	Total int `json:"total_tokens"`
}

func (a *answer) object(kind string, usage *tokens, choices ...choice) object {
	return object{
		ID: "chatcmpl-" + strconv.Itoa(a.number), Object: kind, Created: created,
		Model: cmp.Or(a.Model, a.request.Model), Choices: append([]choice{}, choices...), Usage: usage,
	}
}

func (a *answer) finishReason() *string {
	reason := "stop"
	if len(a.ToolCalls) > 0 {
		reason = "tool_calls"
	}
	reason = cmp.Or(a.FinishReason, reason)
	return &reason
}

func (a *answer) usage() *tokens {
	u := Usage{PromptTokens: len(a.request.Body) / 4, CompletionTokens: 1 + len(a.Content)/4}
	for _, call := range a.ToolCalls {
		u.CompletionTokens += (len(call.Name) + len(call.Arguments)) / 4
	}
	if room := a.Window - u.CompletionTokens; a.Window > 0 && u.PromptTokens > room {
		u.PromptTokens = max(room, 0) // what a server says that reads no more, and nothing else of it
	}
	if a.Usage != nil {
		u = *a.Usage
	}
	return &tokens{u, u.PromptTokens + u.CompletionTokens}
}

// whole writes the answer as one JSON object.
func (a *answer) whole() {
	if !a.pause(a.FirstTokenMS) {
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	switch a.Fault {
	case "huge":
		a.huge(`{"choices":[{"index":0,"message":{"role":"assistant","content":"`, `"},"finish_reason":"stop"}]}`)
		return
	case "comments":
		a.hold()
		return
	}
	out := encoded(a.wholeObject())
	if a.Fault != "gzip" {
		a.w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	}
	if a.stops() {
		out = out[:len(out)/2]
	}
	a.out.Write(out) // a client that left gets nothing
	if a.stops() {
		a.flush()
		a.breakOff()
	}
}

func (a *answer) wholeObject() object {
	const kind = "chat.completion"
	if a.Fault == "no_choices" {
		return a.object(kind, a.usage())
	}
	said := message{Role: "assistant", Content: a.content(a.Content)}
	for i, call := range a.ToolCalls {
		said.ToolCalls = append(said.ToolCalls, a.call(i, call, a.arguments(call.text())))
	}
	return a.object(kind, a.usage(), choice{Message: &said, FinishReason: a.finishReason()})
}

// call is a call as the API has it.
func (a *answer) call(i int, call ToolCall, arguments json.RawMessage) wireCall {
	return wireCall{a.index(i), call.ID, "function", function{call.Name, arguments}}
}

func (a *answer) index(i int) *int {
	switch a.Fault {
	case "no_index":
		return nil
	case "same_index":
		i = 0
	}
	return &i
}

func (a *answer) arguments(text string) json.RawMessage {
	if a.Fault == "object_arguments" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return quoted(text)
}

func (a *answer) content(text string) json.RawMessage {
	if text == "" && (a.Fault == "null_content" || len(a.ToolCalls) > 0) {
		return json.RawMessage("null")
	}
	return quoted(text)
}

// quoted is a text as JSON. A part of a rune stays what it is, which encoding/json would replace: it needs no escape.
func quoted(text string) json.RawMessage {
	if !utf8.ValidString(text) {
		return json.RawMessage(`"` + text + `"`)
	}
	return encoded(text)
}

// encoded is JSON in which every letter stands as it is.
func encoded(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte(`{"error":{"message":"cannot be encoded","type":"mockllm"}}`)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// huge writes Bytes letters between two pieces of text.
func (a *answer) huge(before, after string) {
	block := bytes.Repeat([]byte("a"), 64<<10)
	io.WriteString(a.w, before) // the loop notices
	for left := cmp.Or(a.Bytes, hugeDefault); left > 0 && a.r.Context().Err() == nil; {
		n, err := a.w.Write(block[:min(left, len(block))])
		if err != nil {
			return
		}
		left -= n
	}
	io.WriteString(a.w, after) // a client that left gets nothing
}

// breakOff ends a response in the middle by the fault's way.
func (a *answer) breakOff() {
	switch a.Fault {
	case "stall":
		a.hold()
	case "reset":
		conn, _, err := http.NewResponseController(a.w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0) // then it is an ordinary close
		}
		conn.Close() // nothing is left to do
	}
}
