// Package bfcl gives a model's recorded function calls the verdicts that the Berkeley Function-Calling Leaderboard gives
// them, in its single-turn categories and for models that call functions natively.
package bfcl

import (
	"cmp"
	"errors"
	"fmt"
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

// question is what a verdict needs of one entry. What is odd in it is kept: it is the verdict on the results that come so
// far, and on no others.
type question struct {
	functions []function
	answers   []answer
	odd       error // nil, or why there is nothing to compare a result with
}

// function is a function that the model was offered.
type function struct {
	name       string
	required   []string
	parameters map[string]parameter
	odd        error
}

// parameter is a parameter's type by its schema, and its elements' type, both empty where the schema has none.
type parameter struct{ name, item string }

// answer is one expected call.
type answer struct {
	function string
	names    []string
	accepted map[string]accepted
	odd      error // the call is none
	oddNames error // its arguments are none
}

// accepted is what a parameter of a call may be.
type accepted struct {
	values   []any
	optional bool // it may be left out
	odd      error
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
	if err := eachEntry(data, name, all(s.addQuestion)); err != nil {
		return nil, err
	}
	if s.ofRelevance() {
		return s, nil
	}
	return s, eachEntry(data, "possible_answer/"+name, all(s.addAnswers))
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

// all is f for eachEntry, where nothing ends the reading.
func all(f func(id string, entry *dict)) func(string, *dict) error {
	return func(id string, entry *dict) error {
		f(id, entry)
		return nil
	}
}

// eachEntry gives fn the entries of a file with their ids.
func eachEntry(data fs.FS, name string, fn func(id string, entry *dict) error) error {
	file, err := data.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return objects(name, file, func(entry *dict) error {
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

func idOf(entry *dict) (string, error) {
	id, ok := entry.values["id"].(string)
	if !ok {
		return "", errors.New("an entry without an id")
	}
	return id, nil
}

func (s *Suite) addQuestion(id string, entry *dict) {
	var q question
	offered, ok := offeredBy(entry)
	if !ok {
		q.odd = errors.New("function is no list")
	}
	for _, each := range offered {
		description, _ := each.(*dict)
		f := functionOf(description)
		if f.name == "" && q.odd == nil {
			q.odd = errors.New("a function without a name")
		}
		q.functions = append(q.functions, f)
	}
	s.questions[id] = q
}

// offeredBy are the functions of a question: a list of them, or one.
func offeredBy(entry *dict) (list []any, ok bool) {
	if one := entry.dict("function"); one != nil {
		return []any{one}, true
	}
	list, ok = entry.values["function"].([]any)
	return list, ok
}

// functionOf reads a description, nil where it is no object.
func functionOf(description *dict) function {
	f := function{name: description.text("name"), parameters: map[string]parameter{}}
	schema := description.dict("parameters")
	if schema == nil {
		f.odd = fmt.Errorf("function %s has no parameters", f.name)
		return f
	}
	for _, each := range schema.list("required") {
		if name, ok := each.(string); ok {
			f.required = append(f.required, name)
		}
	}
	if properties := schema.dict("properties"); properties != nil {
		for _, name := range properties.keys {
			property := properties.dict(name)
			f.parameters[name] = parameter{name: property.text("type"), item: property.dict("items").text("type")}
		}
	}
	return f
}

// addAnswers adds what a question accepts. Answers to no question are left out: no result is compared with them.
func (s *Suite) addAnswers(id string, entry *dict) {
	q, known := s.questions[id]
	if !known {
		return
	}
	expected := entry.list("ground_truth")
	if len(expected) == 0 && q.odd == nil {
		q.odd = errors.New("ground_truth is no list of calls")
	}
	for _, each := range expected {
		q.answers = append(q.answers, answerOf(each))
	}
	s.questions[id] = q
}

// answerOf reads an expected call as the published checker does: of several keys the first is the function.
func answerOf(expected any) answer {
	call, ok := expected.(*dict)
	if !ok || len(call.keys) == 0 {
		return answer{odd: errors.New("an expected call is no object with a function's name")}
	}
	a := answer{function: call.keys[0], accepted: map[string]accepted{}}
	none := fmt.Errorf("the expected arguments of %s are no object", a.function)
	switch arguments := call.values[a.function].(type) {
	case *dict:
		a.names = arguments.keys
		for _, name := range a.names {
			a.accepted[name] = acceptedOf(name, arguments.values[name])
		}
	case []any, string: // what is in it is a name without values
		elements, _ := elementsOf(arguments)
		for _, element := range elements {
			a.names = append(a.names, textOf(element))
			a.accepted[textOf(element)] = accepted{odd: none}
		}
	default:
		a.oddNames = none
	}
	return a
}

// acceptedOf reads what a parameter may be. A text is the list of its characters, in which the empty text is.
func acceptedOf(name string, value any) accepted {
	values, ok := elementsOf(value)
	if !ok {
		return accepted{odd: fmt.Errorf("what is accepted for %s is no list", name)}
	}
	_, isText := value.(string)
	return accepted{values: values, optional: isText || contains(values, "")}
}

// oddity is the first thing that is odd in a question, nil where nothing is.
func (q question) oddity() error {
	all := []error{q.odd}
	for _, f := range q.functions {
		all = append(all, f.odd)
	}
	for _, a := range q.answers {
		all = append(all, a.odd, a.oddNames)
		for _, name := range a.names {
			all = append(all, a.accepted[name].odd)
		}
	}
	return cmp.Or(all...)
}

func (s *Suite) ofRelevance() bool { return strings.Contains(s.category, "relevance") }
