package mockllm

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
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
}

// refuses reports whether the request has something that the fault does not take.
func (a *answer) refuses() bool {
	return a.Fault == "no_stream" && a.request.Stream || a.Fault == "no_stream_options" && a.request.Usage
}

func (a *answer) respond(w http.ResponseWriter, r *http.Request) {
	if !a.pause(r, a.DelayMS) {
		return
	}
	for key, value := range a.Headers {
		w.Header().Set(key, value)
	}
	switch {
	case a.refuses() && a.Fault == "no_stream":
		writeError(w, http.StatusBadRequest, "invalid_request_error", "streaming is not supported by this server")
	case a.refuses():
		writeError(w, http.StatusBadRequest, "invalid_request_error", "unknown field: stream_options")
	case a.Fault == "html":
		status := a.Status
		if status == 0 {
			status = http.StatusBadGateway
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>") //nolint:errcheck // a client that left gets nothing
	case a.Status >= 300:
		a.failed(w, a.Status, "the script answers "+strconv.Itoa(a.Status))
	case a.Fault == "error_200" && !a.request.Stream:
		a.failed(w, http.StatusOK, "the server had an error while processing your request")
	case a.request.Stream && a.Fault != "json":
		a.stream(w, r)
	default:
		a.whole(w, r)
	}
}

// failed writes an error body: the script's own or one in OpenAI's form.
func (a *answer) failed(w http.ResponseWriter, status int, message string) {
	if a.Body == "" {
		writeError(w, status, "server_error", message)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	io.WriteString(w, string(a.Body)) //nolint:errcheck // a client that left gets nothing
}

// pause waits and reports whether client and server are still there.
func (a *answer) pause(r *http.Request, ms int) bool {
	if ms <= 0 {
		return true
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-a.quit:
	}
	return false
}

// hold waits until the client leaves.
func (a *answer) hold(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-a.quit:
	}
}

func (a *answer) model() string {
	if a.Model != "" {
		return a.Model
	}
	return a.request.Model
}

func (a *answer) finishReason() string {
	switch {
	case a.FinishReason != "":
		return a.FinishReason
	case len(a.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (a *answer) usage() string {
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
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, u.PromptTokens, u.CompletionTokens, u.PromptTokens+u.CompletionTokens)
}

// whole writes the answer as one JSON object.
func (a *answer) whole(w http.ResponseWriter, r *http.Request) {
	if !a.pause(r, a.FirstTokenMS) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	out := a.wholeBody()
	switch a.Fault {
	case "gzip":
		a.compressed(w, out)
		return
	case "huge":
		a.huge(w, r, `{"choices":[{"index":0,"message":{"role":"assistant","content":"`, `"},"finish_reason":"stop"}]}`)
		return
	case "comments":
		a.hold(r)
		return
	case "reset", "stall", "cut":
		w.Header().Set("Content-Length", strconv.Itoa(len(out)))
		w.Write(out[:len(out)/2])             //nolint:errcheck // a client that left gets nothing
		http.NewResponseController(w).Flush() //nolint:errcheck // as above
		a.breakOff(w, r)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.Write(out) //nolint:errcheck // a client that left gets nothing
}

func (a *answer) wholeBody() []byte {
	out := a.head(nil, "chat.completion")
	if a.Fault == "no_choices" {
		return append(out, `],"usage":`+a.usage()+`}`...)
	}
	out = append(out, `{"index":0,"message":{"role":"assistant","content":`...)
	out = a.appendContent(out, a.Content)
	for i, call := range a.ToolCalls {
		out = append(out, separator(i, `,"tool_calls":[`)...)
		out = a.appendCall(out, i, call)
	}
	if len(a.ToolCalls) > 0 {
		out = append(out, ']')
	}
	out = append(out, `},"finish_reason":`...)
	out = appendQuoted(out, a.finishReason())
	return append(out, `}],"usage":`+a.usage()+`}`...)
}

func separator(i int, opening string) string {
	if i == 0 {
		return opening
	}
	return ","
}

func (a *answer) appendCall(out []byte, i int, call ToolCall) []byte {
	out = a.appendCallHead(out, i, call)
	out = a.appendArguments(out, call.text())
	return append(out, "}}"...)
}

// appendCallHead writes a call up to its arguments.
func (a *answer) appendCallHead(out []byte, i int, call ToolCall) []byte {
	out = append(out, '{')
	out = a.appendIndex(out, i)
	if call.ID != "" {
		out = append(out, `"id":`...)
		out = append(appendQuoted(out, call.ID), ',')
	}
	out = append(out, `"type":"function","function":{"name":`...)
	out = appendQuoted(out, call.Name)
	return append(out, `,"arguments":`...)
}

func (a *answer) appendIndex(out []byte, i int) []byte {
	switch a.Fault {
	case "no_index":
		return out
	case "same_index":
		i = 0
	}
	out = append(out, `"index":`...)
	return append(strconv.AppendInt(out, int64(i), 10), ',')
}

func (a *answer) appendArguments(out []byte, text string) []byte {
	if a.Fault == "object_arguments" && json.Valid([]byte(text)) {
		return append(out, text...)
	}
	return appendQuoted(out, text)
}

func (a *answer) appendContent(out []byte, text string) []byte {
	if text == "" && (a.Fault == "null_content" || len(a.ToolCalls) > 0) {
		return append(out, "null"...)
	}
	return appendQuoted(out, text)
}

// head writes an object of the API up to its first choice.
func (a *answer) head(out []byte, object string) []byte {
	out = append(out, `{"id":"chatcmpl-`...)
	out = strconv.AppendInt(out, int64(a.number), 10)
	out = append(out, `","object":"`+object+`","created":`...)
	out = strconv.AppendInt(out, created, 10)
	out = append(out, `,"model":`...)
	out = appendQuoted(out, a.model())
	return append(out, `,"choices":[`...)
}

func (a *answer) compressed(w http.ResponseWriter, out []byte) {
	w.Header().Set("Content-Encoding", "gzip")
	zip := gzip.NewWriter(w)
	zip.Write(out) //nolint:errcheck // a client that left gets nothing
	zip.Close()    //nolint:errcheck // as above
}

// huge writes Bytes letters between two pieces of text.
func (a *answer) huge(w http.ResponseWriter, r *http.Request, before, after string) {
	left := a.Bytes
	if left == 0 {
		left = hugeDefault
	}
	block := make([]byte, 64<<10)
	for i := range block {
		block[i] = 'a'
	}
	io.WriteString(w, before) //nolint:errcheck // the loop notices
	for left > 0 && r.Context().Err() == nil {
		n, err := w.Write(block[:min(left, len(block))])
		if err != nil {
			return
		}
		left -= n
	}
	io.WriteString(w, after) //nolint:errcheck // a client that left gets nothing
}

// breakOff ends a response in the middle by the fault's way.
func (a *answer) breakOff(w http.ResponseWriter, r *http.Request) {
	switch a.Fault {
	case "stall":
		a.hold(r)
	case "reset":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0) //nolint:errcheck // then it is an ordinary close
		}
		conn.Close() //nolint:errcheck // nothing is left to do
	}
}
