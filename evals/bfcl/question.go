package bfcl

import (
	"cmp"
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

	suite *Suite
}

// Tool is a function as the interfaces describe it over which models are asked: without dots in its name, its
// parameters as JSON Schema.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Call is a call as a model makes it: arguments are the text that it wrote.
type Call struct{ Name, Arguments string }

// ReadQuestion reads {"category","id","function":[…],"ground_truth":[…]}, as [Features] writes it.
func ReadQuestion(text string) (*Question, error) {
	value, err := parse(text)
	if err != nil {
		return nil, err
	}
	entry, ok := value.(*dict)
	if !ok {
		return nil, errors.New("expected an object with category, id, function and ground_truth")
	}
	q := &Question{Category: entry.text("category"), ID: entry.text("id")}
	if q.Category == "" || q.ID == "" {
		return nil, errors.New("expected a category and an id")
	}
	q.suite = &Suite{category: q.Category, language: languageOf(q.Category), questions: map[string]question{}}
	q.suite.addQuestion(q.ID, entry)
	if !ofRelevance(q.Category) {
		q.Accepted = appendJSON(nil, entry.values["ground_truth"])
		q.suite.addAnswers(q.ID, entry)
	}
	if odd := q.suite.questions[q.ID].oddity(); odd != nil {
		return nil, odd
	}
	return q, nil
}

// Judge gives the verdict on a model's first answer: its calls, none where it has only text.
func (q *Question) Judge(calls []Call) (Verdict, error) {
	result := []any{}
	for _, c := range calls {
		one := newDict()
		one.set(c.Name, c.Arguments)
		result = append(result, one)
	}
	return q.suite.verdict(q.ID, result)
}

// Tools are the functions that the model is offered.
func (q *Question) Tools() []Tool {
	var out []Tool
	for _, each := range q.suite.questions[q.ID].functions {
		f := dictOf(each)
		out = append(out, Tool{
			Name:        offeredName(f.text("name")),
			Description: f.text("description"),
			Parameters:  appendJSON(nil, q.suite.language.schema(f.dict("parameters"))),
		})
	}
	return out
}

// offeredName is a function's name as models are offered it, without dots.
func offeredName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// schemaTypes are the leaderboard's types by their name in JSON Schema. Others are the same, or text.
var schemaTypes = map[string]string{
	"dict": "object", "object": "object", "HashMap": "object",
	"float": "number", "number": "number", "double": "number",
	"array": "array", "tuple": "array", "ArrayList": "array", "Array": "array", "list": "array",
	"integer": "integer", "long": "integer", "boolean": "boolean", "Boolean": "boolean", "bool": "boolean",
}

// schema is the JSON Schema of a function's parameters. Of another language than Python every argument is a text, which
// says what it is the source of.
func (l language) schema(parameters *dict) *dict {
	out := toSchema(parameters)
	out.set("type", "object")
	properties := out.dict("properties")
	if properties == nil {
		out.set("properties", newDict())
		return out
	}
	if l.name == "" {
		return out
	}
	for _, name := range properties.keys {
		described := parameters.dict("properties").dict(name)
		about := fmt.Sprintf("%s As a text: the source, in %s, of a value of type %s",
			described.text("description"), l.name, described.text("type"))
		if items := described.dict("items"); items != nil {
			about += " with elements of type " + items.text("type")
		}
		text := newDict()
		text.set("type", "string")
		text.set("description", strings.TrimSpace(about)+".")
		properties.set(name, text)
	}
	return out
}

// toSchema copies a description with the types and the words of JSON Schema.
func toSchema(from *dict) *dict {
	out := newDict()
	if from == nil {
		return out
	}
	for _, key := range from.keys {
		value := from.values[key]
		switch child := from.dict(key); {
		case !slices.Contains(schemaKeys, key):
			continue
		case key == "type" && kindOf(value) == stringKind:
			value = cmp.Or(schemaTypes[from.text(key)], "string")
		case key == "properties" && child != nil:
			all := newDict()
			for _, name := range child.keys {
				if one := child.dict(name); one != nil {
					all.set(name, toSchema(one))
				}
			}
			value = all
		case (key == "items" || key == "additionalProperties") && child != nil:
			value = toSchema(child)
		}
		out.set(key, value)
	}
	return out
}

// schemaKeys are what of a description has a meaning in JSON Schema; the data has others, which strict servers refuse.
var schemaKeys = []string{
	"type", "description", "properties", "required", "items", "enum", "default", "additionalProperties",
}

// Right gives calls that the question accepts, nil where the accepted values do not say how they are written.
func (q *Question) Right() []Call {
	for _, form := range []func(any) any{func(v any) any { return v }, source} {
		var calls []Call
		for _, answer := range q.suite.questions[q.ID].answers {
			function, expected, _ := expectedCall(answer) // it was read before
			arguments := newDict()
			for _, name := range expected.keys {
				if accepted, optional, _ := acceptedFor(name, expected); !optional && len(accepted) > 0 {
					arguments.set(name, form(plain(accepted[0])))
				}
			}
			calls = append(calls, Call{offeredName(function), string(appendJSON(nil, arguments))})
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

// Parts of Verdict.Error: how it begins where the calls cannot be read, how its kind ends where another function was
// called.
const (
	Undecoded     = "ast_decoder:"
	WrongFunction = ":wrong_func_name"
)
