package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// This file reads the completions of models, in one piece or in events.

// apiMessage is a message of the API.
type apiMessage struct {
	Role      string    `json:"role"`
	Content   *string   `json:"content"`
	ToolCalls []apiCall `json:"tool_calls,omitempty"`
	CallID    string    `json:"tool_call_id,omitempty"`
}

// message is one with a text.
func message(role, text string) apiMessage { return apiMessage{Role: role, Content: &text} }

// text is the content, empty where there is none.
func (m apiMessage) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// apiCall is a call of the API, or a piece of one in a stream.
type apiCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string       `json:"name"`
		Arguments argumentText `json:"arguments"`
	} `json:"function"`
}

// argumentText are of arguments; some servers give an object.
type argumentText string

func (a *argumentText) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(a))
	}
	if string(data) != "null" {
		*a = argumentText(data)
	}
	return nil
}

// completion is a completion, or an event of a streamed one.
type completion struct {
	Choices []struct {
		Message      apiMessage
		Delta        apiMessage
		FinishReason string `json:"finish_reason"`
	}
	Error json.RawMessage
}

func isStream(kind string) bool { return strings.HasPrefix(kind, "text/event-stream") }

// streamEnd is the last event of a stream.
const streamEnd = "[DONE]"

// events gives the data of the events of a stream; of any other answer, the whole.
func events(kind string, body []byte) iter.Seq[[]byte] {
	if !isStream(kind) {
		return slices.Values([][]byte{body})
	}
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(body) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && !yield(bytes.TrimSpace(data)) {
				return
			}
		}
	}
}

// readMessage reads the message of a completion.
func readMessage(kind string, body []byte) (apiMessage, error) {
	if isStream(kind) {
		return readStream(kind, body)
	}
	var whole completion
	if err := json.Unmarshal(body, &whole); err != nil {
		return apiMessage{}, infrastructure("server", "the model's answer is no completion: %w", err)
	}
	if len(whole.Choices) == 0 {
		return apiMessage{}, infrastructure("server", "the model's answer has no choices: %.200s", body)
	}
	out := whole.Choices[0].Message
	out.Role = "assistant"
	return named(out), nil
}

// readStream puts the pieces of a streamed completion together. Only a stream that says its end is whole.
func readStream(kind string, body []byte) (apiMessage, error) {
	var content strings.Builder
	var calls []apiCall
	ended := false
	for data := range events(kind, body) {
		if string(data) == streamEnd {
			ended = true
			break
		}
		var event completion
		if err := json.Unmarshal(data, &event); err != nil {
			return apiMessage{}, infrastructure("server", "an event of the stream is no JSON: %.200s", data)
		}
		if len(event.Error) > 0 && string(event.Error) != "null" {
			return apiMessage{}, infrastructure("server", "the stream tells of an error: %s", event.Error)
		}
		for _, choice := range event.Choices {
			content.WriteString(choice.Delta.text())
			for _, piece := range choice.Delta.ToolCalls {
				calls = addPiece(calls, piece)
			}
			ended = ended || choice.FinishReason != ""
		}
	}
	if !ended {
		return apiMessage{}, infrastructure("connection", "the stream broke off")
	}
	out := message("assistant", content.String())
	out.ToolCalls = calls
	return named(out), nil
}

// addPiece adds a piece of a call: to the call of its index, or a new one.
func addPiece(calls []apiCall, piece apiCall) []apiCall {
	at := len(calls) - 1
	if piece.Index != nil {
		for at >= 0 && (calls[at].Index == nil || *calls[at].Index != *piece.Index) {
			at--
		}
	}
	if at < 0 || piece.ID != "" && calls[at].ID != "" && piece.ID != calls[at].ID {
		return append(calls, piece)
	}
	calls[at].Function.Name += piece.Function.Name
	calls[at].Function.Arguments += piece.Function.Arguments
	return calls
}

// named gives calls what the API wants to read again.
func named(m apiMessage) apiMessage {
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		c.Index, c.Type = nil, "function"
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
	}
	return m
}

// readUsage finds what a server says of one completion; zero where it says nothing.
func readUsage(kind string, body []byte) (promptTokens, completionTokens int, fingerprint string) {
	for data := range events(kind, body) {
		var from struct {
			Usage *struct {
				PromptTokens     int `json:"prompt_tokens"`
				CompletionTokens int `json:"completion_tokens"`
			}
			Fingerprint string `json:"system_fingerprint"`
		}
		if json.Unmarshal(data, &from) != nil {
			continue
		}
		if from.Usage != nil {
			promptTokens, completionTokens = from.Usage.PromptTokens, from.Usage.CompletionTokens
		}
		if from.Fingerprint != "" {
			fingerprint = from.Fingerprint
		}
	}
	return promptTokens, completionTokens, fingerprint
}
