package toolcall

import (
	"maps"
	"slices"
	"strings"
)

// The repairs of names, as Call.Repaired names them.
const (
	repairedLeak   = "leaked_name"
	repairedPrefix = "name_prefix"
	repairedCase   = "name_case"
	repairedSep    = "name_separators"
)

// name finds the offered tool that written means: the very name, the name before a leaked special token, behind a
// namespace, or in other letter case where one tool only has it. Otherwise it is written itself and not offered.
func (d decoder) name(written string) (name string, repaired []string, offered bool) {
	name = written
	if d.find(name) != nil {
		return name, nil, true
	}
	if before, _, found := strings.Cut(name, tokenOpen); found {
		name, repaired = before, append(repaired, repairedLeak)
	}
	if before, found := strings.CutSuffix(strings.TrimRight(name, space+"\u00a0"), "\u00a0json"); found {
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
	for _, by := range spellings {
		switch alike := d.spelled(name, by.spelling); {
		case len(alike) == 1:
			return alike[0], append(repaired, by.repair), true
		case len(alike) > 1:
			return written, nil, false
		}
	}
	return written, nil, false
}

// spellings are the ways in which a name may be written otherwise.
var spellings = []struct {
	repair   string
	spelling func(string) string
}{
	{repairedCase, func(name string) string { return name }},
	{repairedSep, separators.Replace},
}

// separators are one to servers that allow only some of them in names.
var separators = strings.NewReplacer(".", "_", "-", "_", " ", "_", ":", "_", "/", "_")

// spelled are the tools whose name is name in any letter case after both went through spelling.
func (d decoder) spelled(name string, spelling func(string) string) (alike []string) {
	name = spelling(name)
	for _, tool := range d.offered {
		if name != "" && strings.EqualFold(spelling(tool.Name), name) {
			alike = append(alike, tool.Name)
		}
	}
	return alike
}

// beginsName says whether an offered name may begin with written, in any letter case and with any separators.
func (d decoder) beginsName(written string) bool {
	written = separators.Replace(written)
	return slices.ContainsFunc(d.offered, func(tool Tool) bool {
		return len(tool.Name) >= len(written) && strings.EqualFold(separators.Replace(tool.Name[:len(written)]), written)
	})
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
		return Call{Name: written, Arguments: writtenArguments, Rejected: d.unknown(written)}
	}
	return d.fit(Call{Name: name, Arguments: writtenArguments, Repaired: repairedName})
}

// fit finishes a call of an offered tool that stood in text, and rejects it where its arguments break the schema.
func (d decoder) fit(call Call) Call {
	call = d.finish(call)
	if call.Rejected == "" {
		call.Rejected = call.Objection(d.offered)
	}
	return call
}

// finish reads the arguments of a call whose name is settled, and brings their values to the types of the schema.
func (d decoder) finish(call Call) Call {
	read, repaired, problem := arguments(call.Arguments)
	if problem != "" {
		call.Rejected = d.complaint(call.Name, problem)
		return call
	}
	if tool := d.find(call.Name); tool != nil {
		fit, more, problem := fitArguments(read, tool.Parameters)
		if problem == "" {
			read, repaired = fit, append(repaired, more...)
		}
	}
	call.Arguments, call.Read, call.Repaired = read.Source, read, append(call.Repaired, repaired...)
	return call
}

// Objection says in one line why a call that decoding let pass will not be run where only the offered tools can be: its
// tool is not among them, or its arguments break the tool's schema. It is empty for a sound call.
func (c Call) Objection(offered []Tool) string {
	d := decoder{offered: offered}
	tool := d.find(c.Name)
	if tool == nil {
		return d.unknown(c.Name)
	}
	if _, _, problem := fitArguments(c.Read, tool.Parameters); problem != "" {
		return d.complaint(c.Name, problem)
	}
	return ""
}

// unknown is one line to the model that called a tool of no such name.
func (d decoder) unknown(name string) string {
	line := "Unknown tool: '" + name[:min(len(name), 2*nameBytesMax)] + "'"
	var names []string
	for _, tool := range d.offered {
		names = append(names, tool.Name)
	}
	if names != nil {
		line += ". The tools are: " + listed(names) + "."
	}
	return oneLine(line)
}

// rejected is a call that must not run, with what was written of it.
func (d decoder) rejected(name, written, problem string) Call {
	return Call{Name: name, Arguments: written, Rejected: d.complaint(name, problem)}
}

// complaint is one line to the model: the tool, what was wrong, the expected shape.
func (d decoder) complaint(name, problem string) string {
	if name == "" {
		return oneLine("The tool call was not run: " + problem + ".")
	}
	line := "The call of " + name + " was not run: " + problem + "."
	if tool := d.find(name); tool != nil {
		if expected := tool.Shape(); expected != "{}" {
			line += " Expected arguments: " + expected + "."
		}
	}
	return oneLine(line)
}

func oneLine(text string) string {
	return strings.ToValidUTF8(lineBreaks.Replace(text), "\uFFFD")
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ")

// Shape is the tool's arguments as a model reads them fastest: {"city": string, "days"?: integer}. Of many arguments it
// tells the required ones.
func (t Tool) Shape() string {
	s := parseSchema(t.Parameters)
	required := func(name string) bool { return slices.Contains(s.required, name) }
	names := slices.Sorted(maps.Keys(s.properties))
	more := ""
	if len(names) > listedMax {
		names = slices.DeleteFunc(names, func(name string) bool { return !required(name) })
		names, more = names[:min(len(names), listedMax)], "…"
	}
	arguments := make([]string, len(names))
	for i, name := range names {
		arguments[i] = Encode(name)
		if !required(name) {
			arguments[i] += "?"
		}
		arguments[i] += ": " + s.typeOf(name)
	}
	if more != "" {
		arguments = append(arguments, more)
	}
	return "{" + strings.Join(arguments, ", ") + "}"
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
