package openai

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	fast "github.com/segmentio/encoding/json"

	"chatterbox/loop"
)

// chunk is one event of a stream, or a whole answer, read as leniently as servers write: every field may be missing or
// null, and those that are known to come in other types are taken in them.
type chunk struct {
	Model   text            `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`

	// escaped: bytes that are no UTF-8 stand as runes from escapeBase on, see escapeInvalid.
	escaped bool
}

type choice struct {
	Index        index `json:"index"`
	Delta        *part `json:"delta"`
	Message      *part `json:"message"` // instead of delta in a whole answer
	FinishReason text  `json:"finish_reason"`
}

type part struct {
	Content      text       `json:"content"`
	ToolCalls    []toolCall `json:"tool_calls"`
	FunctionCall *function  `json:"function_call"` // the form before tool_calls
}

type toolCall struct {
	Index    index    `json:"index"`
	ID       text     `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Name      text      `json:"name"`
	Arguments arguments `json:"arguments"`
}

type usage struct {
	Prompt     float64 `json:"prompt_tokens"`
	Completion float64 `json:"completion_tokens"`
}

// text is a string, a number as its digits, or the joined text of a list of parts. Anything else is empty.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '"':
		return unquote(data, (*string)(t))
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(data, &parts); err != nil {
			return nil
		}
		for _, part := range parts {
			*t += text(part.Text)
		}
	case 'n', 't', 'f', '{':
	default:
		*t = text(data)
	}
	return nil
}

// arguments is the JSON text of a call's arguments, which some servers send as the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		return unquote(data, (*string)(a))
	case string(data) != "null":
		*a = arguments(data)
	}
	return nil
}

// unquote decodes a JSON string, most of which have nothing to decode. It is valid UTF-8, see [decodeChunk].
func unquote(data []byte, to *string) error {
	if bytes.IndexByte(data, '\\') < 0 {
		*to = string(data[1 : len(data)-1])
		return nil
	}
	return json.Unmarshal(data, to)
}

// index is the index of a call or choice, 0 when it is missing or no number. known tells the two apart.
type index struct {
	value int
	known bool
}

func (i *index) UnmarshalJSON(data []byte) error {
	value, err := strconv.Atoi(strings.Trim(string(data), `"`))
	*i = index{value: value, known: err == nil}
	return nil
}

// nestedMax is how deep an event may nest for the fast decoder, whose stack grows with each level.
const nestedMax = 1000

// decodeChunk reads one event. Its error is a *loop.Error of [loop.KindAPI], or what the event says went wrong.
func decodeChunk(data []byte) (chunk, error) {
	var c chunk
	if !utf8.Valid(data) {
		data, c.escaped = escapeInvalid(data), true
	}
	unmarshal := fast.Unmarshal
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > nestedMax {
		unmarshal = json.Unmarshal
	}
	if err := unmarshal(data, &c); err != nil {
		return chunk{}, unreadable(data, err)
	}
	if hasError(c.Error) {
		return chunk{}, errorFromBody(200, data)
	}
	return c, nil
}

func unreadable(data []byte, err error) *loop.Error {
	return &loop.Error{Kind: loop.KindAPI, Message: "the model server sent what cannot be read: " + excerpt(data), Err: err}
}

func hasError(member json.RawMessage) bool {
	switch string(bytes.TrimSpace(member)) {
	case "", "null", "false", `""`, "{}", "0":
		return false
	}
	return true
}

// first is the choice that counts, nil when there is none.
func (c *chunk) first() *choice {
	for i := range c.Choices {
		if c.Choices[i].Index.value == 0 {
			return &c.Choices[i]
		}
	}
	return nil
}

// calls are those of a part, or of a whole message, whose calls need no index to be told apart.
func (p *part) calls(whole bool) []toolCall {
	if p.FunctionCall != nil && len(p.ToolCalls) == 0 {
		return []toolCall{{Function: *p.FunctionCall}}
	}
	for i := range p.ToolCalls {
		if whole {
			p.ToolCalls[i].Index = index{value: i, known: true}
		}
	}
	return p.ToolCalls
}

// escapeBase is where bytes that are no UTF-8 go while an event is decoded, at the end of the last private plane.
// A server that cuts its text between two tokens may cut a rune, and encoding/json would replace both halves.
const escapeBase = 0x10FF00

func escapeInvalid(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			out = utf8.AppendRune(out, escapeBase+rune(data[0]))
		} else {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return out
}

// unescape gives the bytes back.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r >= escapeBase+0x80 && r <= escapeBase+0xFF {
			out = append(out, byte(r-escapeBase))
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}
