package toolbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"chatterbox/runtime/internal/texts"
)

// fields are the members that an object may have: by name, what decodes one.
type fields map[string]func(path string, raw json.RawMessage) error

// decode reads an object strictly: a member that is not known, is there twice, is null or does not decode is an error
// that names it by path.
func (f fields) decode(path string, raw json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return fieldError(path, "must be an object")
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return fieldError(path, "is not JSON: "+err.Error())
		}
		name := token.(string)
		at := join(path, name)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return fieldError(at, "is not JSON: "+err.Error())
		}
		decodeMember, known := f[name]
		switch {
		case !known:
			nearest, _ := texts.Nearest(name, slices.Sorted(maps.Keys(f)))
			return fmt.Errorf("unknown field %q; the nearest known one is %q", at, nearest)
		case seen[name]:
			return fieldError(at, "is given twice")
		case bytes.Equal(value, []byte("null")):
			return fieldError(at, "must not be null")
		}
		seen[name] = true
		if err := decodeMember(at, value); err != nil {
			return err
		}
	}
	return nil
}

func fieldError(path, problem string) error {
	if path == "" {
		return errors.New("the manifest " + problem)
	}
	return fmt.Errorf("field %q %s", path, problem)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// text decodes a string of at most bytesMax bytes.
func text(target *string, bytesMax int) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		if json.Unmarshal(raw, target) != nil || len(*target) > bytesMax {
			return fieldError(path, fmt.Sprintf("must be a text of at most %d bytes", bytesMax))
		}
		return nil
	}
}

// number decodes a whole number between low and high.
func number[T ~int | ~int64 | ~uint32](target *T, low, high int64) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		var value int64
		if json.Unmarshal(raw, &value) != nil || value < low || value > high {
			return fieldError(path, fmt.Sprintf("must be a whole number from %d to %d", low, high))
		}
		*target = T(value)
		return nil
	}
}

// oneOf decodes a text that is one of values.
func oneOf[T ~string](target *T, values ...T) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		if json.Unmarshal(raw, target) != nil || !slices.Contains(values, *target) {
			return fieldError(path, fmt.Sprintf("must be one of %q", values))
		}
		return nil
	}
}

// yes decodes true or false.
func yes(target *bool) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		if json.Unmarshal(raw, target) != nil {
			return fieldError(path, "must be true or false")
		}
		return nil
	}
}

// object keeps an object as it is.
func object(target *json.RawMessage) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		if !bytes.HasPrefix(raw, []byte("{")) {
			return fieldError(path, "must be an object")
		}
		var compact bytes.Buffer
		if json.Compact(&compact, raw) != nil {
			return fieldError(path, "is not JSON")
		}
		*target = compact.Bytes()
		return nil
	}
}

// list decodes an array of at most max elements, each by element.
func list(max int, element func(path string, raw json.RawMessage) error) func(string, json.RawMessage) error {
	return func(path string, raw json.RawMessage) error {
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil || len(elements) == 0 || len(elements) > max {
			return fieldError(path, fmt.Sprintf("must be a list of 1 to %d", max))
		}
		for i, raw := range elements {
			if err := element(fmt.Sprintf("%s[%d]", path, i), raw); err != nil {
				return err
			}
		}
		return nil
	}
}
