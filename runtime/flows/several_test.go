package flows_test

import (
	"os"
	"strings"
	"testing"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

// taken says who takes a decision: a tool, a workflow or nobody.
func taken(d route.Decision) string {
	if d.Command != nil {
		return d.Command.Tool
	}
	return d.Workflow
}

// parted is a decision as the corpus writes it.
func parted(d route.Decision) string {
	switch {
	case d.Stage == route.StageSeveral:
		text := "several"
		for _, part := range d.Parts {
			text += " / " + taken(part.Decision) + ": " + part.Text
		}
		return text
	case taken(d) != "":
		return "one " + taken(d)
	case len(d.Known) > 0:
		return "some / " + strings.Join(d.Known, " / ")
	}
	return "none"
}

// TestSeveral holds that two things in one sentence are two, each understood by itself, and that one is not taken
// apart.
func TestSeveral(t *testing.T) {
	content, err := os.ReadFile("testdata/several.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules := load(t)
	set, err := flows.Workflows(flows.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 {
			t.Fatalf("%q is no line of the corpus", line)
		}
		lines++
		language, want, text := parts[0], parts[1], parts[2]
		for _, model := range []bool{false, true} {
			got := parted(route.Decide(rules, routeInput(nil, set, text, language, model)))
			if got != want {
				t.Errorf("%q (model %v):\n got %s\nwant %s", text, model, got, want)
			}
		}
	}
	if lines < 55 {
		t.Errorf("the corpus has %d lines", lines)
	}
}
