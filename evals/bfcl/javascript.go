package bfcl

import (
	"strings"
	"unicode/utf8"
)

// fromJavaScript converts JavaScript source text by a schema's type. What is no literal of that type stays text. item is
// the type of an array's elements, or empty.
func fromJavaScript(text, name, item string) any {
	switch name {
	case "String":
		if isQuoted(text, `"`) || isQuoted(text, "'") {
			return inner(text)
		}
	case "integer":
		if literal, ok := numeral(javaInteger, text); ok {
			return integerOr(literal, text)
		}
	case "Bigint":
		if literal, ok := numeral(scriptBigint, text); ok {
			return integerOr(literal, text)
		}
	case "float":
		if literal, ok := numeral(scriptFloat, text); ok {
			return float(literal)
		}
	case "Boolean":
		return boolean(text)
	case "array":
		return scriptArray(text, item)
	case "dict":
		return scriptDict(text)
	}
	return text
}

var (
	scriptBigint = expression(`^(-?[0-9]+)n$`)
	scriptFloat  = expression(`^(-?[0-9]+(?:\.[0-9]+)?)\n?$`)

	scriptNested = expression(`^(?:\[\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\]|new\s+Array\(\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\))`)
	scriptInner  = expression(`\[(.*?)\]`)
	scriptList   = expression(`^\[(.*?)\]`)
	scriptNew    = expression(`^new\s+Array\((.*?)\)`)
	scriptObject = expression(`^\{(.*?)\}`)
)

// scriptArray reads up to the first closing bracket and splits at every comma, also at one inside a text: that is how
// the published verdicts came about.
func scriptArray(text, item string) any {
	text = strip(text)
	if nested := scriptNested().FindString(text); nested != "" {
		return scriptArrays(nested)
	}
	inside, ok := submatch(scriptList, text)
	if !ok {
		if inside, ok = submatch(scriptNew, text); !ok {
			return text
		}
	}
	elements := []any{}
	if inside = strip(inside); inside == "" {
		return elements
	}
	for element := range strings.SplitSeq(inside, ",") {
		element = strip(element)
		switch {
		case item == "":
			elements = append(elements, scriptValue(element))
		case strings.HasPrefix(element, "'") || strings.HasPrefix(element, `"`):
			elements = append(elements, fromJavaScript(element, item, "String"))
		default:
			elements = append(elements, fromJavaScript(element, item, ""))
		}
	}
	return elements
}

// scriptArrays reads an array of arrays. The first one is found together with the bracket around all.
func scriptArrays(text string) any {
	lists := []any{}
	for i, found := range scriptInner().FindAllStringSubmatch(text, -1) {
		inside := strip(found[1])
		if i == 0 {
			inside = strings.TrimPrefix(inside, "[")
		}
		list := []any{}
		for element := range strings.SplitSeq(inside, ",") {
			list = append(list, scriptValue(element))
		}
		lists = append(lists, list)
	}
	return lists
}

// scriptDict reads up to the first closing brace, which has to be on the first line.
func scriptDict(text string) any {
	text = strip(text)
	inside, ok := submatch(scriptObject, text)
	if !ok {
		return text
	}
	object := newDict()
	for at := 0; ; {
		key, value, next, ok := scriptPair(inside, at)
		if !ok {
			return object
		}
		object.set(strings.Trim(strip(key), `'"`), scriptMember(strip(value)))
		at = next
	}
}

// scriptPair finds the next "key: value" from at on. A value ends at a comma behind which, before any other comma, a
// colon shows that a key follows; so a comma within a list does not end it. next is where to search on.
func scriptPair(text string, at int) (key, value string, next int, ok bool) {
	for at < len(text) && text[at] == ':' {
		at++
	}
	colon := strings.IndexByte(text[at:], ':')
	if colon < 0 {
		return "", "", 0, false
	}
	key = text[at : at+colon]
	start := skipSpaces(text, at+colon+1)
	for end := start; end < len(text); end++ {
		if text[end] != ',' {
			continue
		}
		if next, ok = keyBehind(text, end+1); ok {
			return key, text[start:end], next, true
		}
	}
	return key, text[start:], len(text), true
}

// keyBehind finds where a key begins that follows a comma, after as many spaces as leave it at least one character.
func keyBehind(text string, at int) (start int, ok bool) {
	end := len(text)
	if comma := strings.IndexByte(text[at:], ','); comma >= 0 {
		end = at + comma
	}
	colon := strings.LastIndexByte(text[at:end], ':') + at
	if colon <= at {
		return 0, false
	}
	start = skipSpaces(text, at)
	for start >= colon { // the colon is the first character behind the spaces: the last space is the key
		_, size := utf8.DecodeLastRuneInString(text[at:start])
		start -= size
	}
	return start, true
}

func skipSpaces(text string, at int) int {
	rest := text[at:]
	return len(text) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return strip(string(r)) == "" }))
}

func scriptMember(value string) any {
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		return scriptArray(value, "")
	}
	return scriptValue(strings.Trim(value, `'"`))
}

// scriptValue converts a literal whose type nothing tells.
func scriptValue(text string) any {
	text = strip(text)
	if text == "true" || text == "false" {
		return text == "true"
	}
	if isQuoted(text, `"`) || isQuoted(text, "'") {
		return inner(text)
	}
	if value, ok := number(text); ok {
		return value
	}
	return text
}
