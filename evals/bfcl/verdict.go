package bfcl

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Verdict is what a result is worth. Error is empty when it passes, else "KIND: a sentence" with a kind by the
// leaderboard's name for it, such as value_error:string.
type Verdict struct {
	ID    string `json:"id"`
	Pass  bool   `json:"pass"`
	Error string `json:"error"`
}

// failure says why a result does not pass. A nil one is a pass.
type failure struct{ kind, reason string }

func fail(kind, format string, args ...any) *failure {
	return &failure{kind: kind, reason: fmt.Sprintf(format, args...)}
}

// ErrUnknownID says that a result answers no question of the category.
var ErrUnknownID = errors.New("no such question in this category")

// Check gives fn the verdict on each result of a file, in the file's order; name is the file's, for errors. It stops at
// the first error: of reading, of fn, a line that is no result, or ErrUnknownID.
func (s *Suite) Check(name string, results io.Reader, fn func(Verdict) error) error {
	return objects(name, results, func(entry *dict) error {
		id, err := idOf(entry)
		if err != nil {
			return err
		}
		result, given := entry.values["result"]
		if !given {
			return fmt.Errorf("%s has no result", id)
		}
		verdict, err := s.verdict(id, result)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		return fn(verdict)
	})
}

func (s *Suite) verdict(id string, result any) (Verdict, error) {
	failed, err := s.judge(id, result)
	if err != nil || failed == nil {
		return Verdict{ID: id, Pass: err == nil}, err
	}
	return Verdict{ID: id, Error: failed.kind + ": " + failed.reason}, nil
}

func (s *Suite) judge(id string, result any) (*failure, error) {
	calls, failed := decode(result)
	if ofRelevance(s.category) {
		return s.judgeRelevance(len(calls) > 0, failed), nil
	}
	q, known := s.questions[id]
	if !known {
		return nil, ErrUnknownID
	}
	if q.odd == nil && len(q.answers) == 0 {
		return nil, errors.New("the data has no answers to this question")
	}
	switch {
	case failed != nil:
		return failed, nil
	case q.odd != nil:
		return oddEntry(q.odd), nil
	case len(q.functions) == 0:
		return oddEntry(errors.New("no function is offered")), nil
	case strings.Contains(s.category, "parallel"):
		return s.judgeParallel(q, calls), nil
	case strings.Contains(s.category, "multiple"):
		if len(calls) != len(q.answers) {
			return wrongCount("multiple_function_checker", len(calls), len(q.answers)), nil
		}
		return s.judgeExpected(q, calls[0], q.answers[0]), nil
	}
	if len(calls) != 1 {
		return wrongCount("simple_function_checker", len(calls), 1), nil
	}
	return s.judgeCall(dictOf(q.functions[0]), calls[0], q.answers[0]), nil
}

// oddEntry fails a result because there is nothing in the data to compare it with: the published checker ends there.
func oddEntry(why error) *failure { return fail("data_error:odd_entry", "%v", why) }

func wrongCount(checker string, got, want int) *failure {
	return fail(checker+":wrong_count", "%d calls instead of %d", got, want)
}

// judgeRelevance looks at nothing but whether there is a call.
func (s *Suite) judgeRelevance(called bool, undecoded *failure) *failure {
	if strings.Contains(s.category, "irrelevance") {
		if called {
			return fail("irrelevance_error:decoder_success", "a call where none is right")
		}
		return nil
	}
	if called {
		return nil
	}
	reason := "no call"
	if undecoded != nil {
		reason = undecoded.reason
	}
	return fail("relevance_error:decoder_failed", "%s", reason)
}

