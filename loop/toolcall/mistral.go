package toolcall

import "strings"

// The tokens of the Mistral templates.
const (
	toolCallsOpen  = "[TOOL_CALLS]"
	toolCallsClose = "[/TOOL_CALLS]"
	callIDOpen     = "[CALL_ID]"
	argsOpen       = "[ARGS]"
)

// toolCalls reads [TOOL_CALLS] before a list of call objects, and before each of name[ARGS]{...} or name{...}.
func (d decoder) toolCalls(held string) []Call {
	body, found := strings.CutPrefix(held, toolCallsOpen)
	if !found {
		return nil
	}
	var calls []Call
	for {
		body = strings.TrimPrefix(strings.TrimLeft(body, space), toolCallsOpen)
		body = strings.TrimLeft(body, space)
		if body == "" || strings.HasPrefix(body, toolCallsClose) {
			return calls
		}
		if body[0] == '[' || body[0] == '{' {
			more, after, problem := d.objects(body)
			if problem != "" {
				return append(calls, append(more, d.broken(after, problem))...)
			}
			if more == nil {
				return calls
			}
			calls, body = append(calls, more...), after
			continue
		}
		head, _, isCall := strings.Cut(body, "{")
		if !isCall {
			return calls
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(head, argsOpen), callIDOpen)
		written, after := body[len(head):], ""
		if value, left, err := firstValue(strings.Trim(written, space)); err == nil {
			written, after = value, left
		}
		calls = append(calls, d.call(strings.Trim(name, space), written))
		body = after
	}
}
