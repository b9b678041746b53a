package bfcl

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Question is one question of the leaderboard with the calls that it accepts, so that a model can be asked it.
type Question struct {
	Category string          `json:"category"`
	ID       string          `json:"id"`
	Accepted json.RawMessage `json:"ground_truth,omitempty"` // as published

	suite   *Suite
	offered []*dict
}

// Tool is a function as the interfaces describe it over which models are asked: without dots in its name, its parameters
// as JSON Schema.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Call is a call as a model makes it: arguments are the text that it wrote.
type Call struct{ Name, Arguments string }

// ReadQuestion reads {"category","id","function":[…],"ground_truth":[…]}, as [Export] writes it.
func ReadQuestion(text string) (*Question, error) {
	value, err := parse(text)
	if err != nil {
		return nil, err
	}
	entry, ok := value.(*dict)
	if !ok {
		return nil, errors.New("expected an object with category, id, function and ground_truth")
	}
	q := &Question{Category: textOf(entry.values["category"]), ID: textOf(entry.values["id"])}
	if q.Category == "" || q.ID == "" {
		return nil, errors.New("expected a category and an id")
	}
	q.suite = &Suite{category: q.Category, language: languageOf(q.Category), questions: map[string]question{}}
	q.suite.addQuestion(q.ID, entry)
	q.offered = functionsOf(entry)
	if !q.suite.ofRelevance() {
		q.Accepted = appendJSON(nil, entry.values["ground_truth"])
		q.suite.addAnswers(q.ID, entry)
	}
	if odd := q.suite.questions[q.ID].oddity(); odd != nil {
		return nil, odd
	}
	return q, nil
}

// functionsOf gives the functions of a question that was read.
func functionsOf(entry *dict) (out []*dict) {
	list, ok := entry.values["function"].([]any)
	if !ok {
		list = []any{entry.values["function"]}
	}
	for _, each := range list {
		if description, ok := each.(*dict); ok {
			out = append(out, description)
		}
	}
	return out
}

// Judge gives the verdict on a model's first answer: its calls, none where it has only text.
func (q *Question) Judge(calls []Call) (Verdict, error) {
	result := []any{}
	for _, c := range calls {
		one := newDict()
		one.set(c.Name, c.Arguments)
		result = append(result, one)
	}
	failed, err := q.suite.judge(q.ID, result)
	if err != nil {
		return Verdict{}, err
	}
	if failed == nil {
		return Verdict{ID: q.ID, Pass: true}, nil
	}
	return Verdict{ID: q.ID, Error: failed.kind + ": " + failed.reason}, nil
}

// Tools are the functions that the model is offered.
func (q *Question) Tools() []Tool {
	var out []Tool
	for _, f := range q.offered {
		schema, _ := f.values["parameters"].(*dict)
		if schema == nil {
			schema = newDict()
		}
		out = append(out, Tool{
			Name:        strings.ReplaceAll(textOf(f.values["name"]), ".", "_"),
			Description: textOf(f.values["description"]),
			Parameters:  appendJSON(nil, q.suite.language.schema(schema)),
		})
	}
	return out
}

// schemaTypes are the leaderboard's types by their name in JSON Schema. Others are the same, or text.
var schemaTypes = map[string]string{
	"dict": "object", "object": "object", "HashMap": "object", "float": "number", "number": "number", "double": "number",
	"array": "array", "tuple": "array", "ArrayList": "array", "Array": "array", "list": "array",
	"integer": "integer", "long": "integer", "boolean": "boolean", "Boolean": "boolean", "bool": "boolean",
}

