package toolcall

import (
	"regexp"
	"strings"
)

// The tags of the Hermes, Qwen and granite templates.
const (
	toolCallOpen      = "<tool_call>"
	toolCallClose     = "</tool_call>"
	functionCallOpen  = "<function_call>"
	functionCallClose = "</function_call>"
)

// tags reads JSON between <tool_call> tags, one call object or more in each. The closing tag may be missing, or be
// another opening one; what stands after the calls is dropped. A tag around prose is no call.
func (d decoder) tags(held string) []Call {
	var calls []Call
	for {
		var found bool
		held, found = cutOpener(held)
		if !found {
			return calls
		}
		body := strings.TrimLeft(held, space)
		switch {
		case strings.HasPrefix(body, functionOpen):
			var more []Call
			more, held = d.functionsIn(body)
			calls = append(calls, more...)
		case strings.HasPrefix(body, "{"), strings.HasPrefix(body, "["):
			more, after, problem := d.objects(body)
			if problem != "" {
				more, after = append(more, d.broken(segment(after), problem)), after[len(segment(after)):]
			}
			calls = append(calls, more...)
			held = after
		default:
			if call, after, isCall := readCall(body); isCall {
				if _, _, isOffered := d.name(call.name); isOffered || call.problem == "" {
					calls = append(calls, d.program(call, true))
				}
				held = after
			}
		}
	}
}

// opening matches what begins a call or a thought between calls.
var opening = regexp.MustCompile(`<tool_call>|<function_call>|<think>|<thinking>|<thought>|<reasoning>|\[THINK\]`)

// cutOpener returns what follows the next opening tag. What stands in a thought is no call.
func cutOpener(text string) (after string, found bool) {
	for {
		at := opening.FindStringIndex(text)
		if at == nil {
			return "", false
		}
		tag := text[at[0]:at[1]]
		text = text[at[1]:]
		if tag == toolCallOpen || tag == functionCallOpen {
			return text, true
		}
		for _, thought := range thoughts {
			if thought.open == tag {
				_, text, _ = strings.Cut(text, thought.close)
			}
		}
	}
}

// segment is text up to the next tag.
func segment(text string) string {
	if at := anyTag.FindStringIndex(text); at != nil {
		return text[:at[0]]
	}
	return text
}

var anyTag = regexp.MustCompile(`</?tool_call>|</?function_call>`)
