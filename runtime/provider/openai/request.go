package openai

import (
	"bytes"
	"context"
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

// wireRequest is a request but for its messages, which [inMessages] puts in.
func wireRequest(model string, request loop.Request) goopenai.ChatCompletionRequest {
	wire := goopenai.ChatCompletionRequest{Model: model}
	for _, tool := range request.Tools {
		parameters := tool.Parameters
		if len(parameters) == 0 {
			parameters = noParameters
		}
		wire.Tools = append(wire.Tools, goopenai.Tool{
			Type:     goopenai.ToolTypeFunction,
			Function: &goopenai.FunctionDefinition{Name: tool.Name, Description: tool.Description, Parameters: parameters},
		})
	}
	return wire
}

// wireMessage is a message in the API's words.
type wireMessage struct {
	Role       loop.Role           `json:"role"`
	Content    string              `json:"content,omitempty"`
	ToolCalls  []goopenai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string              `json:"tool_call_id,omitempty"`
}

// wireMessages writes messages as the API's JSON.
func wireMessages(messages []loop.Message) ([]byte, error) {
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

// messagesKey is the context's key of the messages as JSON, for the transport.
type messagesKey struct{}

// noMessages is what go-openai writes for a request without messages. Within a text its quotes would be escaped.
var noMessages = []byte(`"messages":null`)

// inMessages puts the messages that the caller's context holds into the body that go-openai wrote.
func inMessages(request *http.Request, caller context.Context) error {
	messages, ok := caller.Value(messagesKey{}).([]byte)
	if !ok {
		return nil
	}
	written, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(written, noMessages)
	if !found {
		return errors.New("the request has no place for its messages")
	}
	body := slices.Concat(before, []byte(`"messages":`), messages, after)
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return nil
}