// schema is the JSON Schema of a function's parameters. Of another language than Python every argument is a text, which
// says what it is the source of.
func (l language) schema(parameters *dict) *dict {
	out := toSchema(parameters)
	out.set("type", "object")
	properties, _ := out.values["properties"].(*dict)
	if properties == nil {
		out.set("properties", newDict())
		return out
	}
	if l.name == "" {
		return out
	}
	for _, name := range properties.keys {
		described, _ := parameters.values["properties"].(*dict).values[name].(*dict)
		if described == nil {
			continue
		}
		about := fmt.Sprintf("%s As a text: the source, in %s, of a value of type %s", textOf(described.values["description"]), l.name, textOf(described.values["type"]))
		if items, ok := described.values["items"].(*dict); ok {
			about += " with elements of type " + textOf(items.values["type"])
		}
		text := newDict()
		text.set("type", "string")
		text.set("description", strings.TrimSpace(about)+".")
		properties.set(name, text)
	}
	return out
}

// toSchema copies a description with the types of JSON Schema.
func toSchema(from *dict) *dict {
	out := newDict()
	for _, key := range from.keys {
		value := from.values[key]
		switch child := value.(type) {
		case string:
			if key == "type" {
				value = "string"
				if known := schemaTypes[child]; known != "" {
					value = known
				}
			}
		case *dict:
			switch key {
			case "properties":
				all := newDict()
				for _, name := range child.keys {
					if one, ok := child.values[name].(*dict); ok {
						all.set(name, toSchema(one))
					}
				}
				value = all
			case "items", "additionalProperties":
				value = toSchema(child)
			}
		}
		if slices.Contains(schemaKeys, key) {
			out.set(key, value)
		}
	}
	return out
}

// schemaKeys are what of a description has a meaning in JSON Schema; the data has others, which strict servers refuse.
var schemaKeys = []string{"type", "description", "properties", "required", "items", "enum", "default", "additionalProperties"}

// Right gives calls that the question accepts, nil where the accepted values do not say how they are written.
func (q *Question) Right() []Call {
	for _, form := range []func(any) any{func(v any) any { return v }, source} {
		var calls []Call
		for _, a := range q.suite.questions[q.ID].answers {
			arguments := newDict()
			for _, name := range a.names {
				if accepted := a.accepted[name]; !accepted.optional && len(accepted.values) > 0 {
					arguments.set(name, form(plain(accepted.values[0])))
				}
			}
			calls = append(calls, Call{strings.ReplaceAll(a.function, ".", "_"), string(appendJSON(nil, arguments))})
		}
		if v, err := q.Judge(calls); err == nil && v.Pass {
			return calls
		}
	}
	return nil
}

// plain is a value of accepted ones: in a dict, each key has a list of what it accepts.
func plain(value any) any {
	switch value := value.(type) {
	case *dict:
		out := newDict()
		for _, key := range value.keys {
			accepted, ok := value.values[key].([]any)
			switch {
			case !ok:
				out.set(key, value.values[key])
			case len(accepted) > 0 && !contains(accepted, ""):
				out.set(key, plain(accepted[0]))
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = plain(item)
		}
		return out
	}
	return value
}

// source is a value as source text, as far as it is the same in all languages.
func source(value any) any {
	if text, ok := value.(string); ok {
		return text
	}
	return string(appendJSON(nil, value))
}

// Calls is how many calls the question expects.
func (q *Question) Calls() int { return len(q.suite.questions[q.ID].answers) }

// Parts of Verdict.Error: how it begins where the calls cannot be read, how its kind ends where another function was called.
const (
	Undecoded     = "ast_decoder:"
	WrongFunction = ":wrong_func_name"
)

// appendJSON writes a value; a number with a point keeps it.
func appendJSON(to []byte, value any) []byte {
	switch value := value.(type) {
	case *dict:
		to = append(to, '{')
		for i, key := range value.keys {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendJSON(to, key), ':')
			to = appendJSON(to, value.values[key])
		}
		return append(to, '}')
	case []any:
		to = append(to, '[')
		for i, item := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, item)
		}
		return append(to, ']')
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return append(to, "null"...) // a number that JSON has no word for
	}
	if _, ok := value.(float64); ok && !strings.ContainsAny(string(raw), ".e") {
		raw = append(raw, ".0"...)
	}
	return append(to, raw...)
}
