package flows_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chatterbox/runtime/flows"
)

// TestBuiltInFilesPassAsTheUsers looks for all mistakes in the built-in files, which a start does not look for again.
func TestBuiltInFilesPassAsTheUsers(t *testing.T) {
	options := flows.Options{Dir: "builtin"}
	rules, err := flows.Load(options)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rules.Names(), load(t).Names(); !slices.Equal(got, want) {
		t.Errorf("the rules are %v, and %v when they are the user's", want, got)
	}
	if _, err := flows.Workflows(options); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob("builtin/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	workflows, err := flows.WorkflowFiles("builtin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range workflows {
		if _, _, err := flows.CheckWorkflow(name, flows.Options{}); err != nil {
			t.Error(err)
		}
	}
}

// TestAMistakeInABuiltInFileIsFound shows that the test above can fail.
func TestAMistakeInABuiltInFileIsFound(t *testing.T) {
	for name, text := range map[string]string{"en.yaml": "\n  - {name: bad, tool: clock, patterns: ['('], reply: x}\n", "booking.yaml": "\nphasse: 1\n"} {
		original, err := os.ReadFile(filepath.Join("builtin", name))
		if err != nil {
			t.Fatal(err)
		}
		dir := folder(t, map[string]string{name: string(original) + text})
		_, rules := flows.Load(flows.Options{Dir: dir})
		_, workflows := flows.Workflows(flows.Options{Dir: dir})
		if rules == nil && workflows == nil {
			t.Errorf("%s: no mistake is found", name)
		}
	}
}
