package wasm_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"chatterbox/runtime/wasm"
)

// A module is admitted once and called often; what a guest does wrong is in the result, never an error of ours.
func ExampleEngine() {
	ctx := context.Background()
	binary, err := os.ReadFile("../../tools-wasm/testkit/modules/echo_reactor.wasm")
	if err != nil {
		fmt.Println(err)
		return
	}
	module, err := wasm.NewEngine(wasm.Options{}).Load(ctx, binary)
	if err != nil {
		fmt.Println("not fit to run:", err)
		return
	}
	defer module.Close()
	nothing := func(context.Context, string, []byte) []byte { return []byte(`{"error":"there is nothing here"}`) }
	result := module.Call(ctx, wasm.Call{
		Tool: "echo", Arguments: []byte(`{"text":"hello"}`), Deadline: time.Now().Add(time.Minute),
		Limits: wasm.Limits{MemoryPages: 16, OutputBytes: 1 << 10, LogBytes: 1 << 10},
	}, nothing)
	fmt.Printf("%s: %s, fault %q\n", module.Info().ABI, result.Output, result.Fault)
	// Output: reactor: {"name":"echo","arguments":{"text":"hello"}}, fault ""
}
