// Package bfcl gives a model's recorded function calls the verdicts that the Berkeley Function-Calling Leaderboard gives
// them, in its single-turn categories and for models that call functions natively.
package bfcl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

// Suite is one category: its questions and the answers that they accept. It does not change, so any number of goroutines
// may use it at once.
type Suite struct {
	category  string
	language  language
	questions map[string]question
}

// question is what a verdict needs of one entry.
type question struct {
	functions []function
	answers   []answer
}

// function is a function that the model was offered.
type function struct {
	name       string
	required   []string
	parameters map[string]parameter
}

// parameter is a parameter's type by its schema, and its elements' type, both empty where the schema has none.
type parameter struct{ name, item string }

// answer is one expected call: for each parameter the accepted values, "" among them when it may be left out.
type answer struct {
	function string
	names    []string
	accepted map[string][]any
}

// ErrNoCategory says that a folder does not have the category asked for.
var ErrNoCategory = errors.New("no such category")

// Open reads a category from a folder laid out as the leaderboard publishes it: BFCL_v<digits>_CATEGORY.json and, but for
// relevance and irrelevance, a file of the same name in possible_answer. Of several versions it takes the newest.
// The categories simple, java and javascript also go by simple_python, simple_java and simple_javascript.
func Open(data fs.FS, category string) (*Suite, error) {
	name, err := find(data, category)
	if err != nil {
		return nil, err
	}
	s := &Suite{category: category, language: languageOf(category), questions: map[string]question{}}
	if err := eachEntry(data, name, s.addQuestion); err != nil {
		return nil, err
	}
	if s.ofRelevance() {
		return s, nil
	}
	return s, eachEntry(data, "possible_answer/"+name, s.addAnswers)
}

var aliases = map[string]string{
	"simple": "simple_python", "java": "simple_java", "javascript": "simple_javascript",
	"simple_python": "simple", "simple_java": "java", "simple_javascript": "javascript",
}

// find gives the name of the category's file.
func find(data fs.FS, category string) (string, error) {
	entries, err := fs.ReadDir(data, ".")
	if err != nil {
		return "", err
	}
	for _, asked := range []string{category, aliases[category]} {
		pattern := expression(`^BFCL_v([0-9]+)_` + regexp.QuoteMeta(asked) + `\.json$`)
		newest, name := -1, ""
		for _, entry := range entries {
			digits, ok := submatch(pattern, entry.Name())
			if version, err := strconv.Atoi(digits); ok && err == nil && version > newest {
				newest, name = version, entry.Name()
			}
		}
		if name != "" && asked != "" {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: there is no BFCL_v<digits>_%s.json", ErrNoCategory, category)
}

func eachEntry(data fs.FS, name string, fn func(id string, entry *dict) error) error {
	file, err := data.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return objectsOf(name, file, func(entry *dict) error {
		id, err := idOf(entry)
		if err != nil {
			return err
		}
		if err := fn(id, entry); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		return nil
	})
}

func objectsOf(name string, from io.Reader, fn func(*dict) error) error {
	if err := objects(from, func(_ int, object *dict) error { return fn(object) }); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func idOf(entry *dict) (string, error) {
	id, ok := entry.values["id"].(string)
	if !ok {
		return "", errors.New("an entry without an id")
	}
	return id, nil
}

func (s *Suite) addQuestion(id string, entry *dict) error {
	offered, ok := entry.values["function"].([]any)
	if single, isOne := entry.values["function"].(*dict); isOne {
		offered, ok = []any{single}, true
	}
	if !ok {
		return errors.New("function is no list")
	}
	var q question
	for _, each := range offered {
		description, ok := each.(*dict)
		if !ok {
			return errors.New("a function that is no object")
		}
		f, err := functionOf(description)
		if err != nil {
			return err
		}
		q.functions = append(q.functions, f)
	}
	s.questions[id] = q
	return nil
}

func functionOf(description *dict) (function, error) {
	f := function{parameters: map[string]parameter{}}
	name, ok := description.values["name"].(string)
	if !ok {
		return f, errors.New("a function without a name")
	}
	f.name = name
	schema, ok := description.values["parameters"].(*dict)
	if !ok {
		return f, fmt.Errorf("function %s has no parameters", name)
	}
	required, _ := schema.values["required"].([]any)
	for _, each := range required {
		if name, ok := each.(string); ok {
			f.required = append(f.required, name)
		}
	}
	properties, _ := schema.values["properties"].(*dict)
	if properties == nil {
		return f, nil
	}
	for _, name := range properties.keys {
		property, ok := properties.values[name].(*dict)
		if !ok {
			return f, fmt.Errorf("parameter %s of function %s is no object", name, f.name)
		}
		p := parameter{name: textOf(property.values["type"])}
		if items, ok := property.values["items"].(*dict); ok {
			p.item = textOf(items.values["type"])
		}
		f.parameters[name] = p
	}
	return f, nil
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

func (s *Suite) addAnswers(id string, entry *dict) error {
	q, known := s.questions[id]
	if !known {
		return errors.New("answers to no question")
	}
	expected, ok := entry.values["ground_truth"].([]any)
	if !ok || len(expected) == 0 {
		return errors.New("ground_truth is no list of calls")
	}
	for _, each := range expected {
		call, ok := each.(*dict)
		if !ok || len(call.keys) != 1 {
			return errors.New("an expected call that is no object with one key")
		}
		a := answer{function: call.keys[0], accepted: map[string][]any{}}
		parameters, ok := call.values[a.function].(*dict)
		if !ok {
			return fmt.Errorf("the expected arguments of %s are no object", a.function)
		}
		a.names = parameters.keys
		for _, name := range a.names {
			if a.accepted[name], ok = parameters.values[name].([]any); !ok {
				return fmt.Errorf("what %s accepts for %s is no list", a.function, name)
			}
		}
		q.answers = append(q.answers, a)
	}
	s.questions[id] = q
	return nil
}

func (s *Suite) ofRelevance() bool { return strings.Contains(s.category, "relevance") }
