package route_test

import (
	"encoding/json"
	"testing"

	"chatterbox/loop/route"
)

func TestACommandThatWasSavedAnswersTheSame(t *testing.T) {
	rules := compile(t, tide())
	command := route.Decide(rules, route.Input{Text: "how high is the tide at Atlantis", Tools: []string{"get_tide"}}).Command
	if command == nil {
		t.Fatal("no command")
	}
	stored, err := json.Marshal(command.Save())
	if err != nil {
		t.Fatal(err)
	}
	var saved route.Saved
	if err := json.Unmarshal(stored, &saved); err != nil {
		t.Fatal(err)
	}
	restored := compile(t, tide()).Restore(saved)
	if restored == nil || string(restored.Arguments) != string(command.Arguments) || restored.Tool != "get_tide" {
		t.Fatalf("restored %+v of %+v", restored, command)
	}
	const result = `{"level":"high","metres":2.6}`
	want, _ := command.Answer([]byte(result))
	if got, err := restored.Answer([]byte(result)); got != want || err != nil || got == "" {
		t.Errorf("answers %q (%v), want %q", got, err, want)
	}

	other := tide()
	other.Tool = "get_siren"
	if compile(t, other).Restore(saved) != nil || (*route.Rules)(nil).Restore(saved) != nil {
		t.Error("a command was restored whose rule has gone")
	}
}
