// Package mockllm is a language model server with no model in it: an OpenAI-compatible server whose replies come from
// a script. It is loud about what does not fit: a request for which the script has no reply, a request that is not
// what the script expects, a reply that nobody asked for.
package mockllm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Forever as [Reply.Repeat] is a reply that is never used up.
const Forever = -1

// lineMax bounds one line of a script.
const lineMax = 8 << 20

// Script is a list of replies.
type Script struct {
	Name    string // for messages
	Replies []Reply
}

// Reply is what the server answers to one request. The zero value is an answer with empty content.
type Reply struct {
	Content      string     `json:"content,omitempty"`
	ToolCalls    []ToolCall `json:"tool_calls,omitempty"`
	FinishReason string     `json:"finish_reason,omitempty"` // empty: tool_calls where there are calls, else stop
	Usage        *Usage     `json:"usage,omitempty"`         // nil: about a token for each four bytes
	Window       int        `json:"window,omitempty"`        // tokens; a longer prompt is cut
	Model        string     `json:"model,omitempty"`         // empty: the requested one

	DelayMS      int `json:"delay_ms,omitempty"`       // before the response begins
	FirstTokenMS int `json:"first_token_ms,omitempty"` // between the response's head and its first event
	BetweenMS    int `json:"between_ms,omitempty"`     // between two events
	Chunk        int `json:"chunk,omitempty"`          // runes in one event; 0 is one word, and whole arguments

	Status  int               `json:"status,omitempty"` // anything but 0 and 200 is an error with Body
	Headers map[string]string `json:"headers,omitempty"`
	Body    Text              `json:"body,omitempty"` // empty: an error in OpenAI's form
	Fault   string            `json:"fault,omitempty"`
	Bytes   int               `json:"bytes,omitempty"` // fault huge: of the answer

	Expect *Expect `json:"expect,omitempty"`
	Match  *Match  `json:"match,omitempty"`
	Repeat int     `json:"-"` // how often the reply serves; 0 is once

	line int
}

// ToolCall is one call of a reply. Arguments is an object, or a string that is sent as it is.
type ToolCall struct {
	ID        string          `json:"id,omitempty"` // empty: call_1, call_2, … of the server
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// text is the arguments as the API carries them.
func (c ToolCall) text() string {
	var s string
	if len(c.Arguments) == 0 {
		return "{}"
	}
	if json.Unmarshal(c.Arguments, &s) == nil {
		return s
	}
	return string(c.Arguments)
}

// Usage is the token count that a reply reports.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// Expect is what the request must be like for which the reply stands. A request that differs is answered with 500 and
// recorded.
type Expect struct {
	Contains []string  `json:"contains,omitempty"` // each in the text of the messages, their calls included
	Lacks    []string  `json:"lacks,omitempty"`    // none of them there
	Tools    *[]string `json:"tools,omitempty"`    // exactly these are offered, in any order
	Messages int       `json:"messages,omitempty"` // so many
	Last     string    `json:"last,omitempty"`     // the role of the last message
}

// Match chooses the requests that a reply is for; all that is given must hold. A reply without Match is for any
// request.
type Match struct {
	Last string `json:"last,omitempty"` // the role of the last message
	User string `json:"user,omitempty"` // part of the last message from the user
	Tool string `json:"tool,omitempty"` // part of one of the tool results at the end
}

// Text is a string in a script; any other JSON stands for itself.
type Text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Text) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(t))
	}
	*t = Text(data)
	return nil
}

// Parse reads a script: one reply a line, as JSON. Empty lines and lines that begin with # are left out. All mistakes
// are reported, each with name and line.
func Parse(name string, r io.Reader) (*Script, error) {
	script := &Script{Name: name}
	err := lines(name, r, func(number int, data []byte) error {
		var line struct {
			Reply
			Repeat repeat `json:"repeat"`
		}
		if err := decode(data, &line); err != nil {
			return err
		}
		line.Reply.Repeat, line.Reply.line = int(line.Repeat), number
		if err := line.Reply.check(); err != nil {
			return err
		}
		script.Replies = append(script.Replies, line.Reply)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return script, nil
}

// lines gives each line that is not empty and no comment to take.
func lines(name string, r io.Reader, take func(number int, data []byte) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, lineMax)
	var mistakes []error
	number := 0
	for scanner.Scan() {
		number++
		data := bytes.TrimSpace(scanner.Bytes())
		if len(data) == 0 || data[0] == '#' {
			continue
		}
		if err := take(number, data); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s:%d: %w", name, number, err))
		}
	}
	if err := scanner.Err(); err != nil {
		mistakes = append(mistakes, fmt.Errorf("%s:%d: %w", name, number+1, err))
	}
	return errors.Join(mistakes...)
}

func decode(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the reply on its line")
	}
	return nil
}

// repeat is a number or "forever".
type repeat int

func (r *repeat) UnmarshalJSON(data []byte) error {
	if string(data) == `"forever"` {
		*r = Forever
		return nil
	}
	var n int
	if err := json.Unmarshal(data, &n); err != nil || n < 1 {
		return errors.New(`repeat must be a number from 1 or "forever"`)
	}
	*r = repeat(n)
	return nil
}

func (r *Reply) check() error {
	if r.Fault != "" && !slices.Contains(Faults(), r.Fault) {
		return fmt.Errorf("unknown fault %q, there are: %s", r.Fault, strings.Join(Faults(), ", "))
	}
	if r.Status != 0 && (r.Status < 200 || r.Status > 599) {
		return fmt.Errorf("status %d is no HTTP status of a response", r.Status)
	}
	if r.DelayMS < 0 || r.FirstTokenMS < 0 || r.BetweenMS < 0 || r.Chunk < 0 || r.Bytes < 0 || r.Repeat < Forever {
		return errors.New("a negative number")
	}
	for i, call := range r.ToolCalls {
		if call.Name == "" && r.Fault == "" {
			return fmt.Errorf("tool call %d has no name", i+1)
		}
		if strings.ContainsAny(string(call.Arguments), "\n") {
			return fmt.Errorf("tool call %d: arguments must be on one line", i+1)
		}
	}
	return nil
}
