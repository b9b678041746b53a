package toolcall

import (
	"encoding/json"
	"strings"
)

// The repairs of calls that are written as a program's, as Call.Repaired names them.
const (
	repairedPython     = "python_call"
	repairedLiteral    = "python_literal"
	repairedPositional = "positional_argument"
)

// writtenCall is NAME(KEY=VALUE, ...) as it stands in text.
type writtenCall struct {
	name       string
	keywords   map[string]json.RawMessage
	positional []json.RawMessage
	inside     string // everything between the parentheses
	problem    string // why it cannot be read
}

const breaksOff = "it breaks off"

// readCall reads the call that text begins with. One whose values are no literals has a problem and ends at its closing
// parenthesis; one without that takes the whole text.
func readCall(text string) (call writtenCall, after string, isCall bool) {
	name := text[:identifierEnd(text)]
	if name == "" || !strings.HasPrefix(text[len(name):], "(") {
		return writtenCall{}, text, false
	}
	body := text[len(name)+1:]
	call = writtenCall{name: name, keywords: map[string]json.RawMessage{}}
	if rest, ok := call.arguments(body); ok {
		call.inside = body[:len(body)-len(rest)-1]
		return call, rest, true
	}
	end := closing(body)
	if end < 0 {
		call.inside, call.problem = body, breaksOff
		return call, "", true
	}
	call.inside, call.problem = body[:end], "its arguments are not all literal values"
	return call, body[end+1:], true
}

// identifierEnd is the length of the dotted name that text begins with.
func identifierEnd(text string) int {
	end := 0
	for end < len(text) && (safeByte(text[end]) || text[end] == '.' && end > 0) {
		end++
	}
	if end == 0 || '0' <= text[0] && text[0] <= '9' || text[0] == '-' {
		return 0
	}
	return end
}

// arguments reads up to the closing parenthesis and returns what follows it.
func (c *writtenCall) arguments(in string) (after string, ok bool) {
	for {
		in = strings.TrimLeft(in, space)
		if rest, closed := strings.CutPrefix(in, ")"); closed {
			return rest, true
		}
		key, value := "", in
		if end := identifierEnd(in); end > 0 {
			if rest, isKeyword := strings.CutPrefix(strings.TrimLeft(in[end:], space), "="); isKeyword {
				key, value = in[:end], rest
			}
		}
		read, rest, isLiteral := literal(value)
		if !isLiteral {
			return "", false
		}
		if _, twice := c.keywords[key]; twice {
			return "", false
		}
		if key == "" {
			c.positional = append(c.positional, json.RawMessage(read))
		} else {
			c.keywords[key] = json.RawMessage(read)
		}
		in = strings.TrimLeft(rest, space)
		if next, more := strings.CutPrefix(in, ","); more {
			in = next
		} else if !strings.HasPrefix(in, ")") {
			return "", false
		}
	}
}

// closing is where the parenthesis that is open before text closes, -1 when it does not.
func closing(text string) int {
	depth := 1
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0 && b == '\\':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"':
			quote = b
		case b == '(':
			depth++
		case b == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// program settles a written call. A value without a name is one only where alone says that it may be, and where the
// tool has a single argument that it can be.
func (d decoder) program(written writtenCall, alone bool) Call {
	name, repaired, isOffered := d.name(written.name)
	if !isOffered {
		return Call{Name: written.name, Arguments: written.inside, Rejected: d.unknown(written.name)}
	}
	reject := func(problem string) Call { return d.rejected(name, written.inside, problem) }
	keywords := written.keywords
	if alone && written.problem != "" && written.problem != breaksOff {
		if key, value, found := d.colon(name, written.inside); found {
			keywords, written.problem = map[string]json.RawMessage{key: value}, ""
		}
	}
	if written.problem != "" {
		return reject(written.problem)
	}
	if len(written.positional) > 0 {
		key := d.onlyArgument(name)
		if !alone || key == "" || len(written.positional) > 1 || len(keywords) > 0 {
			return reject("its arguments have no names")
		}
		keywords = map[string]json.RawMessage{key: written.positional[0]}
		repaired = append(repaired, repairedPositional)
	}
	return d.fit(Call{Name: name, Arguments: Encode(keywords), Repaired: append(repaired, repairedPython)})
}

// colon reads KEY: plain text as the only argument of a tool that wants just that text.
func (d decoder) colon(name, inside string) (key string, value json.RawMessage, ok bool) {
	key, text, found := strings.Cut(inside, ":")
	key, text = strings.Trim(key, space), strings.Trim(text, space)
	if !found || key != d.onlyArgument(name) || text == "" || strings.ContainsAny(text, "'\"()[]{}=,:\n") {
		return "", nil, false
	}
	if parseSchema(d.find(name).Parameters).typeOf(key) != "string" {
		return "", nil, false
	}
	return key, json.RawMessage(Encode(text)), true
}

// onlyArgument is the single required argument of a tool, empty when it has none or more.
func (d decoder) onlyArgument(name string) string {
	if s := parseSchema(d.find(name).Parameters); len(s.required) == 1 {
		return s.required[0]
	}
	return ""
}

// bare reads text that consists of calls and nothing else, the first of an offered tool.
func (d decoder) bare(held string) []Call {
	written, after := readCalls(held)
	if len(written) == 0 {
		return nil
	}
	if _, _, isOffered := d.name(written[0].name); !isOffered {
		return nil
	}
	if after != "" && !isToken(after) {
		if strings.Trim(after, ")]}.,;`"+space) != "" {
			return nil
		}
		written[len(written)-1].problem = "its parentheses do not match"
	}
	return d.programs(written)
}

func (d decoder) programs(written []writtenCall) []Call {
	calls := make([]Call, len(written))
	for i, call := range written {
		calls[i] = d.program(call, false)
	}
	return calls
}

// readCalls reads one call after the other, with commas, semicolons or lines between them.
func readCalls(text string) (calls []writtenCall, after string) {
	for {
		text = strings.TrimLeft(text, space)
		call, rest, isCall := readCall(text)
		if !isCall {
			return calls, text
		}
		calls = append(calls, call)
		text = strings.TrimLeft(rest, space+",;")
	}
}

// brackets reads [NAME(KEY=VALUE), ...] at the beginning of text; prose may follow it.
func (d decoder) brackets(held string) []Call {
	body, isOpen := strings.CutPrefix(held, "[")
	if !isOpen {
		return nil
	}
	written, after := readCalls(body)
	if len(written) == 0 {
		return nil
	}
	last := &written[len(written)-1]
	if !strings.HasPrefix(after, "]") && last.problem == "" {
		last.problem = "the list around it is not closed"
	}
	sound, known := true, false
	for _, call := range written {
		_, _, isOffered := d.name(call.name)
		known = known || isOffered
		sound = sound && call.problem == ""
	}
	if !known && !sound {
		return nil
	}
	return d.programs(written)
}
