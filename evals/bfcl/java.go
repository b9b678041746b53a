package bfcl

import "strings"

// fromJava converts Java source text by a schema's type. What is no literal of that type stays text. item is the type
// of a collection's elements, or empty.
func fromJava(text, name, item string) any {
	var literal string
	var ok bool
	switch name {
	case "byte", "short", "integer":
		literal, ok = numeral(javaInteger, text)
	case "long":
		literal, ok = numeral(javaLong, text)
	case "float":
		literal, ok = numeral(javaFloat, text)
	case "double":
		literal, ok = numeral(javaDouble, text)
	case "boolean":
		return boolean(text)
	case "Array":
		return javaArray(text, item)
	case "ArrayList":
		return javaArrayList(text, item)
	case "HashMap":
		return javaHashMap(text)
	default:
		return text
	}
	if !ok {
		return text
	}
	if name == "float" || name == "double" {
		return float(literal)
	}
	return integerOr(literal, text)
}

// A trailing line end is part of no literal and yet harmless: Python's $ matches before it.
var (
	javaInteger = expression(`^(-?[0-9]+)\n?$`)
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
			elements = append(elements, javaListElement(strip(element), item))
		}
		return elements
	}
	if inside, ok := submatch(javaAdds, text); ok {
		for _, add := range javaAdd().FindAllStringSubmatch(inside, -1) {
			elements = append(elements, javaListElement(strip(add[1]), item))
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

// javaValue converts a literal whose type nothing tells.
func javaValue(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if isQuoted(text, `"`) {
		return inner(text)
	}
	if literal, ok := numeral(javaLong, text); ok {
		return integerOr(literal, text)
	}
	if literal, ok := numeral(javaFloat, text); ok {
		return float(literal)
	}
	if value, ok := number(text); ok {
		return value
	}
	return text
}

func boolean(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	return text
}

func integerOr(literal, text string) any {
	value, err := integer(literal)
	if err != nil {
		return text
	}
	return value
}
