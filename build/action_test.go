package build

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestActionAndScriptAgree compares the inputs that the action declares with those that it passes on and those that its
// script and its page know.
func TestActionAndScriptAgree(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("action/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	found := func(text, expression string) []string {
		names := map[string]bool{}
		for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
			names[strings.ToLower(m[1])] = true
		}
		return slices.Sorted(maps.Keys(names))
	}
	action, script, page := read("action.yml"), read("run.sh"), read("README.md")
	inputs, _, _ := strings.Cut(action, "\noutputs:")
	declared := found(inputs, `(?m)^  ([a-z]+):$`)
	if len(declared) < 10 {
		t.Fatalf("inputs: %q", declared)
	}
	if used := found(action, `inputs\.([a-z]+)`); !slices.Equal(used, declared) {
		t.Errorf("the action declares %q and uses %q", declared, used)
	}
	passed := found(action, `(?m)^        INPUT_([A-Z]+): `)
	if known := found(script, `INPUT_([A-Z]+)`); !slices.Equal(passed, known) {
		t.Errorf("the action passes %q on, and the script knows %q", passed, known)
	}
	for _, name := range declared {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not speak of %s", name)
		}
	}
	_, steps, _ := strings.Cut(action, "\nruns:")
	for line := range strings.Lines(steps) {
		if strings.Contains(line, "run:") && strings.Contains(line, "${{") {
			t.Errorf("an expression is part of a command: %s", line)
		}
	}
	if runs, shells := strings.Count(steps, "run: "), strings.Count(steps, "shell: "); runs == 0 || runs != shells {
		t.Errorf("%d commands and %d shells: a composite action needs one for each", runs, shells)
	}
}
