package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatterbox/evals/scenario"
)

// Conversation is what was said and done.
type Conversation struct {
	Name  string
	Model string // empty where that is not known
	Turns []RecordedTurn
	Tools []scenario.Tool // as they were offered; those that are not here are made up from their calls
}

// RecordedTurn is one turn.
type RecordedTurn struct {
	User   string
	Steps  [][]RecordedCall // answers of the model with calls
	Answer string
}

// RecordedCall is a call and what came of it.
type RecordedCall struct {
	Name      string
	Arguments json.RawMessage
	Result    json.RawMessage // nil where it is not known

	id string // of the API
}

// RecordedScenario is a feature with its tools, without secrets.
type RecordedScenario struct {
	Feature string
	Tools   []scenario.Tool
	Removed []string // what was taken out, by kind and place, without its value
	Model   string
	turns   []RecordedTurn
}

// MakeScenario writes a conversation as a feature: the model's part as it was, and its calls as what is expected.
// Secrets are replaced; secrets that nobody can know by their form are given in full.
func MakeScenario(c Conversation, secrets []string) (RecordedScenario, error) {
	if len(c.Turns) == 0 {
		return RecordedScenario{}, fmt.Errorf("conversation %q has no turn", c.Name)
	}
	r := newRedactor(secrets)
	r.conversation(c) // finds what the second pass takes out wherever it stands
	r.removed = nil
	c = r.conversation(c)
	tools := definitions(c)
	var out strings.Builder
	name := strings.Join(strings.Fields(c.Name), " ")
	fmt.Fprintf(&out, "@model @recorded\nFeature: Recorded: %s\n", name)
	out.WriteString("  Look through what is expected: it is what happened, which need not be right.\n\n")
	fmt.Fprintf(&out, "  Scenario: %s\n", name)
	names := toolNames(tools)
	switch n := len(names); {
	case n == 1:
		fmt.Fprintf(&out, "    Given the tool %s\n", names[0])
	case n > 1:
		fmt.Fprintf(&out, "    Given the tools %s and %s\n", strings.Join(names[:n-1], ", "), names[n-1])
	}
	for _, turn := range c.Turns {
		turn.write(&out)
	}
	return RecordedScenario{out.String(), tools, r.removed, c.Model, c.Turns}, nil
}

func (t RecordedTurn) write(out *strings.Builder) {
	for _, step := range t.Steps {
		rows := argumentCells(step[0].Arguments)
		switch {
		case len(step) > 1:
			out.WriteString("    Given the model calls at once:\n")
			callTable(out, step)
		case len(rows) == 0:
			fmt.Fprintf(out, "    Given the model calls %s with no arguments\n", step[0].Name)
		default:
			fmt.Fprintf(out, "    Given the model calls %s with:\n      | argument | value |\n", step[0].Name)
			for _, row := range rows {
				fmt.Fprintf(out, "      | %s | %s |\n", row[0], row[1])
			}
		}
	}
	writeSaid(out, "Given the model replies", t.Answer)
	writeSaid(out, "When the user says", t.User)
	all := slices.Concat(t.Steps...)
	if len(all) == 0 {
		out.WriteString("    Then no tool is called\n")
		return
	}
	out.WriteString("    Then the calls are:\n")
	callTable(out, all)
}

// callTable writes calls as rows.
func callTable(out *strings.Builder, calls []RecordedCall) {
	out.WriteString("      | id | tool | argument | value |\n")
	for i, c := range calls {
		rows := argumentCells(c.Arguments)
		if len(rows) == 0 {
			rows = [][2]string{{"", ""}}
		}
		for _, row := range rows {
			fmt.Fprintf(out, "      | %d | %s | %s | %s |\n", i+1, c.Name, row[0], row[1])
		}
	}
}

// argumentCells are the arguments as cells, by name.
func argumentCells(arguments json.RawMessage) (rows [][2]string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		rows = append(rows, [2]string{escape(name), escape(cellOf(object[name]))})
	}
	return rows
}

// cellOf is the cell that stands for a value: a text as it is, unless it would be read as something else.
func cellOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	special := text == "" || json.Valid([]byte(text)) || strings.TrimSpace(text) != text || strings.HasPrefix(text, "/") ||
		strings.ContainsAny(text, "…\"") || strings.Contains(text, " to ")
	if special {
		return string(raw)
	}
	return text
}

func escape(cell string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", `\n`).Replace(cell)
}

// writeSaid writes a sentence with a text, below it where it does not fit into quotes.
func writeSaid(out *strings.Builder, sentence, text string) {
	if !strings.ContainsAny(text, "\"\n\r") {
		fmt.Fprintf(out, "    %s \"%s\"\n", sentence, text)
		return
	}
	fence := `"""`
	if strings.Contains(text, fence) {
		fence = "```"
	}
	fmt.Fprintf(out, "    %s:\n      %s\n", sentence, fence)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(out, "      %s\n", line)
	}
	fmt.Fprintf(out, "      %s\n", fence)
}

// definitions are the tools of a conversation: as they were offered, or made up from their calls. Each answers what
// it answered first.
func definitions(c Conversation) []scenario.Tool {
	tools := slices.Clone(c.Tools)
	for _, turn := range c.Turns {
		for _, call := range slices.Concat(turn.Steps...) {
			at := slices.IndexFunc(tools, func(t scenario.Tool) bool { return t.Name == call.Name })
			if at < 0 {
				at = len(tools)
				about := "As recorded: " + call.Name + "."
				tools = append(tools, scenario.Tool{Name: call.Name, Description: about, Parameters: schemaOf(call.Arguments)})
			}
			if tools[at].Answer == nil {
				tools[at].Answer = objectOf(call.Result)
			}
		}
	}
	for i := range tools {
		if tools[i].Answer == nil {
			tools[i].Answer = objectOf(nil)
		}
		if len(tools[i].Parameters) == 0 {
			tools[i].Parameters = json.RawMessage(`{"type":"object"}`)
		}
	}
	return tools
}

// objectOf is a result as the object that an answer has to be.
func objectOf(result json.RawMessage) json.RawMessage {
	var object map[string]any
	switch {
	case len(result) == 0:
		return json.RawMessage(`{"done":true}`)
	case json.Unmarshal(result, &object) == nil && object != nil:
		return result
	}
	return marshal(map[string]any{"text": string(result)})
}

// schemaOf is a schema that the arguments keep to.
func schemaOf(arguments json.RawMessage) json.RawMessage {
	var object map[string]any
	if json.Unmarshal(arguments, &object) != nil {
		object = nil
	}
	properties := map[string]any{}
	for name, value := range object {
		kind := "string"
		switch value.(type) {
		case float64:
			kind = "number"
		case bool:
			kind = "boolean"
		case []any:
			kind = "array"
		case map[string]any:
			kind = "object"
		}
		properties[name] = map[string]any{"type": kind}
	}
	return marshal(map[string]any{"type": "object", "properties": properties})
}
