package loop_test

import (
	"context"
	"fmt"

	"chatterbox/loop"
	"chatterbox/loop/looptest"
)

// clockwise is a model that asks for the time once, and says the result.
type clockwise struct{}

func (clockwise) Complete(_ context.Context, request loop.Request, _ func(string)) (loop.Completion, error) {
	last := request.Messages[len(request.Messages)-1]
	if last.Role == loop.FromTool {
		return loop.Completion{Content: "The clock says " + last.Content, FinishReason: "stop"}, nil
	}
	return loop.Completion{ToolCalls: []loop.Call{{ID: "1", Name: "clock", Arguments: "{}"}}, FinishReason: "tool_calls"}, nil
}

// A turn: the driver asks the model, runs the tool that it calls, and asks again.
func ExampleDriver() {
	tools := looptest.NewTools(looptest.Static("clock", `{"time":"10:00"}`))
	driver := loop.Driver{Model: clockwise{}, Tools: tools}
	question := loop.Event{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: "How late is it?"}}}

	_, outcome := driver.Run(context.Background(), loop.New(loop.DefaultLimits(), tools.Offered()), question, nil)
	fmt.Println(outcome.Text)
	fmt.Println(outcome.Trace.States)
	// Output:
	// The clock says {"time":"10:00"}
	// [RECEIVE_INPUT LLM_INFERENCE TOOL_DECISION TOOL_EXECUTION RESULT_AGGREGATION LLM_INFERENCE TOOL_DECISION RESPONSE_COMPOSITION OUTPUT]
}

// The same turn without anybody who performs: an event in, effects out.
func ExampleStep() {
	machine := loop.New(loop.DefaultLimits(), []loop.Tool{{Name: "clock"}})
	for _, event := range []loop.Event{
		{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: "How late is it?"}}},
		{Kind: loop.Completed, Completion: &loop.Completion{ToolCalls: []loop.Call{{ID: "1", Name: "clock", Arguments: "{}"}}}},
		{Kind: loop.Checked, Verdict: &loop.Verdict{Decision: loop.Run}},
		{Kind: loop.ToolDone, Result: &loop.Result{Content: `{"time":"10:00"}`}},
		{Kind: loop.Completed, Completion: &loop.Completion{Content: "It is ten.", FinishReason: "stop"}},
	} {
		var effects []loop.Effect
		machine, effects = loop.Step(machine, event)
		fmt.Printf("%s:", event.Kind)
		for _, effect := range effects {
			fmt.Printf(" %s", effect.Kind)
		}
		fmt.Printf(", then %s\n", machine.State)
	}
	// Output:
	// start: call_model, then LLM_INFERENCE
	// completed: check_tool, then TOOL_EXECUTION
	// checked: call_tool emit, then TOOL_EXECUTION
	// tool_done: emit call_model, then LLM_INFERENCE
	// completed: emit finish, then OUTPUT
}
