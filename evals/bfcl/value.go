package bfcl

import (
	"math"
	"math/big"
)

// A value is what JSON decodes to: nil, bool, int64, *big.Int (only beyond int64), float64, string, []any or *dict.

// dict is a JSON object. A key that is written twice keeps its first place and its last value.
type dict struct {
	keys   []string
	values map[string]any
}

func (d *dict) set(key string, value any) {
	if _, known := d.values[key]; !known {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

func newDict() *dict { return &dict{values: map[string]any{}} }

// kind is a value's type. Numbers with a point or an exponent are of another kind than those without.
type kind int

const (
	unknownKind kind = iota
	nullKind
	booleanKind
	integerKind
	floatKind
	stringKind
	listKind
	dictKind
)

func (k kind) String() string {
	return [...]string{"unknown", "null", "boolean", "integer", "float", "string", "list", "dict"}[k]
}

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
		text, ok := b.(string)
		return ok && a == text
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !equal(a[i], list[i]) {
				return false
			}
		}
		return true
	case *dict:
		other, ok := b.(*dict)
		if !ok || len(a.values) != len(other.values) {
			return false
		}
		for key, value := range a.values {
			if expected, known := other.values[key]; !known || !equal(value, expected) {
				return false
			}
		}
		return true
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
	for _, candidate := range values {
		if equal(candidate, value) {
			return true
		}
	}
	return false
}
