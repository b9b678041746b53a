package bfcl

import "strings"

// A trailing line end is part of no literal and yet harmless: Python's $ matches before it.
var (
	wholeNumber = expression(`^(-?[0-9]+)\n?$`)
	javaLong    = expression(`^(-?[0-9]+)[lL]\n?$`)
	javaDouble  = expression(`^(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\n?$`)
	javaFloat   = expression(`^(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[fF]\n?$`)

	javaNewArray = expression(`new\s+\w+\[\]\s*\{(.*?)\}`)
	javaAsList   = expression(`new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)`)
	javaAdds     = expression(`(?s)new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}`)
	javaAdd      = expression(`add\((.+?)\)`)
	javaNewList  = expression(`new\s+ArrayList<\w*>\(\)`)
	javaPuts     = expression(`(?s)new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}`)
	javaPut      = expression(`put\("(.*?)",\s*(.*?)\)`)
	javaNewMap   = expression(`(?s)new\s+HashMap<.*?>\s*\(\)`)
)

var javaTypes = map[string]schemaType{
	"byte": {integerKind, wholeNumber}, "short": {integerKind, wholeNumber}, "integer": {integerKind, wholeNumber},
	"long": {integerKind, javaLong}, "float": {floatKind, javaFloat}, "double": {floatKind, javaDouble},
	"boolean": {kind: booleanKind}, "char": {kind: stringKind}, "String": {kind: stringKind}, "any": {kind: stringKind},
	"Array": {kind: listKind}, "ArrayList": {kind: listKind}, "HashMap": {kind: dictKind},
}

// fromJava converts Java source text by a schema's type. What is no literal of that type stays text. item is the type
// of a collection's elements, or empty.
func fromJava(text, name, item string) any {
	switch name {
	case "Array":
		return javaArray(text, item)
	case "ArrayList":
		return javaArrayList(text, item)
	case "HashMap":
		return javaHashMap(text)
	}
	return javaTypes[name].fromSource(text)
}

func javaArray(text, item string) any {
	inside, ok := submatch(javaNewArray, text)
	if !ok {
		return text
	}
	elements := []any{}
	for element := range strings.SplitSeq(inside, ",") {
		if element = strip(element); element != "" {
			elements = append(elements, javaElement(element, item))
		}
	}
	return elements
}

func javaArrayList(text, item string) any {
	elements := []any{}
	if inside, ok := submatch(javaAsList, text); ok {
		for element := range strings.SplitSeq(inside, ",") {
			elements = append(elements, javaListElement(element, item))
		}
		return elements
	}
	if inside, ok := submatch(javaAdds, text); ok {
		for _, add := range javaAdd().FindAllStringSubmatch(inside, -1) {
			elements = append(elements, javaListElement(add[1], item))
		}
		return elements
	}
	if javaNewList().MatchString(text) {
		return elements
	}
	return text
}

// javaListElement differs from an array's element in that texts lose their quotes, or whatever is in their place.
func javaListElement(text, item string) any {
	text = strip(text)
	if item == "String" || item == "char" {
		return inner(text)
	}
	return javaElement(text, item)
}

func javaElement(text, item string) any {
	if item == "" {
		return javaValue(text)
	}
	return fromJava(text, item, "")
}

func javaHashMap(text string) any {
	entries := newDict()
	if inside, ok := submatch(javaPuts, text); ok {
		for _, put := range javaPut().FindAllStringSubmatch(inside, -1) {
			entries.set(put[1], javaValue(strip(put[2])))
		}
		return entries
	}
	if javaNewMap().MatchString(text) {
		return entries
	}
	return text
}

func javaValue(text string) any { return untyped(text, `"`, javaTypes["long"], javaTypes["float"]) }
