package toolcall

import (
	"encoding/json"
	"strings"
)

// whole reads text that consists of call objects: one, several, a list, or an object with a list. Anything else beside
// them makes it an explanation.
func (d decoder) whole(held string) []Call {
	calls, after, problem := d.objects(held)
	after = strings.Trim(strings.ReplaceAll(after, toolCallClose, ""), space)
	if problem == "" && (after == "" || isToken(after)) {
		return calls
	}
	if problem == "" || !looksLikeCall(held) {
		return nil
	}
	return []Call{d.broken(held, problem)}
}

// objects reads the call objects that text begins with. calls is nil when some value is no call; problem says why the
// values end where JSON goes on that cannot be read.
func (d decoder) objects(text string) (calls []Call, after, problem string) {
	for {
		text = strings.TrimRight(strings.TrimLeft(text, space+",;>"), space)
		if calls != nil && isToken(text) {
			_, next, _ := strings.Cut(text, ">")
			if next = strings.TrimLeft(next, space); strings.HasPrefix(next, "{") {
				text = next // a stray token stands between two calls
			}
		}
		if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") ||
			strings.HasPrefix(text, toolCallsOpen) || strings.HasPrefix(text, toolCallsClose) {
			return calls, text, ""
		}
		value, left, err := firstValue(text)
		python := false
		if err != nil {
			if value, left, python = literal(text); !python {
				return calls, text, "its JSON cannot be read: " + err.Error()
			}
		}
		more := d.value(json.RawMessage(value))
		if more == nil {
			return nil, text, ""
		}
		for i := range more {
			if python && more[i].Rejected == "" {
				more[i].Repaired = append(more[i].Repaired, repairedLiteral)
			}
		}
		calls = append(calls, more...)
		text = left
	}
}

// value reads a call object or a list of them; nil when it is neither.
func (d decoder) value(raw json.RawMessage) []Call {
	if raw[0] == '[' {
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return nil
		}
		if calls := d.keyed(items); calls != nil {
			return calls
		}
		var calls []Call
		for _, item := range items {
			if item[0] != '{' {
				return nil
			}
			more := d.value(item)
			if more == nil {
				return nil
			}
			calls = append(calls, more...)
		}
		return calls
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	if list := object["tool_calls"]; len(list) > 0 && list[0] == '[' {
		return d.value(list)
	}
	if inner := object["function"]; len(inner) > 0 && inner[0] == '{' {
		return d.value(inner)
	}
	call, isCall := d.object(object)
	if !isCall {
		return nil
	}
	return []Call{d.unlessTwice(call, raw)}
}

// unlessTwice rejects a call in whose object a name stands twice: of two names, two arguments or two values one would
// have to be guessed.
func (d decoder) unlessTwice(call Call, object json.RawMessage) Call {
	if _, err := readValue(string(object)); err != nil && call.Rejected == "" {
		return d.rejected(call.Name, string(object), err.Error())
	}
	return call
}

// object reads {"name": ..., "arguments": {...}}. It is a call when it has both, or when all that stands beside the
// name are arguments of the offered tool of that name.
func (d decoder) object(object map[string]json.RawMessage) (Call, bool) {
	var name string
	if json.Unmarshal(object["name"], &name) != nil || name == "" {
		return Call{}, false
	}
	for _, key := range [...]string{"arguments", "parameters", "args"} {
		if written, found := object[key]; found {
			return d.call(name, string(written)), true
		}
	}
	return d.flat(name, object)
}

// keyed reads [{NAME: {...}}, ...] where every name is that of an offered tool.
func (d decoder) keyed(items []json.RawMessage) []Call {
	calls := make([]Call, 0, len(items))
	for _, item := range items {
		var object map[string]json.RawMessage
		if json.Unmarshal(item, &object) != nil || len(object) != 1 {
			return nil
		}
		for name, written := range object {
			if _, _, isOffered := d.name(name); !isOffered || written[0] != '{' {
				return nil
			}
			calls = append(calls, d.unlessTwice(d.call(name, string(written)), item))
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return calls
}

// nameAndObject reads a name, a line break and a JSON object, which are the whole text.
func (d decoder) nameAndObject(held string) []Call {
	name := held[:identifierEnd(held)]
	body := strings.TrimLeft(held[len(name):], space)
	if _, _, isOffered := d.name(name); !isOffered || !strings.HasPrefix(body, "{") ||
		!strings.Contains(held[len(name):len(held)-len(body)], "\n") {
		return nil
	}
	value, after, err := firstValue(strings.TrimRight(body, space))
	if err != nil {
		return []Call{d.call(name, body)}
	}
	if after != "" && !isToken(after) {
		return nil
	}
	return []Call{d.call(name, value)}
}

func (d decoder) flat(name string, object map[string]json.RawMessage) (Call, bool) {
	settled, _, isOffered := d.name(name)
	if !isOffered || len(object) < 2 {
		return Call{}, false
	}
	wanted := parseSchema(d.find(settled).Parameters)
	rest := map[string]json.RawMessage{}
	for key, value := range object {
		if key == "name" {
			continue
		}
		if _, known := wanted.properties[key]; !known {
			return Call{}, false
		}
		rest[key] = value
	}
	call := d.call(name, Encode(rest))
	if call.Rejected == "" {
		call.Repaired = append(call.Repaired, repairedFlat)
	}
	return call, true
}

// broken is the call that text was meant to be.
func (d decoder) broken(text, problem string) Call {
	name, _, _ := d.name(nameIn(text))
	return d.rejected(name, text, problem)
}

// looksLikeCall says whether broken JSON was meant to be a call.
func looksLikeCall(text string) bool {
	text = strings.ReplaceAll(text, "'", `"`)
	return nameIn(text) != "" &&
		(strings.Contains(text, `"arguments"`) || strings.Contains(text, `"parameters"`) || strings.Contains(text, `"args"`))
}

// nameIn is the value of the first "name" in broken JSON, empty when there is none.
func nameIn(text string) string {
	_, after, _ := strings.Cut(strings.ReplaceAll(text, "'", `"`), `"name"`)
	after, isPair := strings.CutPrefix(strings.TrimLeft(after, space), ":")
	after, isText := strings.CutPrefix(strings.TrimLeft(after, space), `"`)
	name, _, isWhole := strings.Cut(after, `"`)
	if !isPair || !isText || !isWhole {
		return ""
	}
	return name
}
