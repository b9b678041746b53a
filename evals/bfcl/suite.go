// Package bfcl gives a model's recorded function calls the verdicts that the Berkeley Function-Calling Leaderboard
// gives them, in its single-turn categories and for models that call functions natively.
package bfcl

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Suite is one category: its questions and the answers that they accept. It does not change, so any number of
// goroutines may use it at once.
type Suite struct {
	category  string
	language  language
	questions map[string]question
}

// question is an entry as it was read. What is odd in a part of it is the verdict on the results that come so far, and
// on no others.
type question struct {
	functions []any // on offer
	answers   []any // the calls that are expected
	odd       error // nil, or why there is nothing to compare a result with
}

// parameter is a parameter's type by its schema, and its elements' type, both empty where the schema has none.
type parameter struct{ name, item string }

// ErrNoCategory says that a folder does not have the category asked for.
var ErrNoCategory = errors.New("no such category")

// Open reads a category from a folder laid out as the leaderboard publishes it: BFCL_v<digits>_CATEGORY.json and, but
// for relevance and irrelevance, a file of the same name in possible_answer. Of several versions it takes the newest.
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
	if ofRelevance(s.category) {
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
	functions, ok := entry.values["function"].([]any)
	if one := entry.dict("function"); one != nil {
		functions, ok = []any{one}, true
	}
	q := question{functions: functions}
	switch {
	case !ok:
		q.odd = errors.New("function is no list")
	case slices.ContainsFunc(functions, func(f any) bool { return dictOf(f).text("name") == "" }):
		q.odd = errors.New("a function without a name")
	}
	s.questions[id] = q
}

// addAnswers adds what a question accepts. Answers to no question are left out: no result is compared with them.
func (s *Suite) addAnswers(id string, entry *dict) {
	q, known := s.questions[id]
	if !known {
		return
	}
	q.answers = entry.list("ground_truth")
	if len(q.answers) == 0 && q.odd == nil {
		q.odd = errors.New("ground_truth is no list of calls")
	}
	s.questions[id] = q
}

// expectedCall reads an expected call as the published checker does: of several keys the first is the function. A list
// or a text for the arguments has names in it without values. Other arguments are nil.
func expectedCall(answer any) (function string, arguments *dict, err error) {
	call := dictOf(answer)
	if call == nil || len(call.keys) == 0 {
		return "", nil, errors.New("an expected call is no object with a function's name")
	}
	function = call.keys[0]
	if names, ok := elementsOf(call.values[function]); ok {
		arguments = newDict()
		for _, name := range names {
			arguments.set(textOf(name), nil)
		}
		return function, arguments, nil
	}
	return function, call.dict(function), nil
}

// acceptedFor reads what a parameter of an expected call may be. A text is the list of its characters, in which the
// empty text is.
func acceptedFor(name string, arguments *dict) (values []any, optional bool, err error) {
	accepted := arguments.values[name]
	values, ok := elementsOf(accepted)
	if !ok {
		return nil, false, fmt.Errorf("what is accepted for %s is no list", name)
	}
	_, isText := accepted.(string)
	return values, isText || contains(values, ""), nil
}

func noParameters(function string) error {
	return fmt.Errorf("function %s has no parameters", function)
}

func noArguments(function string) error {
	return fmt.Errorf("the expected arguments of %s are no object", function)
}

// oddity is the first thing that is odd in a question, nil where nothing is.
func (q question) oddity() error {
	if q.odd != nil {
		return q.odd
	}
	for _, f := range q.functions {
		if f := dictOf(f); f.dict("parameters") == nil {
			return noParameters(f.text("name"))
		}
	}
	for _, answer := range q.answers {
		function, arguments, err := expectedCall(answer)
		if err != nil {
			return err
		}
		if arguments == nil {
			return noArguments(function)
		}
		for _, name := range arguments.keys {
			if _, _, err := acceptedFor(name, arguments); err != nil {
				return err
			}
		}
	}
	return nil
}

func ofRelevance(category string) bool { return strings.Contains(category, "relevance") }
