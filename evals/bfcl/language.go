package bfcl

import (
	"math/big"
	"strings"
)

// language is the one that a category's arguments are written in. Java and JavaScript arguments are source text.
type language struct {
	name    string          // empty: Python, whose values are JSON
	kinds   map[string]kind // by the schema's name for a type
	convert func(text, name, item string) any
	badText string // the failure's kind when an argument is no text; only where convert is set
	widen   bool   // an integer will do for a float
}

func languageOf(category string) language {
	switch {
	case strings.Contains(category, "javascript"):
		return language{name: "JavaScript", kinds: scriptKinds, convert: fromJavaScript, badText: "type_error:js"}
	case strings.Contains(category, "java"):
		return language{name: "Java", kinds: javaKinds, convert: fromJava, badText: "type_error:java"}
	}
	return language{kinds: pythonKinds, widen: true}
}

var (
	pythonKinds = map[string]kind{
		"string": stringKind, "integer": integerKind, "float": floatKind, "boolean": booleanKind,
		"array": listKind, "tuple": listKind, "dict": dictKind, "any": stringKind,
	}
	javaKinds = map[string]kind{
		"byte": integerKind, "short": integerKind, "integer": integerKind, "long": integerKind,
		"float": floatKind, "double": floatKind, "boolean": booleanKind, "char": stringKind,
		"Array": listKind, "ArrayList": listKind, "HashMap": dictKind, "String": stringKind, "any": stringKind,
	}
	scriptKinds = map[string]kind{
		"String": stringKind, "integer": integerKind, "float": floatKind, "Bigint": integerKind,
		"Boolean": booleanKind, "dict": dictKind, "array": listKind, "any": stringKind,
	}
)

// judge judges one argument by its schema and the values accepted for it.
func (l language) judge(name string, value any, schema parameter, accepted []any) *failure {
	expected, known := l.kinds[schema.name]
	if !known {
		return fail("type_error:simple", "parameter %q has a type that is not known: %q", name, schema.name)
	}
	item := unknownKind // of the elements; only lists have a known one
	if expected == listKind {
		if item, known = l.kinds[schema.item]; !known {
			return fail("type_error:nested", "the elements of %q have a type that is not known: %q", name, schema.item)
		}
	}
	if l.convert != nil {
		text, ok := value.(string)
		if !ok {
			return fail(l.badText, "parameter %q is not text but %s", name, kindOf(value))
		}
		value = l.convert(text, schema.name, schema.item)
	}
	if l.widen && schema.name == "float" && kindOf(value) == integerKind {
		value = asFloat(value)
	}
	variable, failed := judgeKind(name, value, accepted, expected, item)
	if failed != nil {
		return failed
	}
	return judgeValue(name, value, accepted, expected, item, variable)
}

func asFloat(value any) float64 {
	exact := new(big.Float).SetInt(whole(value))
	rounded, _ := exact.Float64()
	return rounded
}

// judgeKind compares kinds. A value of another kind than the schema's is a variable, standing for a value that the text
// of the question does not give, when the first accepted value that is not "" is of the value's kind. A value of the
// schema's kind is one when that accepted value is of another kind.
func judgeKind(name string, value any, accepted []any, expected, item kind) (variable bool, failed *failure) {
	first := firstKind(accepted)
	if kindOf(value) != expected {
		if first != unknownKind && kindOf(value) == first {
			return true, nil
		}
		return false, fail("type_error:simple", "parameter %q is not %s but %s", name, expected, kindOf(value))
	}
	variable = first != unknownKind && first != expected
	if item == unknownKind {
		return variable, nil
	}
	for _, candidate := range accepted {
		if elementsFit(value.([]any), candidate, item) {
			return variable, nil
		}
	}
	kind := "type_error:simple"
	if first == expected {
		kind = "type_error:nested"
	}
	return false, fail(kind, "an element of %q is not %s", name, item)
}

// elementsFit says whether each element is of the item's kind, or of the kind that the first element of the accepted list
// has. A candidate that is no list says nothing about elements.
func elementsFit(elements []any, candidate any, item kind) bool {
	list, ok := candidate.([]any)
	if !ok {
		return true
	}
	first := firstKind(list)
	for _, element := range elements {
		if k := kindOf(element); k != item && (first == unknownKind || k != first) {
			return false
		}
	}
	return true
}

// firstKind is the kind of the first value that is not "", unknownKind when there is none.
func firstKind(accepted []any) kind {
	for _, value := range accepted {
		if value != "" {
			return kindOf(value)
		}
	}
	return unknownKind
}

// judgeValue compares a value of the right kind with the accepted ones; a variable plainly, others in their kind's way.
func judgeValue(name string, value any, accepted []any, expected, item kind, variable bool) *failure {
	if variable {
		return judgePlain(name, value, accepted)
	}
	switch expected {
	case stringKind:
		return judgeString(name, value.(string), accepted)
	case dictKind:
		return judgeDict(value, accepted)
	case listKind:
		if item == dictKind {
			return judgeDicts(name, value.([]any), accepted)
		}
		return judgeList(name, value.([]any), accepted)
	}
	return judgePlain(name, value, accepted)
}
