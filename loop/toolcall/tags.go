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

// cutOpener returns what follows the next opening tag.
func cutOpener(text string) (after string, found bool) {
	at, length := -1, 0
	for _, tag := range [...]string{toolCallOpen, functionCallOpen} {
		if i := strings.Index(text, tag); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(tag)
		}
	}
	if at < 0 {
		return "", false
	}
	for _, thought := range thoughts {
		if before, inside, found := strings.Cut(text, thought.open); found && len(before) < at {
			_, after, _ := strings.Cut(inside, thought.close)
			return cutOpener(after) // what stands in a thought is no call
		}
	}
	return text[at+length:], true
}

// segment is text up to the next tag.
func segment(text string) string {
	end := len(text)
	for _, tag := range [...]string{toolCallOpen, toolCallClose, functionCallOpen, functionCallClose} {
		if i := strings.Index(text, tag); i >= 0 {
			end = min(end, i)
		}
	}
	return text[:end]
}
