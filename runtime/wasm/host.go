package wasm

// This file is the guest's side of the host functions of tools-wasm/ABI.md, section 5: it moves bytes and nothing else.
// Whoever calls a tool answers them, but for log, which goes to the call's log.

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// HostModule is the import module of the host functions.
const HostModule = "chatterbox"

// The limits of host functions.
const (
	hostInputMax  = 1 << 20
	hostAnswerMax = 4 << 20
	hostCallsMax  = 1_000
)

// outside is what a host function answers for a range outside memory: −1.
const outside = 1<<32 - 1

// guestFunction is a function that a guest can import. call reads its arguments from stack and leaves its result there.
type guestFunction struct {
	params, results []byte
	call            func(in *instance, stack []uint64)
}

// hostFunction finds what a guest can import.
func hostFunction(module, name string) (guestFunction, bool) {
	switch module {
	case HostModule:
		return chatterboxFunction(name)
	case wasiModule:
		return wasiFunction(name)
	case extismKernel:
		return kernelFunction(name)
	case extismUser:
		return pluginFunction(name)
	}
	return guestFunction{}, false
}

// typed is a function whose parameters are left of the colon of its signature and whose results are right of it, i for
// i32 and I for i64.
func typed(signature string, call func(in *instance, stack []uint64)) (guestFunction, bool) {
	f := guestFunction{call: call}
	types := map[rune]byte{'i': valueI32, 'I': valueI64}
	params, results, _ := strings.Cut(signature, ":")
	for _, letter := range params {
		f.params = append(f.params, types[letter])
	}
	for _, letter := range results {
		f.results = append(f.results, types[letter])
	}
	return f, true
}

func chatterboxFunction(name string) (guestFunction, bool) {
	switch name {
	case "read":
		return typed("i:i", (*instance).readAnswer)
	case "log":
		return typed("ii:i", (*instance).logFromGuest)
	case "http_request", "kv_get", "kv_set", "now", "secret_exists", "deliver":
		return typed("ii:i", func(in *instance, stack []uint64) { in.ask(name, stack) })
	}
	return guestFunction{}, false
}

// input takes the bytes that a host function was given; ok is false, and the result set, when there is nothing more to
// do.
func (in *instance) input(stack []uint64) (input []byte, ok bool) {
	in.mustGoOn() // a thousand inputs of a megabyte take longer than a guest may
	input, ok = in.memory.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		stack[0] = outside
		return nil, false
	}
	in.hostCalls++
	switch {
	case in.hostCalls > hostCallsMax:
		in.answerError(stack, "a call may use at most %d host functions", hostCallsMax)
		return nil, false
	case len(input) > hostInputMax:
		in.answerError(stack, "the input has %d bytes; the limit is %d", len(input), hostInputMax)
		return nil, false
	}
	return input, true
}

func (in *instance) answer(stack []uint64, answer []byte) {
	in.kept = answer
	stack[0] = uint64(len(answer))
}

func (in *instance) answerError(stack []uint64, format string, args ...any) {
	answer, _ := json.Marshal(map[string]string{"error": fmt.Sprintf(format, args...)})
	in.answer(stack, answer)
}

// ask lets the caller's Host answer.
func (in *instance) ask(function string, stack []uint64) {
	input, ok := in.input(stack)
	if !ok {
		return
	}
	if in.host == nil {
		in.answerError(stack, "%s is not available here", function)
		return
	}
	answer := in.askHost(function, input)
	in.mustGoOn()
	if len(answer) > hostAnswerMax {
		in.answerError(stack, "the answer has %d bytes; the limit is %d", len(answer), hostAnswerMax)
		return
	}
	in.answer(stack, answer)
}

// askHost calls the Host. One that panics fails the call, in words that do not blame the guest.
func (in *instance) askHost(function string, input []byte) []byte {
	defer func() {
		if r := recover(); r != nil {
			in.hostFailed = fmt.Sprintf("%s panicked: %v", function, r)
			leave(sys.ExitCodeContextCanceled)
		}
	}()
	return in.host(in.bounded(), function, input)
}

func (in *instance) readAnswer(stack []uint64) {
	if !in.memory.Write(uint32(stack[0]), in.kept) {
		stack[0] = outside
		return
	}
	stack[0] = uint64(len(in.kept))
	in.kept = nil
}

func (in *instance) logFromGuest(stack []uint64) {
	input, ok := in.input(stack)
	if !ok {
		return
	}
	var line struct {
		Level string `json:"level"`
		Text  string `json:"text"`
	}
	text := string(input)
	if json.Unmarshal(input, &line) == nil {
		switch line.Level {
		case "debug", "info", "warn", "error":
		default:
			line.Level = "info"
		}
		text = line.Level + ": " + line.Text
	}
	in.log.line(text)
	in.answer(stack, []byte("{}"))
}

// instanceKey finds the instance in the context that the engine hands to host functions.
type instanceKey struct{}

// defineImports makes the host modules of a runtime: of all functions only those that the module imports, since making
// one costs time and memory.
func defineImports(ctx context.Context, runtime wazero.Runtime, imports []importEntry) error {
	builders := map[string]wazero.HostModuleBuilder{}
	define := func(module, name string, f guestFunction) {
		if builders[module] == nil {
			builders[module] = runtime.NewHostModuleBuilder(module)
		}
		call := f.call
		builders[module].NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			call(ctx.Value(instanceKey{}).(*instance), stack)
		}), valueTypes(f.params), valueTypes(f.results)).Export(name)
	}
	define(meterModule, meterName, guestFunction{call: func(in *instance, _ []uint64) { in.looks++; in.mustGoOn() }})
	for _, imported := range imports {
		f, ok := hostFunction(imported.module, imported.name)
		if !ok {
			return fmt.Errorf("no function %s.%s", imported.module, imported.name)
		}
		define(imported.module, imported.name, f)
	}
	for module, builder := range builders {
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("host module %s: %w", module, err)
		}
	}
	return nil
}

func valueTypes(types []byte) []api.ValueType { return append([]api.ValueType(nil), types...) }

// leave ends the guest's call from inside a host function.
func leave(status uint32) { panic(sys.NewExitError(status)) }
