package bfcl

import (
	"math/big"
	"strings"
)

// language is the one that a category's arguments are written in. Java and JavaScript arguments are source text.
type language struct {
	name    string // empty: Python, whose values are JSON
	types   map[string]schemaType
	convert func(text, name, item string) any
	badText string // the failure's kind when an argument is no text; only where convert is set
	widen   bool   // an integer will do for a float
}

// schemaType is what a name in a schema stands for.
type schemaType struct {
	kind    kind
	numeral pattern // how numbers of it are written in source text; nil where it has none
}

func languageOf(category string) language {
	switch {
	case strings.Contains(category, "javascript"):
		return language{name: "JavaScript", types: scriptTypes, convert: fromJavaScript, badText: "type_error:js"}
	case strings.Contains(category, "java"):
		return language{name: "Java", types: javaTypes, convert: fromJava, badText: "type_error:java"}
	}
	return language{types: pythonTypes, widen: true}
}

var pythonTypes = map[string]schemaType{
	"string": {kind: stringKind}, "integer": {kind: integerKind}, "float": {kind: floatKind},
	"boolean": {kind: booleanKind}, "array": {kind: listKind}, "tuple": {kind: listKind}, "dict": {kind: dictKind},
	"any": {kind: stringKind},
}

// judge judges one argument by its schema and the values accepted for it.
func (l language) judge(name string, value any, schema parameter, accepted []any) *failure {
	wanted, known := l.types[schema.name]
	if !known {
		return fail("type_error:simple", "parameter %q has a type that is not known: %q", name, schema.name)
	}
	item := schemaType{kind: unknownKind} // of the elements; only lists have a known one
	if wanted.kind == listKind {
		if item, known = l.types[schema.item]; !known {
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
		value, _ = new(big.Float).SetInt(whole(value)).Float64()
	}
	variable, failed := judgeKind(name, value, accepted, wanted.kind, item.kind)
	if failed != nil {
		return failed
	}
	return judgeValue(name, value, accepted, wanted.kind, item.kind, variable)
}

// fromSource converts the text of a number or a boolean. What is no literal of the type stays text.
func (t schemaType) fromSource(text string) any {
	if t.kind == booleanKind && (text == "true" || text == "false") {
		return text == "true"
	}
	if t.numeral == nil {
		return text
	}
	literal, ok := submatch(t.numeral, asciiDigits(text))
	if !ok {
		return text
	}
	if t.kind == floatKind {
		return float(literal)
	}
	value, err := integer(literal)
	if err != nil {
		return text
	}
	return value
}

// untyped converts a literal whose type nothing tells: the first of types that it is one of, or any number.
func untyped(text, quotes string, types ...schemaType) any {
	for _, t := range append(types, schemaType{kind: booleanKind}) {
		if value := t.fromSource(text); value != text {
			return value
		}
	}
	if isQuoted(text, quotes) {
		return inner(text)
	}
	if value, ok := number(text); ok {
		return value
	}
	return text
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

// elementsFit says whether each element is of the item's kind, or of the kind that the first element of the accepted
// list has. A candidate that is no list says nothing about elements.
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
	switch {
	case variable:
		return judgePlain(name, value, accepted)
	case expected == stringKind:
		return judgeString(name, value.(string), accepted)
	case expected == dictKind:
		return judgeDict(value, accepted)
	case item == dictKind:
		return judgeDicts(name, value.([]any), accepted)
	case expected == listKind:
		return judgeList(name, value.([]any), accepted)
	}
	return judgePlain(name, value, accepted)
}
