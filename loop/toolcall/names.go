package toolcall

import (
	"encoding/json"
	"slices"
	"strings"
)

// The repairs of names, as Call.Repaired names them.
const (
	repairedLeak   = "leaked_name"
	repairedPrefix = "name_prefix"
	repairedCase   = "name_case"
)

// name finds the offered tool that written means: the very name, the name before a leaked special token, behind a
// namespace, or in other letter case where one tool only has it. Otherwise it is written itself and not offered.
func (d decoder) name(written string) (name string, repaired []string, offered bool) {
	name = written
	if d.find(name) != nil {
		return name, nil, true
	}
	if before, _, found := strings.Cut(name, "<|"); found {
		name, repaired = before, append(repaired, repairedLeak)
	}
	name = strings.Trim(name, space)
	if d.find(name) != nil {
		return name, repaired, true
	}
	for _, prefix := range [...]string{"functions.", "functions_", "functions:"} {
		if bare, found := strings.CutPrefix(name, prefix); found {
			name, repaired = bare, append(repaired, repairedPrefix)
			break
		}
	}
	if d.find(name) != nil {
		return name, repaired, true
	}
	var match string
	for _, tool := range d.offered {
		if strings.EqualFold(tool.Name, name) {
			if match != "" {
				return written, nil, false
			}
			match = tool.Name
		}
	}
	if match == "" {
		return written, nil, false
	}
	return match, append(repaired, repairedCase), true
}

func (d decoder) find(name string) *Tool {
	for i := range d.offered {
		if d.offered[i].Name == name {
			return &d.offered[i]
		}
	}
	return nil
}

// call makes a call of a name and arguments that stood in text.
func (d decoder) call(written, writtenArguments string) Call {
	name, repairedName, offered := d.name(written)
	if !offered {
		return Call{Name: written, Arguments: writtenArguments, Rejected: oneLine("Unknown tool: '" + written + "'")}
	}
	return d.finish(Call{Name: name, Arguments: writtenArguments, Repaired: repairedName})
}

// finish reads the arguments of a call whose name is settled.
func (d decoder) finish(call Call) Call {
	object, repaired, problem := arguments(call.Arguments)
	if problem != "" {
		call.Rejected = d.complaint(call.Name, problem)
		return call
	}
	call.Arguments, call.Repaired = object, append(call.Repaired, repaired...)
	return call
}

// complaint is one line to the model: the tool, what was wrong, the expected shape.
func (d decoder) complaint(name, problem string) string {
	if name == "" {
		return oneLine("The tool call was not run: " + problem + ".")
	}
	line := "The call of " + name + " was not run: " + problem + "."
	if tool := d.find(name); tool != nil {
		if expected := shape(tool.Parameters); expected != "{}" {
			line += " Expected arguments: " + expected + "."
		}
	}
	return oneLine(line)
}

func oneLine(text string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(text) }

// shape is a schema as a model reads it fastest: {"city": string, "days"?: integer}.
func shape(schema json.RawMessage) string {
	names, properties, required := fields(schema)
	var line strings.Builder
	line.WriteString("{")
	for i, name := range names {
		if i > 0 {
			line.WriteString(", ")
		}
		quoted, _ := json.Marshal(name)
		line.Write(quoted)
		if !required[name] {
			line.WriteString("?")
		}
		line.WriteString(": " + properties[name])
	}
	line.WriteString("}")
	return line.String()
}

// fields reads the properties of a schema: their sorted names, their types ("any" where none is told) and which of them
// are required. A schema that cannot be read has none.
func fields(schema json.RawMessage) (names []string, types map[string]string, required map[string]bool) {
	var parsed struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &parsed) != nil {
		return nil, nil, nil
	}
	types, required = map[string]string{}, map[string]bool{}
	for name, property := range parsed.Properties {
		names = append(names, name)
		var typed struct {
			Type string `json:"type"`
		}
		types[name] = "any"
		if json.Unmarshal(property, &typed) == nil && typed.Type != "" {
			types[name] = typed.Type
		}
	}
	for _, name := range parsed.Required {
		required[name] = true
	}
	slices.Sort(names)
	return names, types, required
}

const nameBytesMax = 64

// SafeName is name as every server accepts it in a message: letters, digits, _ and -, at most 64 bytes, not empty. A
// name that breaks this, sent back as what the model said, would fail all later requests.
func SafeName(name string) string {
	safe := true
	for i := range len(name) {
		safe = safe && safeByte(name[i])
	}
	if safe && name != "" && len(name) <= nameBytesMax {
		return name
	}
	bytes := []byte(name[:min(len(name), nameBytesMax)])
	for i := range bytes {
		if !safeByte(bytes[i]) {
			bytes[i] = '_'
		}
	}
	if len(bytes) == 0 {
		return "unnamed"
	}
	return string(bytes)
}

func safeByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-'
}
