package toolcall

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The tags of the Llama and Qwen coder templates.
const (
	functionOpen   = "<function="
	functionClose  = "</function>"
	parameterOpen  = "<parameter="
	parameterClose = "</parameter>"
	pythonTagOpen  = "<|python_tag|>"
)

// functions reads <function=NAME>{...}</function> and <function=NAME><parameter=KEY>VALUE</parameter>...</function>.
func (d decoder) functions(held string) []Call {
	if !strings.HasPrefix(held, functionOpen) {
		return nil
	}
	calls, _ := d.functionsIn(held)
	return calls
}

// functionsIn reads one function after the other and returns what follows the last.
func (d decoder) functionsIn(text string) (calls []Call, after string) {
	for {
		head, isFunction := strings.CutPrefix(strings.TrimLeft(text, space), functionOpen)
		name, body, isWhole := strings.Cut(head, ">")
		if !isFunction || !isWhole {
			return calls, text
		}
		body = strings.TrimLeft(body, space)
		var call Call
		if strings.HasPrefix(body, "{") {
			call, text = d.functionJSON(name, body)
		} else {
			call, text = d.functionParameters(name, body)
		}
		calls = append(calls, call)
	}
}

func (d decoder) functionJSON(name, body string) (call Call, after string) {
	value, after, err := firstValue(strings.Trim(body, space))
	if err != nil {
		inside, after, _ := strings.Cut(body, functionClose)
		return d.call(name, inside), after
	}
	after = strings.TrimPrefix(after, functionClose)
	return d.call(name, value), after
}

func (d decoder) functionParameters(name, body string) (call Call, after string) {
	inside, after, closed := strings.Cut(body, functionClose)
	settled, repaired, offered := d.name(name)
	reject := func(problem string) (Call, string) { return d.rejected(settled, inside, problem), after }
	if !offered {
		return d.call(name, inside), after
	}
	if !closed {
		return reject("it breaks off before " + functionClose)
	}
	wanted := parseSchema(d.find(settled).Parameters)
	values := map[string]json.RawMessage{}
	for left := strings.Trim(inside, space); left != ""; left = strings.TrimLeft(left, space) {
		head, isParameter := strings.CutPrefix(left, parameterOpen)
		key, rest, isWhole := strings.Cut(head, ">")
		text, next, isClosed := strings.Cut(rest, parameterClose)
		if !isParameter || !isWhole {
			return reject("other text stands between its parameters")
		}
		if !isClosed {
			return reject("the parameter " + key + " is not closed")
		}
		if _, given := values[key]; given {
			return reject(fmt.Sprintf("%.64q is given twice", key))
		}
		values[key] = typed(text, wanted.typeOf(key))
		left = next
	}
	return d.fit(Call{Name: settled, Arguments: Encode(values), Repaired: repaired}), after
}

// typed is a parameter's text as a value of the schema's type: JSON where the type is not string and the text is JSON,
// else the text itself, which the schema then judges.
func typed(text, schemaType string) json.RawMessage {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
	bare := strings.Trim(text, space)
	if schemaType != "string" && schemaType != "any" && json.Valid([]byte(bare)) {
		return json.RawMessage(bare)
	}
	return json.RawMessage(Encode(text))
}

// pythonTag reads call objects behind <|python_tag|>. Code behind it is text.
func (d decoder) pythonTag(held string) []Call {
	body, found := strings.CutPrefix(held, pythonTagOpen)
	if !found {
		return nil
	}
	if calls := d.bare(strings.Trim(body, space)); calls != nil {
		return calls
	}
	return d.whole(strings.Trim(body, space))
}
