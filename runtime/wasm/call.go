package wasm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"chatterbox/runtime/internal/texts"
)

// Call runs the guest once. It returns when the call is over, its deadline has passed or ctx has ended. Failures are in
// the result.
func (m *Module) Call(ctx context.Context, call Call, host Host) Result {
	if m.info.MemoryPages > call.Limits.MemoryPages {
		return Result{Fault: Refused, Message: fmt.Sprintf("needs %d pages of memory to start; its limit is %d",
			m.info.MemoryPages, call.Limits.MemoryPages)}
	}
	if err := m.enter(ctx); err != nil {
		return Result{Fault: HostFailure, Message: err.Error()}
	}
	defer m.leave()
	from := m.environment(&call)
	in, err := m.take(ctx, from, &call, host)
	var result Result
	if err == nil {
		result, err = in.serve(&call)
	}
	fault, message := in.fault(err)
	if fault != NoFault {
		result.Fault, result.Message = fault, message
	}
	in.account(&result)
	m.give(from, in, fault == NoFault)
	return result
}

// serve runs the guest. The error is the engine's; then the instance is of no more use, unless the guest just ended
// itself.
func (in *instance) serve(call *Call) (Result, error) {
	switch in.abi {
	case Reactor:
		return in.execute(call)
	case Extism:
		return in.plugin(call)
	case MCPStdio:
		return in.server(call)
	}
	return in.command(call)
}

// wasiEnviron is how WASI shows it: NAME=value, sorted.
func wasiEnviron(env map[string]string) []string {
	if len(env) == 0 {
		return nil
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// command runs a stdio guest's _start.
func (in *instance) command(call *Call) (Result, error) {
	in.stdin = call.Arguments
	err := in.start.CallWithStack(in, in.words[:])
	result := Result{Truncated: in.stdout.cut}
	result.Output, result.Fault, result.Message = judge(in.stdout.bytes, in.stdout.cut)
	return result, err
}

// account adds what a result has beside its output.
func (in *instance) account(r *Result) {
	r.Log = texts.Whole(in.log.bytes)
	r.Work = int64(in.looks) * workUnits
	if in.memory != nil {
		r.MemoryBytes = int(in.memory.Size())
	}
}

// execute runs a reactor's execute.
func (in *instance) execute(call *Call) (Result, error) {
	in.buffer = appendEnvelope(in.buffer[:0], call)
	in.words[0] = uint64(len(in.buffer))
	if err := in.alloc.CallWithStack(in, in.words[:]); err != nil {
		return Result{}, err
	}
	at := uint32(in.words[0])
	if at == 0 {
		return Result{Fault: Refused, Message: fmt.Sprintf("has no room for %d bytes of arguments", len(in.buffer))}, nil
	}
	if !in.memory.Write(at, in.buffer) {
		return Result{Fault: Trap, Message: "alloc answered an address outside memory"}, nil
	}
	in.words[0], in.words[1] = uint64(at), uint64(len(in.buffer))
	if err := in.run.CallWithStack(in, in.words[:]); err != nil {
		return Result{}, err
	}
	return in.read(in.words[0]), nil
}

// read copies the result that packed points to.
func (in *instance) read(packed uint64) Result {
	var r Result
	at, length := uint32(packed>>32), uint32(packed)
	view, ok := in.memory.Read(at, length)
	if !ok {
		return Result{Fault: Trap, Message: "answered a result outside memory"}
	}
	if r.Truncated = len(view) > in.stdout.max; r.Truncated {
		view = view[:in.stdout.max]
	}
	view, r.Fault, r.Message = judge(view, r.Truncated)
	if r.Fault == NoFault {
		r.Output = append(in.room, view...)
	}
	return r
}

func appendEnvelope(b []byte, call *Call) []byte {
	b = append(b, `{"name":`...)
	b = appendString(b, call.Tool)
	b = append(b, `,"arguments":`...)
	b = append(b, call.Arguments...)
	return append(b, '}')
}

// appendString is a JSON string. Names of tools hardly ever need an escape.
func appendString(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			quoted, _ := json.Marshal(text)
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// Describe asks a module for its manifest. It is nil when the module cannot be asked; the error says what went wrong.
func (m *Module) Describe(ctx context.Context, call Call) ([]byte, error) {
	if !m.info.Describes {
		return nil, nil
	}
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	defer m.leave()
	if m.info.MemoryPages > call.Limits.MemoryPages {
		return nil, refuse("does not describe itself: it needs %d pages of memory to start, and may have %d for that",
			m.info.MemoryPages, call.Limits.MemoryPages)
	}
	call.Limits.OutputBytes = manifestBytesMax
	in, err := m.instantiate(ctx, &call, nil, nil)
	defer in.close()
	if err != nil {
		_, message := in.fault(err)
		return nil, refuse("does not describe itself: it cannot start: %s", message)
	}
	switch in.abi {
	case Extism:
		return in.describePlugin(m.pluginDescribe)
	case MCPStdio:
		return in.describeServer()
	}
	return in.describe()
}

// describe asks a reactor.
func (in *instance) describe() ([]byte, error) {
	if err := in.module.ExportedFunction("describe").CallWithStack(in, in.words[:]); err != nil {
		_, message := in.fault(err)
		return nil, refuse("does not describe itself: %s", message)
	}
	answer := in.read(in.words[0])
	switch {
	case answer.Fault != NoFault:
		return nil, refuse("does not describe itself: %s", answer.Message)
	case answer.Truncated:
		return nil, refuse("describes itself with more than %d bytes", manifestBytesMax)
	}
	return answer.Output, nil
}