// judgeParallel gives each expected call, in order, the first call that passes and is not taken yet. It never takes
// back a choice, though another one might let all pass.
func (s *Suite) judgeParallel(q question, calls []call) *failure {
	if len(calls) != len(q.answers) {
		return wrongCount("parallel_function_checker_no_order", len(calls), len(q.answers))
	}
	taken := make([]bool, len(calls))
	for i, answer := range q.answers {
		var reasons []string
		found := -1
		for j, c := range calls {
			if taken[j] {
				continue
			}
			failed := s.judgeExpected(q, c, answer)
			if failed == nil {
				found = j
				break
			}
			reasons = append(reasons, failed.reason)
		}
		if found < 0 {
			function, _, _ := expectedCall(answer)
			return fail("parallel_function_checker_no_order:cannot_find_match", "no call matches number %d, %s: %s",
				i+1, function, strings.Join(reasons, "; "))
		}
		taken[found] = true
	}
	return nil
}

// judgeExpected judges by the description of the function that is expected.
func (s *Suite) judgeExpected(q question, c call, answer any) *failure {
	function, _, err := expectedCall(answer)
	if err != nil {
		return oddEntry(err)
	}
	for _, f := range q.functions {
		if f := dictOf(f); f.text("name") == function {
			return s.judgeCall(f, c, answer)
		}
	}
	return fail("simple_function_checker:wrong_func_name", "the expected function %s is not on offer", function)
}

// judgeCall compares a call with an expected one by the description of a function.
func (s *Suite) judgeCall(description *dict, c call, answer any) *failure {
	function, expected, err := expectedCall(answer)
	name, schema := description.text("name"), description.dict("parameters")
	switch {
	case err != nil:
		return oddEntry(err)
	case schema == nil:
		return oddEntry(noParameters(name))
	case c.name != offeredName(name):
		return fail("simple_function_checker:wrong_func_name", "called %q instead of %q", c.name, offeredName(name))
	}
	for _, required := range schema.list("required") {
		if name, ok := required.(string); ok && !c.arguments.has(name) {
			return fail("simple_function_checker:missing_required", "the required parameter %q is missing", name)
		}
	}
	if expected == nil {
		return oddEntry(noArguments(function))
	}
	for _, name := range c.arguments.keys {
		failed := s.judgeArgument(name, c.arguments.values[name], schema.dict("properties"), expected)
		if failed != nil {
			return failed
		}
	}
	for _, name := range expected.keys {
		_, optional, err := acceptedFor(name, expected)
		switch {
		case c.arguments.has(name):
		case err != nil:
			return oddEntry(err)
		case !optional:
			return fail("simple_function_checker:missing_optional", "parameter %q may not be left out here", name)
		}
	}
	return nil
}

func (s *Suite) judgeArgument(name string, value any, properties, expected *dict) *failure {
	if !properties.has(name) || !expected.has(name) {
		return fail("simple_function_checker:unexpected_param", "parameter %q is not expected", name)
	}
	accepted, _, err := acceptedFor(name, expected)
	if err != nil {
		return oddEntry(err)
	}
	property := properties.dict(name)
	schema := parameter{name: property.text("type"), item: property.dict("items").text("type")}
	return s.language.judge(name, value, schema, accepted)
}

// call is one function call, decoded.
type call struct {
	name      string
	arguments *dict
}

// decode reads a result: a list of objects with one key, the function's name, and the arguments as JSON text. Any
// other result has no calls and a failure; an empty list has neither.
func decode(result any) ([]call, *failure) {
	const undecoded, malformed = "ast_decoder:decoder_failed", "ast_decoder:decoder_wrong_output_format"
	list, ok := result.([]any)
	if !ok {
		return nil, fail(undecoded, "the result is no list of calls")
	}
	calls := make([]call, 0, len(list))
	for i, item := range list {
		object, ok := item.(*dict)
		if !ok || len(object.keys) != 1 {
			return nil, fail(undecoded, "call %d is no object with one key", i+1)
		}
		name := object.keys[0]
		text, ok := object.values[name].(string)
		if !ok {
			return nil, fail(undecoded, "the arguments of call %d are no text", i+1)
		}
		value, err := parse(text)
		if err != nil {
			return nil, fail(undecoded, "the arguments of call %d are no JSON: %v", i+1, err)
		}
		arguments, ok := value.(*dict)
		if !ok {
			return nil, fail(malformed, "the arguments of call %d are no object", i+1)
		}
		calls = append(calls, call{name: name, arguments: arguments})
	}
	return calls, nil
}
