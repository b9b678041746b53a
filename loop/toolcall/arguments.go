package toolcall

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// argumentsBytesMax is more than any tool reads. Servers refuse every later request that carries arguments of a
// megabyte.
const argumentsBytesMax = 256 << 10

// The repairs of arguments, as Call.Repaired names them.
const (
	repairedEmpty    = "empty_arguments"
	repairedEncoded  = "double_encoded"
	repairedTrailing = "trailing_quotes"
	repairedFlat     = "flat_arguments"
)

// arguments reads what a model wrote as arguments: one JSON object, or what can only mean one. problem says why it is
// none.
func arguments(written string) (object string, repaired []string, problem string) {
	text := strings.Trim(written, space)
	switch {
	case len(text) > argumentsBytesMax:
		return "", nil, fmt.Sprintf("the arguments are %d bytes, over the limit of %d", len(text), argumentsBytesMax)
	case text == "" || text == "null":
		return "{}", []string{repairedEmpty}, ""
	case !utf8.ValidString(text):
		return "", nil, "the arguments are not valid UTF-8"
	}
	value, after, err := firstValue(text)
	if err != nil {
		return "", nil, "the arguments are not valid JSON: " + err.Error()
	}
	if after != "" {
		if value[0] != '{' || strings.Trim(after, `"`+space) != "" {
			return "", nil, "the arguments are followed by other text"
		}
		repaired = append(repaired, repairedTrailing)
	}
	if value[0] == '"' {
		var inner string
		if json.Unmarshal([]byte(value), &inner) != nil {
			return "", nil, "the arguments are not valid JSON"
		}
		inner = strings.Trim(inner, space)
		if !isObject(inner) {
			return "", nil, "the arguments are a string, not an object"
		}
		value, repaired = inner, append(repaired, repairedEncoded)
	}
	if value[0] != '{' {
		return "", nil, "the arguments are not an object"
	}
	if problem := twice(value); problem != "" {
		return "", nil, problem
	}
	return value, repaired, ""
}

func isObject(text string) bool { return strings.HasPrefix(text, "{") && json.Valid([]byte(text)) }

// firstValue splits text behind the JSON value that it begins with. text is not empty and has no space at its ends.
func firstValue(text string) (value, after string, err error) {
	if json.Valid([]byte(text)) {
		return text, "", nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = fmt.Errorf("they break off")
		}
		return "", "", err
	}
	return string(raw), strings.Trim(text[decoder.InputOffset():], space), nil
}

// twice tells the first name that stands twice in one object of valid JSON, at any depth; empty when none does. Which of
// the values is meant nobody can know, and parsers differ in which they take.
func twice(value string) (problem string) {
	var open []map[string]bool // the names of every object that is open; none for a list
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{', '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			text := value[i : i+quotedEnd(value[i:])]
			i += len(text) - 1
			if !strings.HasPrefix(strings.TrimLeft(value[i+1:], space), ":") {
				continue
			}
			name := text[1 : len(text)-1]
			if strings.Contains(name, `\`) {
				_ = json.Unmarshal([]byte(text), &name) // what is valid decodes
			}
			names := &open[len(open)-1]
			if (*names)[name] {
				return fmt.Sprintf("%.64q is given twice", name)
			}
			if *names == nil {
				*names = map[string]bool{}
			}
			(*names)[name] = true
		}
	}
	return ""
}

// quotedEnd is the length of the JSON string that text begins with.
func quotedEnd(text string) int {
	end := 1
	for text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	return end + 1
}
