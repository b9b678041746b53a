package worker

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"chatterbox/runtime/internal/texts"
	"chatterbox/runtime/wasm"
)

// The limits of what a worker may send.
const (
	readyBytesMax   = 1 << 10
	messageBytesMax = 64 << 10 // of a sentence that says what went wrong
	requestBytesMax = 1<<20 + 4<<10
	resultOverhead  = messageBytesMax + 4<<10
)

// setup says what a worker is for. It comes before anything that a guest's author wrote.
type setup struct {
	compile   bool // it compiles modules into the cache, and runs none
	interpret bool
	cacheDir  string // "" keeps nothing
	memory    int64  // bytes of data that the process may have
	processor int64  // seconds of processor time that it may use; 0 is any
}

func (s *setup) append(m *message) {
	m.open(frameSetup)
	m.flag(s.compile)
	m.flag(s.interpret)
	m.text(s.cacheDir)
	m.number(s.memory)
	m.number(s.processor)
	m.close()
}

func (s *setup) read(payload []byte) error {
	f := fields{rest: payload}
	*s = setup{compile: f.flag(), interpret: f.flag(), cacheDir: f.text(), memory: f.number(), processor: f.number()}
	return f.end()
}

// order is a call as it goes to a worker.
type order struct {
	digest   string
	describe bool // asks for the manifest instead of calling
	hosted   bool // there is a Host
	left     time.Duration
	call     wasm.Call
}

func (o *order) append(m *message) {
	m.open(frameCall)
	m.text(o.digest)
	m.flag(o.describe)
	m.flag(o.hosted)
	m.number(int64(o.left))
	m.text(o.call.Tool)
	m.data(o.call.Arguments)
	m.number(int64(o.call.Limits.MemoryPages))
	m.number(int64(o.call.Limits.OutputBytes))
	m.number(int64(o.call.Limits.LogBytes))
	m.number(int64(len(o.call.Env)))
	for _, name := range slices.Sorted(maps.Keys(o.call.Env)) {
		m.text(name)
		m.text(o.call.Env[name])
	}
	m.close()
}

// read keeps views of payload.
func (o *order) read(payload []byte) error {
	f := fields{rest: payload}
	*o = order{digest: f.text(), describe: f.flag(), hosted: f.flag(), left: f.duration()}
	o.call = wasm.Call{Tool: f.text(), Arguments: f.data(), Deadline: time.Now().Add(o.left)}
	o.call.Limits = wasm.Limits{
		MemoryPages: uint32(f.number()), OutputBytes: int(f.number()), LogBytes: int(f.number()),
	}
	if n := f.number(); n > 0 {
		o.call.Env = map[string]string{}
		for ; n > 0 && f.err == nil; n-- {
			name := f.text()
			o.call.Env[name] = f.text()
		}
	}
	return f.end()
}

// outcome is a result as it comes from a worker.
type outcome struct {
	wasm.Result
	refused bool // a question for a manifest failed by the module's fault; Message says how
}

func (o *outcome) append(m *message) {
	m.open(frameResult)
	m.flag(o.refused)
	m.text(string(o.Fault))
	m.text(texts.Cut(o.Message, messageBytesMax))
	m.flag(o.Truncated)
	m.number(int64(o.MemoryBytes))
	m.number(o.Work)
	m.flag(o.Output != nil)
	m.data(o.Output)
	m.data(o.Log)
	m.close()
}

var faults = []wasm.Fault{
	wasm.NoFault, wasm.Trap, wasm.TimedOut, wasm.OutOfMemory, wasm.BadOutput, wasm.ExitStatus,
	wasm.Refused, wasm.HostFailure,
}

// read copies what it keeps, and holds a worker to what the engine promises.
func (o *outcome) read(payload []byte, limits wasm.Limits) error {
	f := fields{rest: payload}
	refused, fault, said := f.flag(), wasm.Fault(f.text()), f.text()
	truncated, memory, work, some := f.flag(), f.number(), f.number(), f.flag()
	output, log := f.data(), f.data()
	if err := f.end(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(faults, fault), memory < 0, work < 0,
		len(output) > limits.OutputBytes, len(log) > limits.LogBytes,
		!utf8.Valid(output), !utf8.ValidString(said), !some && len(output) > 0:
		return fmt.Errorf("%w: a result that no guest can have", errFrame)
	}
	*o = outcome{refused: refused, Result: wasm.Result{
		Truncated: truncated, Fault: fault, Message: said, MemoryBytes: int(memory), Work: work,
	}}
	if some {
		o.Output = append([]byte{}, output...)
	}
	o.Log = bytes.Clone(log)
	return nil
}
