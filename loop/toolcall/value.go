package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Arguments are a call's arguments: one JSON object, read once for all that looks at it. Nobody changes it.
type Arguments struct {
	// Source is the text that was read, without white space around it.
	Source string
	// Values are the members. A number is a [json.Number], as it was written.
	Values map[string]any
}

// ReadArguments reads one JSON object of valid UTF-8. A member that is there twice is an error: parsers differ in which
// of the values they take, and which one is meant nobody can know.
func ReadArguments(text string) (*Arguments, error) {
	text = strings.Trim(text, space)
	value, err := readValue(text)
	if err != nil {
		return nil, err
	}
	members, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("must be one JSON object")
	}
	return &Arguments{Source: text, Values: members}, nil
}

// Text is the object sorted by name, without white space, and with its numbers as they were written.
func (a *Arguments) Text() string { return Encode(a.Values) }

// Canonical is the text that equal objects share: it is Text with numbers by value. 5, 5.0 and 5e0 are one; integers
// keep every digit however many they have.
func (a *Arguments) Canonical() string { return Encode(canonical(a.Values)) }

// Encode writes JSON without escapes for HTML. Value is such that it can be.
func Encode(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(out.String(), "\n")
}

// valueDepthMax is deeper than any tool's arguments go.
const valueDepthMax = 64

// readValue reads a text that is one JSON value.
func readValue(text string) (any, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("not valid UTF-8")
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	value, err := nextValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, end := decoder.Token(); end != io.EOF {
		return nil, errors.New("there is more than one value")
	}
	return value, nil
}

func nextValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > valueDepthMax {
		return nil, fmt.Errorf("nested more than %d deep", valueDepthMax)
	}
	switch token {
	case json.Delim('{'):
		members := map[string]any{}
		for decoder.More() {
			token, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name := token.(string) // of a member there is nothing else
			if _, twice := members[name]; twice {
				return nil, fmt.Errorf("%.64q is given twice", name)
			}
			if members[name], err = nextValue(decoder, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = decoder.Token()
		return members, err
	case json.Delim('['):
		elements := []any{}
		for decoder.More() {
			element, err := nextValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			elements = append(elements, element)
		}
		_, err = decoder.Token()
		return elements, err
	}
	return token, nil
}

// canonical is a copy of value with its numbers by value.
func canonical(value any) any {
	switch value := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			members[name] = canonical(member)
		}
		return members
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			elements[i] = canonical(element)
		}
		return elements
	case json.Number:
		return canonicalNumber(string(value))
	}
	return value
}

const plainDigitsMax = 40 // an integer of more digits is written with an exponent

// canonicalNumber is a number of JSON as its sign, its digits without zeros at either end, and a power of ten; an
// integer that is not too long plainly. One whose exponent is beyond all sense stays as it is.
func canonicalNumber(text string) json.Number {
	bare, negative := strings.CutPrefix(text, "-")
	mantissa, written, _ := strings.Cut(strings.ToLower(bare), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if written == "" {
		written = "0"
	}
	exponent, err := strconv.Atoi(written)
	if err != nil {
		return json.Number(text)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short) - len(fraction)
	if negative {
		short = "-" + short
	}
	switch {
	case exponent == 0:
		return json.Number(short)
	case exponent > 0 && len(short)+exponent <= plainDigitsMax:
		return json.Number(short + strings.Repeat("0", exponent))
	}
	return json.Number(short + "e" + strconv.Itoa(exponent))
}
