package wasm

// This file hosts extism plugins: the functions that they import, and how their tools are called. The rules are:
//   - what extism calls the kernel is memory of ours, not of another module; see kernel.go;
//   - config is the call's environment, a request goes to the Host like any other, log lines go to the call's log;
//   - variables live as long as the call, and longer only through the Host's kv.

import (
	"encoding/json"
	"fmt"
	"strings"

	"chatterbox/runtime/internal/texts"
)

// The import modules of extism.
const (
	extismPrefix = "extism:"
	extismKernel = "extism:host/env"
	extismUser   = "extism:host/user"
)

// pluginContext is what every request of the newer kind of plugin has beside it.
const pluginContext = `"context":{"_meta":{},"id":"1"}`

// kernelFunction finds what extism's libraries import.
func kernelFunction(name string) (guestFunction, bool) {
	switch name {
	case "alloc":
		return typed("I:I", func(in *instance, s []uint64) {
			in.mustGoOn()
			s[0] = in.newBlock(s[0])
		})
	case "free":
		return typed("I:", func(in *instance, s []uint64) { in.kernel.free(s[0]) })
	case "length", "length_unsafe":
		return typed("I:I", func(in *instance, s []uint64) { s[0] = in.kernel.length(s[0]) })
	case "load_u8":
		return typed("I:i", func(in *instance, s []uint64) { s[0] = in.kernel.load(s[0], 1) })
	case "load_u64":
		return typed("I:I", func(in *instance, s []uint64) { s[0] = in.kernel.load(s[0], 8) })
	case "store_u8":
		return typed("Ii:", func(in *instance, s []uint64) { in.kernel.store(s[0], s[1], 1) })
	case "store_u64":
		return typed("II:", func(in *instance, s []uint64) { in.kernel.store(s[0], s[1], 8) })
	case "input_length":
		return typed(":I", func(in *instance, s []uint64) { s[0] = in.kernel.length(in.kernel.input) })
	case "input_offset":
		return typed(":I", func(in *instance, s []uint64) { s[0] = in.kernel.input })
	case "input_load_u8":
		return typed("I:i", func(in *instance, s []uint64) { s[0] = in.kernel.loadInput(s[0], 1) })
	case "input_load_u64":
		return typed("I:I", func(in *instance, s []uint64) { s[0] = in.kernel.loadInput(s[0], 8) })
	case "output_set":
		return typed("II:", func(in *instance, s []uint64) { in.kernel.output, in.kernel.outputLength = s[0], s[1] })
	case "error_set":
		return typed("I:", func(in *instance, s []uint64) { in.kernel.failure = s[0] })
	case "error_get":
		return typed(":I", func(in *instance, s []uint64) { s[0] = in.kernel.failure })
	}
	return extismService(name)
}

// extismService finds those that reach further than memory.
func extismService(name string) (guestFunction, bool) {
	switch name {
	case "config_get":
		return typed("I:I", (*instance).configGet)
	case "var_get":
		return typed("I:I", (*instance).varGet)
	case "var_set":
		return typed("II:", (*instance).varSet)
	case "http_request":
		return typed("II:I", (*instance).extismRequest)
	case "http_status_code":
		return typed(":i", func(in *instance, s []uint64) { s[0] = uint64(in.kernel.status) })
	case "http_headers":
		return typed(":I", (*instance).extismHeaders)
	case "log_trace", "log_debug", "log_info", "log_warn", "log_error":
		level := strings.TrimPrefix(name, "log_")
		return typed("I:", func(in *instance, s []uint64) {
			text := in.taken(s[0])
			in.log.line(level + ": " + string(text))
		})
	case "get_log_level":
		const info = 2
		return typed(":i", func(_ *instance, s []uint64) { s[0] = info })
	}
	return guestFunction{}, false
}

// pluginFunction finds what hosts of MCP plugins add to extism. There is no client to ask behind this one: it has no
// roots, the person declines whatever a form would ask, and no model answers.
func pluginFunction(name string) (guestFunction, bool) {
	answer := func(text string) func(*instance, []uint64) {
		return func(in *instance, s []uint64) {
			in.countHost()
			s[0] = in.keep([]byte(text))
		}
	}
	switch name {
	case "create_elicitation":
		return typed("I:I", answer(`{"action":"decline"}`))
	case "list_roots":
		return typed(":I", answer(`{"roots":[]}`))
	case "create_message":
		return typed("I:I", func(in *instance, _ []uint64) { in.fail("asks for a model's answer, which tools do not get") })
	case "notify_logging_message", "notify_progress", "notify_resource_updated":
		return typed("I:", func(in *instance, s []uint64) {
			text := in.taken(s[0])
			if name == "notify_logging_message" {
				in.log.line(loggedMessage(text))
			}
		})
	case "notify_prompt_list_changed", "notify_resource_list_changed", "notify_tool_list_changed":
		return typed(":", func(in *instance, _ []uint64) { in.countHost() })
	}
	return guestFunction{}, false
}

