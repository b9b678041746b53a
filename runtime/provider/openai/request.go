package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	goopenai "github.com/sashabaranov/go-openai"

	"chatterbox/loop"
)

// noParameters is the schema of a tool that declares none.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// content is what go-openai does not write of a request: see [content.into].
type content struct {
	messages, tools []byte // JSON
	whole           bool   // the answer is wanted in one piece
}

// contentKey is the context's key of a request's content, for the transport.
type contentKey struct{}

// offer is a list of tools in the API's words.
type offer struct {
	tools []loop.Tool
	wire  []byte
}

// toolsOf writes tools as the API's JSON. The list stays the same during a turn and mostly longer, so the last one is
// kept.
func (c *Client) toolsOf(tools []loop.Tool) ([]byte, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	same := func(a, b loop.Tool) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}
	if last := c.offer.Load(); last != nil && slices.EqualFunc(last.tools, tools, same) {
		return last.wire, nil
	}
	wire := make([]goopenai.Tool, len(tools))
	for i, tool := range tools {
		parameters := tool.Parameters
		if len(parameters) == 0 {
			parameters = noParameters
		}
		wire[i] = goopenai.Tool{
			Type:     goopenai.ToolTypeFunction,
			Function: &goopenai.FunctionDefinition{Name: tool.Name, Description: tool.Description, Parameters: parameters},
		}
	}
	written, err := json.Marshal(wire)
	if err == nil {
		c.offer.Store(&offer{slices.Clone(tools), written})
	}
	return written, err
}

// wireMessage is a message in the API's words.
type wireMessage struct {
	Role       loop.Role           `json:"role"`
	Content    string              `json:"content,omitempty"`
	ToolCalls  []goopenai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string              `json:"tool_call_id,omitempty"`
}

// messagesOf writes messages as the API's JSON.
func messagesOf(messages []loop.Message) ([]byte, error) {
	wire := make([]wireMessage, len(messages))
	for i, message := range messages {
		wire[i] = wireMessage{Role: message.Role, Content: message.Content, ToolCallID: message.ToolCallID}
		for _, call := range message.ToolCalls {
			wire[i].ToolCalls = append(wire[i].ToolCalls, goopenai.ToolCall{
				ID:       call.ID,
				Type:     goopenai.ToolTypeFunction,
				Function: goopenai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
			})
		}
		// Servers refuse a message that has neither content nor calls.
		if message.Content == "" && len(message.ToolCalls) == 0 {
			wire[i].Content = " "
		}
	}
	return json.Marshal(wire)
}

// noMessages is what go-openai writes for a request without messages, and aStream how it asks for one. Within a text
// their quotes would be escaped.
var (
	noMessages = []byte(`"messages":null`)
	aStream    = []byte(`"stream":true`)
)

// into puts the content into the body that go-openai wrote.
func (c *content) into(request *http.Request) error {
	written, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(written, noMessages)
	if !found {
		return errors.New("the request has no place for its messages")
	}
	if c.whole {
		after = bytes.Replace(after, aStream, []byte(`"stream":false`), 1)
		request.Header.Set("Accept", "application/json")
	}
	body := slices.Concat(before, []byte(`"messages":`), c.messages)
	if c.tools != nil {
		body = slices.Concat(body, []byte(`,"tools":`), c.tools)
	}
	body = append(body, after...)
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}
