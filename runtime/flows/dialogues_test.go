package flows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/flows"
)

const ownWorkflow = `workflow: laundry
triggers:
  en: {patterns: ['\bwash my (?:shirt|coat)\b']}
fields:
  - name: day
    extractors: [date]
    ask: {en: [What day?]}
phases:
  - name: COLLECTING
    enough: day
    on: {enough: CONFIRMING}
  - name: CONFIRMING
    ask: {en: ["Wash it {day}?"]}
    on: {confirmed: COMPLETE, rejected: COLLECTING}
  - name: COMPLETE
    reply: {en: [Done.]}
    call: {tool: wash, arguments: {day: '{day}'}, required: [day]}
`

func TestAWorkflowIsReadWhenItsFileChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "laundry.yaml")
	synctest.Test(t, func(t *testing.T) {
		d, err := flows.Open(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		has := func(want bool, when string) {
			t.Helper()
			time.Sleep(flows.LookEvery)
			if got := slices.Contains(d.Workflows().Names(), "laundry"); got != want {
				t.Errorf("%s: the workflow is there: %v", when, got)
			}
			if d.Workflows().Get("booking") == nil || d.Rules() == nil {
				t.Errorf("%s: what is built in has gone", when)
			}
		}
		write := func(name, text string) {
			t.Helper()
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		has(false, "at first")
		write(file, ownWorkflow)
		if slices.Contains(d.Workflows().Names(), "laundry") {
			t.Error("the folder is looked at more often than it should be")
		}
		has(true, "written")
		write(filepath.Join(dir, "broken.yaml"), "workflow: [")
		has(true, "beside a broken one")
		rules := d.Rules()
		write(filepath.Join(dir, "rules.yaml"), "commands: [{name: x}]")
		has(true, "beside broken rules")
		if d.Rules() != rules {
			t.Error("broken rules have replaced the ones before")
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		has(false, "removed")
	})
}