// pluginCalls are the names of the functions that call and describe a plugin's tools, the newer pair first.
var pluginCalls = [...]struct{ call, describe string }{{"call_tool", "list_tools"}, {"call", "describe"}}

// checkPlugin says whether the module's tools can be called.
func (m *module) checkPlugin() error {
	for _, pair := range pluginCalls {
		if !m.exported(pair.call, externFunction) {
			continue
		}
		m.pluginCall = pair.call
		if m.exported(pair.describe, externFunction) {
			m.pluginDescribe = pair.describe
		}
		break
	}
	if m.pluginCall == "" {
		return refuse("is an extism plugin that exports neither call nor call_tool; " +
			"its tools are described by describe and run by call, or list_tools and call_tool")
	}
	i32 := []byte{valueI32}
	for _, name := range []string{m.pluginCall, m.pluginDescribe} {
		if name != "" && m.checkFunction(name, nil, nil, false) != nil {
			if err := m.checkFunction(name, nil, i32, false); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"_initialize", "__wasm_call_ctors"} {
		if err := m.checkFunction(name, nil, nil, true); err != nil {
			return err
		}
	}
	return m.checkFunction("hs_init", []byte{valueI32, valueI32}, nil, true)
}

// startPlugin runs what the module's toolchain wants to run before the first call.
func (in *instance) startPlugin() error {
	for _, name := range []string{"_initialize", "__wasm_call_ctors"} {
		if f := in.module.ExportedFunction(name); f != nil {
			if err := f.CallWithStack(in, in.words[:]); err != nil {
				return err
			}
			break
		}
	}
	if f := in.module.ExportedFunction("hs_init"); f != nil {
		in.words[0], in.words[1] = 0, 0
		return f.CallWithStack(in, in.words[:])
	}
	return nil
}

// plugin calls a plugin's tool. The error is the engine's.
func (in *instance) plugin(call *Call) (Result, error) {
	open := `{"method":"tools/call","params":`
	if in.pluginCall == pluginCalls[0].call {
		open = `{` + pluginContext + `,"request":`
	}
	in.buffer = append(appendEnvelope(append(in.buffer[:0], open...), call), '}')
	output, result, err := in.callPlugin(in.pluginCall, in.buffer)
	if result.Fault != NoFault {
		return result, err
	}
	return toolResult(output, in.stdout.max), err
}

// describePlugin answers the manifest that a plugin's own list of tools comes to.
func (in *instance) describePlugin(name string) ([]byte, error) {
	var input []byte
	if name == pluginCalls[0].describe {
		input = []byte("{" + pluginContext + "}")
	}
	output, result, err := in.callPlugin(name, input)
	switch {
	case err != nil:
		_, message := in.fault(err)
		return nil, refuse("does not describe itself: %s", message)
	case result.Fault != NoFault:
		return nil, refuse("does not describe itself: it %s", result.Message)
	}
	var listed struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(output, &listed) != nil {
		return nil, refuse("does not describe itself: what %s answers is not a list of tools", name)
	}
	return describedTools(listed.Tools)
}

// callPlugin runs one function of a plugin. Its output aliases the kernel's memory.
func (in *instance) callPlugin(name string, input []byte) ([]byte, Result, error) {
	k := in.kernel
	if len(input) > 0 {
		if k.input = in.keep(input); k.input == 0 {
			return nil, Result{Fault: Refused, Message: fmt.Sprintf("has no room for %d bytes of arguments", len(input))}, nil
		}
	}
	f := in.module.ExportedFunction(name)
	in.words[0] = 0
	err := f.CallWithStack(in, in.words[:])
	switch {
	case err != nil && !in.left(err):
		return nil, Result{}, err
	case k.failure != 0:
		text := strings.ToValidUTF8(string(k.bytes(k.failure, k.length(k.failure))), "\uFFFD")
		return nil, Result{Fault: ExitStatus, Message: "failed: " + texts.Cut(text, failureBytesMax)}, nil
	case err == nil && len(f.Definition().ResultTypes()) == 1 && uint32(in.words[0]) != 0:
		return nil, Result{Fault: ExitStatus, Message: fmt.Sprintf("failed with status %d", int32(in.words[0]))}, nil
	}
	return k.bytes(k.output, k.outputLength), Result{}, nil
}

const failureBytesMax = 2 << 10
