package bfcl

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// A value is what JSON decodes to: nil, bool, int64, *big.Int (only beyond int64), float64, string, []any or *dict.

// dict is a JSON object. A key that is written twice keeps its first place and its last value.
type dict struct {
	keys   []string
	values map[string]any
}

func newDict() *dict { return &dict{values: map[string]any{}} }

func (d *dict) set(key string, value any) {
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

// get is the value at a key, nil where there is none, or no dict.
func (d *dict) get(key string) any {
	if d == nil {
		return nil
	}
	return d.values[key]
}

func (d *dict) has(key string) bool {
	if d == nil {
		return false
	}
	_, has := d.values[key]
	return has
}

// text, list and dict are the value at a key, empty where it is none of that kind.
func (d *dict) text(key string) string { return textOf(d.get(key)) }

func (d *dict) list(key string) []any {
	list, _ := d.get(key).([]any)
	return list
}

func (d *dict) dict(key string) *dict { return dictOf(d.get(key)) }

func dictOf(value any) *dict {
	dict, _ := value.(*dict)
	return dict
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

// kind is a value's type. Numbers with a point or an exponent are of another kind than those without.
type kind string

const (
	unknownKind kind = "unknown"
	nullKind    kind = "null"
	booleanKind kind = "boolean"
	integerKind kind = "integer"
	floatKind   kind = "float"
	stringKind  kind = "string"
	listKind    kind = "list"
	dictKind    kind = "dict"
)

func kindOf(value any) kind {
	switch value.(type) {
	case nil:
		return nullKind
	case bool:
		return booleanKind
	case int64, *big.Int:
		return integerKind
	case float64:
		return floatKind
	case string:
		return stringKind
	case []any:
		return listKind
	case *dict:
		return dictKind
	}
	return unknownKind
}

// equal compares as the published checker does: numbers by their exact value whatever their kind, true as 1, lists in
// order, dicts by key. NaN equals nothing.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		return a == b
	case []any:
		list, ok := b.([]any)
		return ok && slices.EqualFunc(a, list, equal)
	case *dict:
		other, ok := b.(*dict)
		return ok && maps.EqualFunc(a.values, other.values, equal)
	}
	return equalNumbers(a, b)
}

func equalNumbers(a, b any) bool {
	floatA, isFloatA := a.(float64)
	floatB, isFloatB := b.(float64)
	if isFloatA && isFloatB {
		return floatA == floatB
	}
	wholeA, wholeB := whole(a), whole(b)
	return wholeA != nil && wholeB != nil && wholeA.Cmp(wholeB) == 0
}

// whole is a number as an integer, nil when it is none.
func whole(value any) *big.Int {
	switch value := value.(type) {
	case bool:
		if value {
			return big.NewInt(1)
		}
		return new(big.Int)
	case int64:
		return big.NewInt(value)
	case *big.Int:
		return value
	case float64:
		if math.IsInf(value, 0) || value != math.Trunc(value) {
			return nil
		}
		exact, _ := big.NewFloat(value).Int(nil)
		return exact
	}
	return nil
}

func contains(values []any, value any) bool {
	return slices.ContainsFunc(values, func(candidate any) bool { return equal(candidate, value) })
}

// appendJSON writes a value; a number with a point keeps it.
func appendJSON(to []byte, value any) []byte {
	switch value := value.(type) {
	case *dict:
		to = append(to, '{')
		for i, key := range value.keys {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendJSON(to, key), ':')
			to = appendJSON(to, value.values[key])
		}
		return append(to, '}')
	case []any:
		to = append(to, '[')
		for i, item := range value {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, item)
		}
		return append(to, ']')
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return append(to, "null"...) // a number that JSON has no word for
	}
	if _, ok := value.(float64); ok && !strings.ContainsAny(string(raw), ".e") {
		raw = append(raw, ".0"...)
	}
	return append(to, raw...)
}
