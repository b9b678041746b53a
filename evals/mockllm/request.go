package mockllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Request is a request for a completion as the server got it.
type Request struct {
	Model    string
	Stream   bool
	Usage    bool // stream_options.include_usage
	Messages []Message
	Tools    []string // the names of the offered tools
	Header   http.Header
	Body     json.RawMessage
}

// Message is one message of a request.
type Message struct {
	Role    string
	Content string // parts of text are joined
	Calls   []ToolCall
	CallID  string // role tool
}

// wire is the request as it comes.
type wire struct {
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role       string     `json:"role"`
		Content    content    `json:"content"`
		ToolCallID string     `json:"tool_call_id"`
		ToolCalls  []wireCall `json:"tool_calls"`
	} `json:"messages"`
	Tools []wireCall `json:"tools"`
}

// content is a string, null, or a list of parts.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		*c += content(part.Text)
	}
	return nil
}

func parseRequest(header http.Header, body []byte) (*Request, error) {
	var from wire
	if err := json.Unmarshal(body, &from); err != nil {
		return nil, err
	}
	request := &Request{
		Model: from.Model, Stream: from.Stream, Usage: from.StreamOptions.IncludeUsage, Header: header, Body: body,
	}
	for _, m := range from.Messages {
		message := Message{Role: m.Role, Content: string(m.Content), CallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			message.Calls = append(message.Calls, ToolCall{call.ID, call.Function.Name, call.Function.Arguments})
		}
		request.Messages = append(request.Messages, message)
	}
	for _, tool := range from.Tools {
		request.Tools = append(request.Tools, tool.Function.Name)
	}
	return request, nil
}

// Last is the last message from role, the zero value when there is none.
func (r *Request) Last(role string) Message {
	for _, message := range slices.Backward(r.Messages) {
		if message.Role == role {
			return message
		}
	}
	return Message{}
}

// last is the last message, the zero value when there is none.
func (r *Request) last() (last Message) {
	if n := len(r.Messages); n > 0 {
		last = r.Messages[n-1]
	}
	return last
}

func (m *Match) fits(r *Request) bool {
	if m.Last != "" && m.Last != r.last().Role || !strings.Contains(r.Last("user").Content, m.User) {
		return false
	}
	for _, message := range slices.Backward(r.Messages) {
		if m.Tool == "" || message.Role != "tool" {
			break
		}
		if strings.Contains(message.Content, m.Tool) {
			return true
		}
	}
	return m.Tool == ""
}

// differs says in what the request is not as expected; it is empty when it is.
func (e *Expect) differs(r *Request) string {
	var all strings.Builder
	for _, message := range r.Messages {
		fmt.Fprintf(&all, "%s\n", message.Content)
		for _, call := range message.Calls {
			fmt.Fprintf(&all, "%s(%s)\n", call.Name, call.text())
		}
	}
	there := func(part string) bool { return strings.Contains(all.String(), part) }
	lacking := func(part string) bool { return !there(part) }
	if i := slices.IndexFunc(e.Contains, lacking); i >= 0 {
		return fmt.Sprintf("its messages do not contain %q", e.Contains[i])
	}
	if i := slices.IndexFunc(e.Lacks, there); i >= 0 {
		return fmt.Sprintf("its messages contain %q", e.Lacks[i])
	}
	if e.Messages != 0 && e.Messages != len(r.Messages) {
		return fmt.Sprintf("it has %d messages, not %d", len(r.Messages), e.Messages)
	}
	if e.Last != "" && e.Last != r.last().Role {
		return fmt.Sprintf("its last message is from %q, not %q", r.last().Role, e.Last)
	}
	if e.Tools != nil {
		want, got := slices.Sorted(slices.Values(*e.Tools)), slices.Sorted(slices.Values(r.Tools))
		if !slices.Equal(want, got) {
			return fmt.Sprintf("it offers the tools %v, not %v", got, want)
		}
	}
	return ""
}

// brief names the request in messages.
func (r *Request) brief() string {
	if len(r.Messages) == 0 {
		return "no messages"
	}
	text := []rune(r.last().Content)
	if len(text) > 80 {
		text = append(text[:80], '…')
	}
	return fmt.Sprintf("last message: %s %q", r.last().Role, string(text))
}
