package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"chatterbox/evals/judge"
)

// The roles of messages. A call and its result are one message of the tool.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is a message of a trial's transcript.
type Message struct {
	Role      string `json:"role"`
	Text      string `json:"text,omitempty"`
	Name      string `json:"name,omitempty"` // of the tool
	Arguments string `json:"arguments,omitempty"`
	Result    string `json:"result,omitempty"`
	Refusal   string `json:"refusal,omitempty"` // why the call did not run
	// Round is which answer of the model the call is from: calls of one round were made at once. 0 is not known.
	Round  int  `json:"-"`
	Cached bool `json:"cached,omitempty"`
	Failed bool `json:"failed,omitempty"` // it is where the trial failed
}

// messagesMax bounds what is read of a transcript.
const messagesMax = 1000

// written is a message as logs have it: those of this product, and those of chat completions.
type written struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Refusal   string          `json:"refusal"`
	Round     int             `json:"round"`
	Cached    bool            `json:"cached"`
	CallID    string          `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Transcript reads the messages of a trial and marks the one where it failed. What is no list of messages gives none.
func Transcript(t judge.Trial) []Message {
	var list []written
	if len(t.Messages) == 0 || json.Unmarshal(t.Messages, &list) != nil {
		return nil
	}
	var out []Message
	called := map[string]int{} // where the call with an id is
	for round, m := range list[:min(len(list), messagesMax)] {
		at, answered := called[m.CallID]
		switch {
		case m.Role == RoleTool && m.CallID != "" && answered:
			out[at].Result = plain(m.Content)
			continue
		case m.Role == RoleTool && m.Content == nil:
			out = append(out, Message{
				Role: RoleTool, Name: m.Name, Arguments: plain(m.Arguments), Result: plain(m.Result),
				Refusal: m.Refusal, Round: m.Round, Cached: m.Cached,
			})
			continue
		}
		if text := plain(m.Content); text != "" || len(m.ToolCalls) == 0 {
			out = append(out, Message{Role: m.Role, Name: m.Name, Text: text})
		}
		for _, c := range m.ToolCalls {
			called[c.ID] = len(out)
			out = append(out, Message{
				Role: RoleTool, Name: c.Function.Name, Arguments: plain(c.Function.Arguments), Round: round + 1,
			})
		}
	}
	if at := failedAt(t, out); at >= 0 {
		out[at].Failed = true
	}
	return out
}

// plain is a JSON text without its quotes, the texts of a list of parts, or else the JSON itself.
func plain(raw json.RawMessage) string {
	var text string
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &text) == nil {
		return text
	}
	type part struct{ Text *string }
	var parts []part
	isOther := func(p part) bool { return p.Text == nil }
	if raw[0] == '[' && json.Unmarshal(raw, &parts) == nil && !slices.ContainsFunc(parts, isOther) {
		for _, p := range parts {
			text += *p.Text
		}
		return text
	}
	return string(raw)
}

// ofCalls are the classes of failures that a call is the reason of, with the refusals that go with them.
var ofCalls = map[string]string{
	"wrong_tool": "schema", "unknown_tool": "unknown_tool", "wrong_arguments": "schema", "malformed_call": "malformed",
	"extra_call": "", "repeated_call": "", "forbidden_call": "",
}

// failedAt says which message a trial failed at, or -1. A trial ends with the first turn that is not as expected, so
// it is one of the last turn: the call that the failure is about, else the last message.
func failedAt(t judge.Trial, messages []Message) int {
	if t.Outcome == judge.Pass || len(messages) == 0 {
		return -1
	}
	last := len(messages) - 1
	refusal, ofCall := ofCalls[t.Class]
	if !ofCall {
		return last
	}
	best, found := 0, last
	for i := last; i >= 0 && messages[i].Role != RoleUser; i-- {
		m := messages[i]
		if m.Role != RoleTool {
			continue
		}
		evidence := 0
		if t.Detail == "" {
			evidence++
		}
		if m.Refusal != "" && m.Refusal == refusal {
			evidence++
		}
		if m.Name != "" && strings.Contains(t.Detail, m.Name) {
			evidence += 2
		}
		if m.Name != "" && strings.HasPrefix(t.Detail, m.Name) { // what was called; what should have been comes later
			evidence++
		}
		if m.Arguments != "" && strings.Contains(t.Detail, m.Arguments) {
			evidence += 4
		}
		if evidence > best {
			best, found = evidence, i
		}
	}
	return found
}
