package toolcall

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// This file fits arguments to the schema of an offered tool. It knows the part of JSON Schema that describes tools:
// type, properties, required, additionalProperties, enum and items, at any depth. The rules:
//   - A value of another type is changed only where nothing can get lost: "5" for an integer is 5, a text that is a JSON
//     array is that array where an array is wanted. A number for a text stays wrong: a code may have lost its zeros.
//   - What the schema does not say, or says in words that are not known here, allows everything.
//   - The first violation is enough; it is worded for the model.

// The repairs of values, as Call.Repaired names them.
const (
	repairedType   = "coerced_type"
	repairedNested = "nested_json"
	repairedNull   = "null_omitted"
)

// schemaDepthMax is deeper than any tool's arguments go.
const schemaDepthMax = 32

// schema is one level of a JSON Schema. The zero value allows everything.
type schema struct {
	types      []string
	properties map[string]json.RawMessage
	required   []string
	additional json.RawMessage
	enum       []any
	items      json.RawMessage
}

// parseSchema reads what can be read; a keyword of the wrong form is as one that is absent.
func parseSchema(raw json.RawMessage) schema {
	var words map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &words) != nil {
		return schema{}
	}
	s := schema{additional: words["additionalProperties"], items: words["items"]}
	read := func(word string, into any) bool { // most are absent, and to fail takes as long as to read
		text, ok := words[word]
		return ok && json.Unmarshal(text, into) == nil
	}
	var single string
	if read("type", &single) {
		s.types = []string{single}
	} else {
		read("type", &s.types)
	}
	read("properties", &s.properties)
	read("required", &s.required)
	if text, ok := words["enum"]; ok {
		list, _ := readValue(string(text))
		s.enum, _ = list.([]any)
	}
	return s
}

// typeOf is the type of an argument, "any" where none is told.
func (s schema) typeOf(name string) string {
	if types := parseSchema(s.properties[name]).types; len(types) == 1 {
		return types[0]
	}
	return "any"
}

// fitArguments gives arguments as the schema wants them, and says what was changed or is wrong.
func fitArguments(read *Arguments, schema json.RawMessage) (fit *Arguments, repaired []string, problem string) {
	var f fitted
	values := f.fit(read.Values, schema, "", 0)
	if len(f.repaired) == 0 || f.problem != "" { // what was not changed keeps the very bytes that the model wrote
		return read, nil, f.problem
	}
	return &Arguments{Source: Encode(values), Values: values.(map[string]any)}, f.repaired, ""
}

// fitted is arguments on their way through a schema.
type fitted struct {
	repaired []string
	problem  string // the first violation, empty for none
}

// fit gives a copy of value as the schema wants it, and notes what was changed or is wrong.
func (f *fitted) fit(value any, raw json.RawMessage, path string, depth int) any {
	if len(raw) == 0 || depth > schemaDepthMax || f.problem != "" {
		return value
	}
	s := parseSchema(raw)
	if !s.allows(value) {
		changed, repair := s.coerce(value)
		if repair == "" {
			f.violation("the argument " + path + " is " + article(kind(value)) + ", not " + article(strings.Join(s.types, " or ")))
			return value
		}
		f.repair(repair)
		value = changed
	}
	switch parts := value.(type) {
	case map[string]any:
		value = f.object(parts, s, path, depth)
	case []any:
		elements := make([]any, len(parts))
		for i, element := range parts {
			elements[i] = f.fit(element, s.items, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
		value = elements
	}
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(one any) bool { return equal(one, value) }) {
		f.violation("the argument " + path + " is none of " + encodedList(s.enum))
	}
	return value
}

func (f *fitted) violation(text string) {
	if f.problem == "" {
		f.problem = text
	}
}

func (f *fitted) repair(name string) {
	if !slices.Contains(f.repaired, name) {
		f.repaired = append(f.repaired, name)
	}
}

func (f *fitted) object(given map[string]any, s schema, path string, depth int) any {
	for _, name := range s.required {
		if _, there := given[name]; !there {
			f.violation("Missing required argument: " + join(path, name))
			return given
		}
	}
	members := make(map[string]any, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		member := given[name]
		property, known := s.properties[name]
		if !known {
			property = s.additional
		}
		switch {
		case !known && string(property) == "false":
			f.violation("there is no argument " + join(path, name))
		case member == nil && known && !slices.Contains(s.required, name) && !parseSchema(property).allows(nil):
			f.repair(repairedNull)
		default:
			members[name] = f.fit(member, property, join(path, name), depth+1)
		}
	}
	return members
}

// allows says whether value has one of the schema's types. A type that JSON Schema does not have allows everything.
func (s schema) allows(value any) bool {
	if len(s.types) == 0 {
		return true
	}
	given := kind(value)
	for _, wanted := range s.types {
		switch wanted {
		case "integer":
			if number, isNumber := value.(json.Number); isNumber && whole(string(number)) {
				return true
			}
		case "string", "number", "boolean", "array", "object", "null":
			if given == wanted {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// coerce gives a text as a value of one of the schema's types where nothing gets lost by it; repair is empty where
// something would.
func (s schema) coerce(value any) (changed any, repair string) {
	text, isText := value.(string)
	if !isText {
		return nil, ""
	}
	text = strings.Trim(text, space)
	if text == "True" || text == "False" {
		text = strings.ToLower(text)
	}
	inner, err := readValue(text)
	if err != nil || inner == nil || !s.allows(inner) {
		return nil, ""
	}
	if text[0] == '[' || text[0] == '{' {
		return inner, repairedNested
	}
	return inner, repairedType
}

// kind is the JSON type of a value.
func kind(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	default:
		return "number"
	}
}

// whole says whether a number has no fraction.
func whole(number string) bool {
	if !strings.ContainsAny(number, ".eE") {
		return true
	}
	value, err := strconv.ParseFloat(number, 64)
	return err == nil && value == float64(int64(value))
}

func equal(a, b any) bool { return reflect.DeepEqual(canonical(a), canonical(b)) }

const listedMax = 12 // so many names or values are told to the model

func encodedList(values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = Encode(value)
	}
	return listed(texts)
}

func listed(texts []string) string {
	if len(texts) > listedMax {
		return strings.Join(texts[:listedMax], ", ") + ", …"
	}
	return strings.Join(texts, ", ")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func article(noun string) string {
	if noun != "" && strings.Contains("aeio", noun[:1]) {
		return "an " + noun
	}
	return "a " + noun
}
