package toolcall

import "strings"

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

// callTags enclose a call; callOpenings begin one, or a thought between calls.
var (
	callTags     = []string{toolCallOpen, toolCallClose, functionCallOpen, functionCallClose}
	callOpenings = []string{toolCallOpen, functionCallOpen, "<think>", "<thinking>", "<thought>", "<reasoning>", "[THINK]"}
)

// cutOpener returns what follows the next opening tag. What stands in a thought is no call.
func cutOpener(text string) (after string, found bool) {
	for {
		start, end := findTag(text, callOpenings)
		if start < 0 {
			return "", false
		}
		tag := text[start:end]
		text = text[end:]
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
	if at, _ := findTag(text, callTags); at >= 0 {
		return text[:at]
	}
	return text
}
