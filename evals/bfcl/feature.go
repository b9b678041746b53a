package bfcl

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// scenariosMax is how many questions one feature has: in the largest category they stay well below what a feature may
// be.
const scenariosMax = 100

// Feature is a file of scenarios in which a model is asked questions of the leaderboard.
type Feature struct {
	Name      string // of the file, with .feature
	Text      string
	Scenarios int
	Scripted  int // of them, those that say what a right answer is
}

// Features makes scenarios of a category's questions. Each has its question in it, so that they need no other file. A
// question that cannot be written as a scenario is an error.
func Features(data fs.FS, category string) ([]Feature, error) {
	accepted := map[string]any{}
	name, err := find(data, category)
	if err != nil {
		return nil, err
	}
	if !ofRelevance(category) {
		err := eachEntry(data, "possible_answer/"+name, func(id string, entry *dict) error {
			accepted[id] = entry.values["ground_truth"]
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var out []Feature
	err = eachEntry(data, name, func(id string, entry *dict) error {
		if len(out) == 0 || out[len(out)-1].Scenarios == scenariosMax {
			out = append(out, Feature{
				Name: fmt.Sprintf("%s_%02d.feature", category, len(out)+1),
				Text: fmt.Sprintf("@model @bfcl @%s\nFeature: %s, part %d\n", category, category, len(out)+1),
			})
		}
		scenario, scripted, err := scenarioOf(category, id, entry, accepted[id])
		if err != nil {
			return err
		}
		last := &out[len(out)-1]
		last.Text += scenario
		last.Scenarios++
		if scripted {
			last.Scripted++
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s has no questions", name)
	}
	return out, err
}

// scenarioOf writes one question as a scenario, and says whether it has a right answer in it.
func scenarioOf(category, id string, entry *dict, accepted any) (text string, scripted bool, err error) {
	written := newDict()
	written.set("category", category)
	written.set("id", id)
	written.set("function", entry.values["function"])
	if accepted != nil {
		written.set("ground_truth", accepted)
	}
	line := string(appendJSON(nil, written))
	question, err := ReadQuestion(line)
	if err != nil {
		return "", false, err
	}
	before, said, err := talk(entry)
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n  Scenario: %s\n    Given the leaderboard's question:\n%s", id, indented(line))
	if len(before) > 0 {
		b.WriteString("    And they said before:\n      | user | model |\n")
		for _, pair := range before {
			fmt.Fprintf(&b, "      | %s | %s |\n", inCell(pair[0]), inCell(pair[1]))
		}
	}
	played := question.played()
	b.WriteString(played)
	fmt.Fprintf(&b, "    When the user says:\n%s    Then the leaderboard passes the calls\n", indented(said))
	return b.String(), played != "", nil
}

// played is what a model does that is right, as a sentence; empty where nobody knows.
func (q *Question) played() string {
	if strings.Contains(q.Category, "irrelevance") {
		return "    And the model replies \"None of my tools can do that.\"\n"
	}
	calls := q.Right()
	if ofRelevance(q.Category) {
		calls = []Call{{q.Tools()[0].Name, "{}"}}
	}
	if calls == nil {
		return ""
	}
	list := make([]any, len(calls))
	for i, c := range calls {
		arguments, err := parse(c.Arguments)
		if err != nil {
			return "" // what was written is read again
		}
		one := newDict()
		one.set("name", c.Name)
		one.set("arguments", arguments)
		list[i] = one
	}
	written := indented(string(appendJSON(nil, list)))
	return "    And the model calls:\n" + written + "    And the model replies \"Done.\"\n"
}

// talk is what was said before, in pairs, and the last thing that the person says. What the system says goes before the
// first thing that the person says: a served model has a system message of its own.
func talk(entry *dict) (before [][2]string, said string, err error) {
	turns := entry.list("question")
	if len(turns) != 1 {
		return nil, "", fmt.Errorf("expected one turn, found %d: only the categories with one can be had", len(turns))
	}
	messages, _ := turns[0].([]any)
	var open []string
	for _, each := range messages {
		message, _ := each.(*dict)
		if message == nil {
			return nil, "", errors.New("a message that is no object")
		}
		text := message.text("content")
		switch role := message.text("role"); role {
		case "system", "user":
			open = append(open, text)
		case "assistant":
			before = append(before, [2]string{strings.Join(open, "\n\n"), text})
			open = nil
		default:
			return nil, "", fmt.Errorf("a message of role %q", role)
		}
	}
	if said = strings.Join(open, "\n\n"); strings.TrimSpace(said) == "" {
		return nil, "", errors.New("the person says nothing last")
	}
	return before, said, nil
}

// indented is a text as it stands below a sentence, between the quotes that do not stand in it.
func indented(text string) string {
	const margin = "      "
	fence := `"""`
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if strings.TrimSpace(line) == fence {
			fence = "```"
		}
	}
	return margin + fence + "\n" + margin + strings.Join(lines, "\n"+margin) + "\n" + margin + fence + "\n"
}

// inCell is a text as the cell of a table.
func inCell(text string) string {
	return strings.NewReplacer(`\`, `\\`, `|`, `\|`, "\n", `\n`, "\r", "").Replace(text)
}
