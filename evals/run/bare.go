package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// bareCallsMax is how often a model is asked in one turn.
const bareCallsMax = 10

// barePrompt is the system message of the bare strategy.
const barePrompt = "You are a helpful voice assistant for the home. Be concise, because your answers are spoken aloud. " +
	"Use tools for real-time information and for actions. Do not make things up; say so when you don't know. " +
	"Plain sentences: no markdown, no emoji, no lists."

// Bare is a model by its chat completions, with all tools and no help: calls run as the model makes them, and what cannot
// run ends the turn.
type Bare struct{}

// Prepare implements [Target].
func (Bare) Prepare(_ context.Context, plan scenario.Plan, offered []scenario.Tool) (Bench, error) {
	return bareBench{plan, offered}, nil
}

type bareBench struct {
	plan    scenario.Plan
	offered []scenario.Tool
}

func (bareBench) Close() error { return nil }

func (b bareBench) Begin(_ context.Context, line *Line) (Session, error) {
	s := &bareSession{line: line, offered: b.offered, messages: []any{Message{Role: "system", Content: text(barePrompt)}}}
	s.once = slices.ContainsFunc(b.plan.Turns, func(t scenario.Turn) bool { return t.Expect.Leaderboard != nil })
	for _, e := range b.plan.Before {
		s.messages = append(s.messages, Message{Role: "user", Content: text(e.User)}, Message{Role: "assistant", Content: text(e.Model)})
	}
	for _, tool := range b.offered {
		s.tools = append(s.tools, map[string]any{"type": "function", "function": map[string]any{
			"name": tool.Name, "description": tool.Description, "parameters": tool.Parameters,
		}})
	}
	return s, nil
}

func text(s string) *string { return &s }

// Message is a message of the API.
type Message struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	ToolCalls []WireCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
}

// WireCall is a call of the API, or a piece of one in a stream.
type WireCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string    `json:"name"`
		Arguments Arguments `json:"arguments"`
	} `json:"function"`
}

// Arguments are the text of arguments; some servers give an object.
type Arguments string

func (a *Arguments) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(a))
	}
	if string(data) != "null" {
		*a = Arguments(data)
	}
	return nil
}

type bareSession struct {
	line     *Line
	offered  []scenario.Tool
	tools    []any
	messages []any
	once     bool // the first answer is all that is judged
}

func (s *bareSession) Close() error { return nil }

func (s *bareSession) Say(ctx context.Context, said string) (judge.Observed, error) {
	var got judge.Observed
	s.messages = append(s.messages, Message{Role: "user", Content: text(said)})
	for got.Asked < bareCallsMax {
		request := map[string]any{"messages": s.messages, "stream": true, "stream_options": map[string]any{"include_usage": true}}
		if len(s.tools) > 0 {
			request["tools"] = s.tools
		}
		reply, err := s.ask(ctx, request)
		if err != nil {
			return got, err
		}
		got.Asked++
		s.messages = append(s.messages, reply)
		if len(reply.ToolCalls) == 0 {
			if reply.Content != nil {
				got.Answer = *reply.Content
			}
			return got, nil
		}
		if stop := s.run(reply.ToolCalls, &got); stop || s.once {
			return got, nil
		}
	}
	got.Failure = judge.IterationLimit
	return got, nil
}

// run answers the calls, and says whether one of them ends the turn.
func (s *bareSession) run(calls []WireCall, got *judge.Observed) (stop bool) {
	for _, c := range calls {
		made := judge.Call{Name: c.Function.Name, Answer: got.Asked, Arguments: json.RawMessage(c.Function.Arguments)}
		if c.Function.Arguments == "" {
			made.Arguments = json.RawMessage(`{}`)
		}
		tool := s.find(c.Function.Name)
		var object map[string]any
		switch {
		case tool == nil:
			made.Refusal = judge.NotOffered
		case json.Unmarshal(made.Arguments, &object) != nil || object == nil:
			made.Refusal = judge.NotReadable
		default:
			made.Result = tool.Answer
			stop = stop || tool.Confirm // it has run, and nobody was asked: the turn is lost
		}
		if made.Refusal != judge.Ran {
			stop = true
			if !json.Valid(made.Arguments) {
				made.Arguments = quoted(string(made.Arguments))
			}
		}
		got.Calls = append(got.Calls, made)
		s.messages = append(s.messages, Message{Role: "tool", CallID: c.ID, Content: text(string(made.Result))})
	}
	return stop
}

func quoted(s string) json.RawMessage {
	out, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // a string always marshals
	}
	return out
}

func (s *bareSession) find(name string) *scenario.Tool {
	for i := range s.offered {
		if s.offered[i].Name == name {
			return &s.offered[i]
		}
	}
	return nil
}

// ask has one completion.
func (s *bareSession) ask(ctx context.Context, request map[string]any) (Message, error) {
	response, err := s.line.Complete(ctx, request)
	if err != nil {
		return Message{}, err
	}
	body, err := io.ReadAll(response.Body)
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return Message{}, connectionError(ctx, err)
	}
	return ReadMessage(response.Header.Get("Content-Type"), body)
}

// ReadMessage reads a completion, in one piece or in events.
func ReadMessage(kind string, body []byte) (Message, error) {
	if strings.HasPrefix(kind, "text/event-stream") {
		return readStream(body)
	}
	var whole struct {
		Choices []struct{ Message Message }
		Error   json.RawMessage
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return Message{}, infrastructure("server", "the model's answer is no completion: %w", err)
	}
	if len(whole.Choices) == 0 {
		return Message{}, infrastructure("server", "the model's answer has no choices: %.200s", body)
	}
	out := whole.Choices[0].Message
	out.Role = "assistant"
	return named(out), nil
}

// readStream puts the pieces of a streamed completion together. Only a stream that says its end is whole.
func readStream(body []byte) (Message, error) {
	out := Message{Role: "assistant"}
	var content strings.Builder
	ended := false
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			ended = true
			break
		}
		var event struct {
			Choices []struct {
				Delta        Message
				FinishReason *string `json:"finish_reason"`
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return out, infrastructure("server", "an event of the stream is no JSON: %.200s", data)
		}
		if len(event.Error) > 0 && string(event.Error) != "null" {
			return out, infrastructure("server", "the stream tells of an error: %s", event.Error)
		}
		for _, choice := range event.Choices {
			if choice.Delta.Content != nil {
				content.WriteString(*choice.Delta.Content)
			}
			for _, piece := range choice.Delta.ToolCalls {
				out.ToolCalls = addPiece(out.ToolCalls, piece)
			}
			ended = ended || choice.FinishReason != nil && *choice.FinishReason != ""
		}
	}
	if !ended {
		return out, infrastructure("connection", "the stream broke off")
	}
	out.Content = text(content.String())
	return named(out), nil
}

// addPiece adds a piece of a call: to the call of its index, or a new one.
func addPiece(calls []WireCall, piece WireCall) []WireCall {
	at := len(calls) - 1
	if piece.Index != nil {
		at = -1
		for i := range calls {
			if calls[i].Index != nil && *calls[i].Index == *piece.Index {
				at = i
			}
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
func named(m Message) Message {
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		c.Index, c.Type = nil, "function"
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i+1)
		}
	}
	return m
}
