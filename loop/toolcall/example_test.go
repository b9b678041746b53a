package toolcall_test

import (
	"fmt"

	"chatterbox/loop/toolcall"
)

// A model that was not told how writes its call into the text, and its arguments with a comma too many.
func ExampleDecode() {
	offered := []toolcall.Tool{{Name: "get_weather", Parameters: []byte(`{"type":"object"}`)}}
	answer := toolcall.Answer{Content: `Let me see. <tool_call>{"name": "get_weather", "arguments": {"location": "Oslo",}}</tool_call>`}

	decoded := toolcall.Decode(answer, offered)
	fmt.Printf("%q\n", decoded.Text)
	for _, call := range decoded.Calls {
		fmt.Println(call.Name, call.Arguments, call.Repaired)
	}
	// Output:
	// "Let me see. "
	// get_weather {"location":"Oslo"} [python_literal]
}
