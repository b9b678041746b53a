package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"chatterbox/loop"
	"chatterbox/runtime/internal/texts"
)

// assembler puts the pieces of one answer together. The rules for calls are:
//
//   - the index is only a label: a piece belongs to the latest call with its index, without one to the latest call;
//   - a new id that comes with a name, another name, or a name after complete arguments starts a new call;
//   - a piece without id and name continues a call, and where there is none to continue it is dropped.
type assembler struct {
	onDelta func(string)
	maxLeft int // bytes of text and arguments that may still come

	content   strings.Builder
	tail      string // the bytes of a rune whose rest is still to come
	calls     []*building
	finish    string
	model     string
	usage     loop.Usage
	anyChoice bool
}

// callsMax bounds the calls of one answer. A turn runs far fewer.
const callsMax = 256

type building struct {
	index     index
	id, name  string
	arguments strings.Builder
}

func newAssembler(maxBytes int, onDelta func(string)) *assembler {
	return &assembler{maxLeft: maxBytes, onDelta: onDelta}
}

// finished reports whether the server said why it stopped.
func (a *assembler) finished() bool { return a.finish != "" }

func (a *assembler) add(c chunk) error {
	if c.Model != "" {
		a.model = string(c.Model)
	}
	if c.Usage != nil {
		a.usage = loop.Usage{PromptTokens: tokens(c.Usage.Prompt), CompletionTokens: tokens(c.Usage.Completion)}
	}
	from := c.first()
	if from == nil {
		return nil
	}
	a.anyChoice = true
	if reason := string(from.FinishReason); reason != "" && reason != "null" {
		a.finish = reason
	}
	for _, p := range []*part{from.Delta, from.Message} {
		if p == nil {
			continue
		}
		if err := a.addText(string(p.Content), c.escaped); err != nil {
			return err
		}
		for _, call := range p.calls(p == from.Message) {
			if err := a.addCall(call, c.escaped); err != nil {
				return err
			}
		}
	}
	return nil
}

// tokens is a count as servers report it; one that cannot be is 0.
func tokens(count float64) int {
	if count >= 0 && count <= 1<<40 {
		return int(count)
	}
	return 0
}

func (a *assembler) spend(bytes int) error {
	a.maxLeft -= bytes
	if a.maxLeft < 0 {
		return tooLarge("text and arguments")
	}
	return nil
}

func (a *assembler) addText(s string, escaped bool) error {
	if s == "" {
		return nil
	}
	if err := a.spend(len(s)); err != nil {
		return err
	}
	if escaped {
		s = unescape(s)
	}
	if escaped || a.tail != "" { // else it is valid UTF-8
		s = a.tail + s
		whole := texts.Whole(s)
		s, a.tail = strings.ToValidUTF8(whole, "\uFFFD"), s[len(whole):]
	}
	a.give(s)
	return nil
}

func (a *assembler) give(s string) {
	if s == "" {
		return
	}
	a.content.WriteString(s)
	a.onDelta(s)
}

func (a *assembler) addCall(piece toolCall, escaped bool) error {
	fragment := string(piece.Function.Arguments)
	if err := a.spend(len(fragment) + len(piece.Function.Name) + len(piece.ID)); err != nil {
		return err
	}
	if escaped {
		fragment = unescape(fragment)
	}
	call, err := a.callFor(piece)
	if call == nil {
		return err
	}
	if call.id == "" {
		call.id = string(piece.ID)
	}
	if call.name == "" {
		call.name = string(piece.Function.Name)
	}
	call.arguments.WriteString(fragment)
	return nil
}

// callFor finds the call that a piece belongs to or begins one. It is nil when the piece belongs to none.
func (a *assembler) callFor(piece toolCall) (*building, error) {
	id, name := string(piece.ID), string(piece.Function.Name)
	current := a.latest(piece.Index)
	if current == nil {
		if name == "" {
			return a.continued(id), nil
		}
		return a.begin(piece.Index)
	}
	switch {
	case name == "":
		return current, nil
	case id != "" && current.id != "" && id != current.id,
		current.name != "" && name != current.name,
		current.name != "" && complete(current.arguments.String()):
		return a.begin(piece.Index)
	}
	return current, nil
}

// continued is the call that a piece without a name continues under an index that no call has.
func (a *assembler) continued(id string) *building {
	for i := len(a.calls) - 1; i >= 0; i-- {
		call := a.calls[i]
		if id != "" && id == call.id || id == "" && !complete(call.arguments.String()) {
			return call
		}
	}
	return nil
}

func (a *assembler) latest(at index) *building {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if !at.known || !a.calls[i].index.known || a.calls[i].index.value == at.value {
			return a.calls[i]
		}
	}
	return nil
}

func (a *assembler) begin(at index) (*building, error) {
	if len(a.calls) == callsMax {
		return nil, tooLarge(fmt.Sprintf("more than %d tool calls", callsMax))
	}
	call := &building{index: at}
	a.calls = append(a.calls, call)
	return call, nil
}

// complete reports whether arguments are a JSON object already. It is asked only where a further name arrives, so long
// arguments are not read once per piece.
func complete(arguments string) bool {
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
}

// completion is the whole answer. fallback is the model's name where the server gave none.
func (a *assembler) completion(fallback string) (loop.Completion, error) {
	if !a.anyChoice {
		return loop.Completion{}, &loop.Error{Kind: loop.KindAPI, Message: "the model server's answer has no choices"}
	}
	if a.tail != "" {
		a.tail = ""
		a.give("\uFFFD")
	}
	completion := loop.Completion{
		Content: a.content.String(), FinishReason: a.finish, Model: cmp.Or(a.model, fallback), Usage: a.usage,
	}
	for _, call := range a.calls {
		completion.ToolCalls = append(completion.ToolCalls, loop.Call{
			ID:        call.id,
			Name:      call.name,
			Arguments: strings.ToValidUTF8(call.arguments.String(), "\uFFFD"),
		})
	}
	return completion, nil
}

func tooLarge(what string) *loop.Error {
	return &loop.Error{Kind: loop.KindAPI, Message: fmt.Sprintf("the model server's answer is too large (%s)", what)}
}
