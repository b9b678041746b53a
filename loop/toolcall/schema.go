package toolcall

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file fits arguments to the schema of an offered tool. It knows the part of JSON Schema that describes tools: type,
// properties, required, additionalProperties, enum and items, at any depth. The rules:
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
	enum       []json.RawMessage
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
	read("enum", &s.enum)
	return s
}

// fitted is arguments on their way through a schema.
type fitted struct {
	repaired []string
	problem  string // the first violation, empty for none
}

// fit gives value as the schema wants it, and notes what was changed or is wrong.
func (f *fitted) fit(value json.RawMessage, raw json.RawMessage, path string, depth int) json.RawMessage {
	if len(raw) == 0 || depth > schemaDepthMax || f.problem != "" {
		return value
	}
	s := parseSchema(raw)
	if !s.allows(value) {
		changed, repair := s.coerce(value)
		if changed == nil {
			f.violation("the argument " + path + " is " + article(kind(value)) + ", not " + article(strings.Join(s.types, " or ")))
			return value
		}
		f.repair(repair)
		value = changed
	}
	switch value[0] {
	case '{':
		value = f.object(value, s, path, depth)
	case '[':
		value = f.array(value, s, path, depth)
	}
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(one json.RawMessage) bool { return equal(one, value) }) {
		f.violation("the argument " + path + " is none of " + compactList(s.enum))
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

func (f *fitted) object(value json.RawMessage, s schema, path string, depth int) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		f.violation("the arguments are not valid JSON")
		return value
	}
	for _, name := range s.required {
		if _, given := members[name]; !given {
			f.violation("Missing required argument: " + join(path, name))
			return value
		}
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := members[name]
		property, known := s.properties[name]
		if !known {
			property = s.additional
		}
		switch {
		case !known && string(property) == "false":
			f.violation("there is no argument " + join(path, name))
		case kind(member) == "null" && known && !slices.Contains(s.required, name) && !parseSchema(property).allows(member):
			delete(members, name)
			f.repair(repairedNull)
			changed = true
		default:
			fit := f.fit(member, property, join(path, name), depth+1)
			changed = changed || !bytes.Equal(fit, member)
			members[name] = fit
		}
	}
	return remade(value, members, changed)
}

func (f *fitted) array(value json.RawMessage, s schema, path string, depth int) json.RawMessage {
	var items []json.RawMessage
	if len(s.items) == 0 || json.Unmarshal(value, &items) != nil {
		return value
	}
	changed := false
	for i, item := range items {
		items[i] = f.fit(item, s.items, path+"["+strconv.Itoa(i)+"]", depth+1)
		changed = changed || !bytes.Equal(items[i], item)
	}
	return remade(value, items, changed)
}

// remade is value with its changed parts. What was not changed keeps the very bytes that the model wrote.
func remade(value json.RawMessage, parts any, changed bool) json.RawMessage {
	if !changed {
		return value
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(parts) != nil {
		return value
	}
	return bytes.TrimSpace(out.Bytes())
}

// allows says whether value has one of the schema's types. A type that JSON Schema does not have allows everything.
func (s schema) allows(value json.RawMessage) bool {
	if len(s.types) == 0 {
		return true
	}
	given := kind(value)
	for _, wanted := range s.types {
		switch wanted {
		case "integer":
			if given == "number" && whole(value) {
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

// coerce gives value as one of the schema's types where nothing gets lost by it, else nil.
func (s schema) coerce(value json.RawMessage) (changed json.RawMessage, repair string) {
	var text string
	if kind(value) != "string" || json.Unmarshal(value, &text) != nil {
		return nil, ""
	}
	text = strings.Trim(text, space)
	inner := json.RawMessage(text)
	if text == "True" || text == "False" {
		inner = json.RawMessage(strings.ToLower(text))
	}
	if text == "" || !json.Valid(inner) || kind(inner) == "null" || !s.allows(inner) || twice(text) != "" {
		return nil, ""
	}
	if inner[0] == '[' || inner[0] == '{' {
		return inner, repairedNested
	}
	return inner, repairedType
}

// kind is the JSON type of a valid value without space around it.
func kind(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// whole says whether a number has no fraction.
func whole(number json.RawMessage) bool {
	if !bytes.ContainsAny(number, ".eE") {
		return true
	}
	value, err := strconv.ParseFloat(string(number), 64)
	return err == nil && value == float64(int64(value))
}

func equal(a, b json.RawMessage) bool {
	if kind(a) == "number" && kind(b) == "number" {
		x, errX := strconv.ParseFloat(string(a), 64)
		y, errY := strconv.ParseFloat(string(b), 64)
		return errX == nil && errY == nil && x == y
	}
	return compact(a) == compact(b)
}

// compact is value in one spelling of its strings and spaces.
func compact(value json.RawMessage) string {
	var decoded any
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&decoded) != nil {
		return string(value)
	}
	written, _ := json.Marshal(decoded) // what was decoded encodes
	return string(written)
}

const listedMax = 12 // so many names or values are told to the model

func compactList(values []json.RawMessage) string {
	texts := make([]string, 0, len(values))
	for _, value := range values {
		texts = append(texts, compact(value))
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
