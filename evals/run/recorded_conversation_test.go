package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

func TestARecordingHasWhatTheModelAnswered(t *testing.T) {
	s, err := run.MakeScenario(run.Conversation{Name: "Lights", Model: "m", Turns: []run.RecordedTurn{
		{User: "Light!", Answer: "Done.", Steps: [][]run.RecordedCall{{call("light", `{"room":"hall"}`, `{}`)}}},
		{User: "The key is sk-abcdefghijklmnop1234.", Steps: [][]run.RecordedCall{{call("light", `{"room":`, ``)}}},
		{User: "After what cannot be read nothing is asked.", Answer: "So it is."},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := json.Marshal(s.Tools)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := scenario.Open(fstest.MapFS{"r.feature": {Data: []byte(s.Feature)}, "tools.json": {Data: tools}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "tape.jsonl")
	to, err := run.StartRecording(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), opened, "r.feature", to); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	wants := []string{`{\\\"room\\\":\\\"hall\\\"}`, `Done.`, `{\\\"room\\\":\"`}
	if len(lines) != len(wants) || strings.Contains(string(text), "sk-abc") {
		t.Fatalf("%s", text)
	}
	for i, want := range wants {
		var e run.Exchange
		if err := json.Unmarshal([]byte(lines[i]), &e); err != nil || e.Trial != "m/bare r/lights #1" || !strings.Contains(lines[i], want) {
			t.Errorf("%s, %v, want %s", lines[i], err, want)
		}
	}
}
