package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// This file compares what a scenario says with what happened. A cell of a table, or a text in quotes, is a text in
// which … stands for any text; or /a regular expression/. For a value of JSON, one that reads as a JSON value (62,
// true, "62", [1,2]) is that value; otherwise it is a text.

// Anything stands for any text.
const Anything = "…"

// Matches says whether text is what matcher describes.
func Matches(matcher, text string) (bool, error) {
	if len(matcher) > 1 && strings.HasPrefix(matcher, "/") && strings.HasSuffix(matcher, "/") {
		expression, err := regexp.Compile(`\A(?:` + matcher[1:len(matcher)-1] + `)\z`)
		if err != nil {
			return false, fmt.Errorf("the matcher %s: %w", matcher, err)
		}
		return expression.MatchString(text), nil
	}
	parts := strings.Split(matcher, Anything)
	if len(parts) == 1 {
		return text == matcher, nil
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false, nil
	}
	rest := text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false, nil
		}
		rest = after
	}
	return true, nil
}

// MatchText fails when got is not what matcher describes.
func MatchText(what, matcher, got string) error {
	ok, err := Matches(matcher, got)
	if err != nil || ok {
		return err
	}
	return fmt.Errorf("%s is %q, not %q", what, got, matcher)
}

// MatchValue fails when the JSON value got is not what matcher describes.
func MatchValue(what, matcher string, got any) error {
	if text, ok := got.(string); ok && !IsJSON(matcher) {
		return MatchText(what, matcher, text)
	}
	if IsJSON(matcher) {
		want, err := ReadJSON([]byte(matcher))
		if err == nil && !reflect.DeepEqual(normal(want), normal(got)) {
			return fmt.Errorf("%s is %s, not %s", what, Compact(got), matcher)
		}
		return err
	}
	return MatchText(what, matcher, Compact(got))
}

// MatchObject fails when the JSON object raw does not have exactly the fields of want, each as its matcher describes.
func MatchObject(what string, want map[string]string, raw json.RawMessage) error {
	value, err := ReadJSON(raw)
	if err != nil {
		return fmt.Errorf("%s is no JSON: %s", what, raw)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is %s, not an object", what, raw)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		got, ok := object[name]
		if !ok {
			return fmt.Errorf("%s has no %s: %s", what, name, raw)
		}
		if err := MatchValue(name+" of "+what, want[name], got); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("%s also has %s: %s", what, name, raw)
		}
	}
	return nil
}

// CellValue is the JSON value that a matcher stands for.
func CellValue(matcher string) any {
	if value, err := ReadJSON([]byte(matcher)); err == nil {
		return value
	}
	return matcher
}

// IsJSON says whether a matcher reads as a JSON value.
func IsJSON(matcher string) bool { return json.Valid([]byte(matcher)) }

// ReadJSON reads one JSON value and keeps every digit of its numbers.
func ReadJSON(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value in %s", raw)
	}
	return value, nil
}

// normal makes equal numbers equal however they are written.
func normal(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, err := value.Float64()
		switch {
		case err != nil:
			return value
		case -1<<53 < number && number < 1<<53 && number == float64(int64(number)):
			return int64(number)
		case strings.ContainsAny(value.String(), ".eE"):
			return number
		}
		return value // a whole number beyond what a float64 holds exactly
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = normal(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, item := range value {
			out[name] = normal(item)
		}
		return out
	default:
		return value
	}
}

// Compact is the JSON of value, for messages.
func Compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
