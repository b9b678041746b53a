package flows

import (
	"os"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

// FuzzWorkflow reads any file; what it accepts can be talked to.
func FuzzWorkflow(f *testing.F) {
	for _, name := range []string{"booking", "reminder", "schedule_call", "speech_en"} {
		text, err := os.ReadFile("builtin/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "book an appointment for tomorrow at ten")
	}
	f.Add([]byte("workflow: a\ntriggers: {en: {patterns: [a]}}\nphases: [{name: A, reply: {en: ['{result.b}[ {c}]']}}]\n"), `{"b":"c"}`)
	text, err := os.ReadFile("builtin/speech_en.yaml")
	if err != nil {
		f.Fatal(err)
	}
	english, err := parseWorkflow(file{name: "speech_en.yaml", text: text})
	if err != nil {
		f.Fatal(err)
	}
	extractors := Extractors()
	f.Fuzz(func(t *testing.T, content []byte, said string) {
		one := file{name: "x.yaml", text: content}
		if !one.isWorkflow() {
			return
		}
		parsed, err := parseWorkflow(one)
		if err != nil {
			return
		}
		speeches, definitions := []workflow.Speech{*english.speech}, []workflow.Definition{parsed.definition}
		if parsed.speech != nil {
			speeches, definitions = append(speeches, *parsed.speech), nil
		}
		set, _ := workflow.Compile(definitions, speeches, extractors)
		for _, name := range set.Names() {
			now := time.Unix(1e9, 0)
			state, action := workflow.Step(set.Get(name), workflow.State{}, workflow.Input{Text: said, Start: true, Now: now})
			for range 3 {
				for n := 0; action.Kind == workflow.CallTool; n++ {
					if n == 4 {
						t.Fatal("calls without end")
					}
					state, action = workflow.Step(set.Get(name), state, workflow.Input{Now: now, Result: &workflow.Result{Content: said}})
				}
				state, action = workflow.Step(set.Get(name), state, workflow.Input{Text: "yes " + said, Now: now})
			}
		}
	})
}
