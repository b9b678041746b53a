package workflow_test

import (
	"fmt"

	"chatterbox/loop/workflow"
)

// A booking, sentence by sentence. The extractors of this test read values that are written as kind:value.
func ExampleStep() {
	set, err := workflow.Compile([]workflow.Definition{booking()}, []workflow.Speech{english()}, extractors())
	if err != nil {
		fmt.Println(err)
		return
	}
	flow, state := set.Get("booking"), workflow.State{}
	for _, text := range []string{"Book a visit for name:Ann at address:Elm_Street", "date:2026-03-09", "time:14:00"} {
		var action workflow.Action
		state, action = workflow.Step(flow, state, workflow.Input{Text: text, Language: "en", Now: now, Start: !state.Open()})
		for action.Kind == workflow.CallTool { // a check, which only reads
			result := flow.Success(*action.Call)
			state, action = workflow.Step(flow, state, workflow.Input{Now: now, Result: &result})
		}
		fmt.Println(state.Phase, action.Reply)
	}
	// Output:
	// CONFIRMING So Ann. What day?
	// CONFIRMING So Ann. What time on Monday?
	// CONFIRMING Book Ann at Elm Street on Monday at 2 PM?
}
