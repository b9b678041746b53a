package bfcl

import "strings"

var (
	scriptBigint = expression(`^(-?[0-9]+)n$`)
	scriptFloat  = expression(`^(-?[0-9]+(?:\.[0-9]+)?)\n?$`)

	scriptNested = expression(
		`^(?:\[\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\]|new\s+Array\(\s*\[.*?\]\s*(?:,\s*\[.*?\]\s*)*\))`)
	scriptInner = expression(`\[(.*?)\]`)
	scriptList  = expression(`^(?:\[(.*?)\]|new\s+Array\((.*?)\))`)

	// scriptObject ends at the first closing brace, which has to be on the first line.
	scriptObject = expression(`^\{(.*?)\}`)
	// scriptPair is "key: value" and the pairs behind it. A value ends at a comma behind which, before any other
	// comma, a colon shows that a key follows; so a comma within a list does not end it.
	scriptPair = expression(`([^:]+):\s*(.*?)(?:,\s*([^,]+:.*)|$)`)
)

var scriptTypes = map[string]schemaType{
	"integer": {integerKind, wholeNumber}, "Bigint": {integerKind, scriptBigint}, "float": {floatKind, scriptFloat},
	"Boolean": {kind: booleanKind}, "String": {kind: stringKind}, "any": {kind: stringKind},
	"array": {kind: listKind}, "dict": {kind: dictKind},
}

// fromJavaScript converts JavaScript source text by a schema's type. What is no literal of that type stays text. item
// is the type of an array's elements, or empty.
func fromJavaScript(text, name, item string) any {
	switch {
	case name == "String" && isQuoted(text, `"'`):
		return inner(text)
	case name == "array":
		return scriptArray(text, item)
	case name == "dict":
		return scriptDict(text)
	}
	return scriptTypes[name].fromSource(text)
}

// scriptArray reads up to the first closing bracket and splits at every comma, also at one inside a text: that is how
// the published verdicts came about.
func scriptArray(text, item string) any {
	text = strip(text)
	if nested := scriptNested().FindString(text); nested != "" {
		return scriptArrays(nested)
	}
	found := scriptList().FindStringSubmatch(text)
	if found == nil {
		return text
	}
	elements := []any{}
	inside := strip(found[1] + found[2])
	if inside == "" {
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

func scriptDict(text string) any {
	text = strip(text)
	pairs, ok := submatch(scriptObject, text)
	if !ok {
		return text
	}
	object := newDict()
	for {
		pair := scriptPair().FindStringSubmatch(pairs)
		if pair == nil {
			return object
		}
		object.set(strings.Trim(strip(pair[1]), `'"`), scriptMember(strip(pair[2])))
		pairs = pair[3]
	}
}

func scriptMember(value string) any {
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") {
		return scriptArray(value, "")
	}
	return scriptValue(strings.Trim(value, `'"`))
}

func scriptValue(text string) any { return untyped(strip(text), `"'`) }
