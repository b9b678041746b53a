package openai

import (
	"encoding/json"

	goopenai "github.com/sashabaranov/go-openai"

	"chatterbox/loop"
)

// noParameters is the schema of a tool that declares none.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

func wireRequest(model string, request loop.Request) goopenai.ChatCompletionRequest {
	wire := goopenai.ChatCompletionRequest{Model: model, Messages: make([]goopenai.ChatCompletionMessage, len(request.Messages))}
	for i, message := range request.Messages {
		wire.Messages[i] = wireMessage(message)
	}
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

func wireMessage(message loop.Message) goopenai.ChatCompletionMessage {
	wire := goopenai.ChatCompletionMessage{Role: string(message.Role), Content: message.Content, ToolCallID: message.ToolCallID}
	for _, call := range message.ToolCalls {
		wire.ToolCalls = append(wire.ToolCalls, goopenai.ToolCall{
			ID:       call.ID,
			Type:     goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
		})
	}
	// go-openai leaves out an empty content, and servers refuse a message that has neither content nor calls.
	if wire.Content == "" && len(wire.ToolCalls) == 0 {
		wire.Content = " "
	}
	return wire
}
