package toolcall

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
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
func arguments(written string) (read *Arguments, repaired []string, problem string) {
	text := strings.Trim(written, space)
	switch {
	case len(text) > argumentsBytesMax:
		return nil, nil, fmt.Sprintf("the arguments are %d bytes, over the limit of %d", len(text), argumentsBytesMax)
	case text == "" || text == "null":
		return &Arguments{Source: "{}", Values: map[string]any{}}, []string{repairedEmpty}, ""
	}
	value, after, err := firstValue(text)
	if err != nil {
		return nil, nil, "the arguments are not valid JSON: " + err.Error()
	}
	if after != "" {
		if value[0] != '{' || strings.Trim(after, `"`+space) != "" {
			return nil, nil, "the arguments are followed by other text"
		}
		repaired = append(repaired, repairedTrailing)
	}
	if value[0] == '"' {
		var inner string
		if json.Unmarshal([]byte(value), &inner) != nil {
			return nil, nil, "the arguments are not valid JSON"
		}
		inner = strings.Trim(inner, space)
		if !strings.HasPrefix(inner, "{") || !json.Valid([]byte(inner)) {
			return nil, nil, "the arguments are a string, not an object"
		}
		value, repaired = inner, append(repaired, repairedEncoded)
	}
	if value[0] != '{' {
		return nil, nil, "the arguments are not an object"
	}
	if read, err = ReadArguments(value); err != nil {
		return nil, nil, "the arguments cannot be read: " + err.Error()
	}
	return read, repaired, ""
}

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
