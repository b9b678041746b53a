// Package worker runs guest calls. The contract is that of a process behind a pipe: bytes in, bytes out, killed at the
// deadline. Nothing that crosses it is a Go object of the guest's side.
package worker

import (
	"context"
	"time"

	"chatterbox/runtime/wasm"
)

// ABI is how a module is called. See tools-wasm/ABI.md.
type ABI string

// The ABIs.
const (
	Stdio    ABI = "stdio"
	Reactor  ABI = "reactor"
	Extism   ABI = "extism"
	MCPStdio ABI = "mcp-stdio"
)

// Module is what is known of an admitted module.
type Module struct {
	Digest      string // "sha256:" and 64 hexadecimal digits, of the file's bytes
	ABI         ABI
	Manifest    []byte // the custom section chatterbox.tool; nil when there is none
	MemoryPages uint32 // initial, of 64 KiB
	Imports     []string
	Exports     []string
}

// Limits bound one guest call. Zero means the default in brackets.
type Limits struct {
	MemoryPages uint32        // [256]
	Wall        time.Duration // [30 s], beside the start of a worker
	InputBytes  int           // [256 KiB]
	OutputBytes int           // [64 KiB]
	LogBytes    int           // [16 KiB]
}

// Call is one guest call.
type Call struct {
	Digest    string // of a module that Add admitted
	Tool      string // the tool's name: argv[1] for stdio, "name" in the envelope for reactor
	Arguments []byte // a JSON object
	Env       map[string]string
	Limits    Limits
}

// Fault is why a guest gave no usable result.
type Fault string

// The faults.
const (
	NoFault     Fault = ""
	Trap        Fault = "trap"         // the guest trapped, or broke the ABI
	TimedOut    Fault = "timeout"      // the deadline ended it
	OutOfMemory Fault = "memory"       // it met its memory limit and trapped
	BadOutput   Fault = "output"       // no result, or bytes that are not UTF-8
	ExitStatus  Fault = "exit"         // a stdio guest left with a status other than 0
	Refused     Fault = "refused"      // input over its limit, unknown module, too many calls wait
	HostFailure Fault = "host_failure" // the worker itself failed; the call may be tried again
)

// Output is what a guest call came to.
type Output struct {
	Result    []byte // valid UTF-8 as the guest wrote it, at most Limits.OutputBytes
	Truncated bool   // Result was cut at the limit
	Log       []byte // at most Limits.LogBytes
	Fault     Fault
	Message   string // what the fault was, for a person; empty without one
	Duration  time.Duration
	// MemoryBytes is the guest's linear memory when the call ended.
	MemoryBytes int
	// Work is what metering counted, in steps of WorkStep; 0 is less than one.
	Work int64
}

// WorkStep is how finely work is counted.
const WorkStep = wasm.WorkStep

// Host answers a guest's host function: one JSON value in, one JSON value out; a failure is an answer {"error": "..."}.
// It may be called by several goroutines at once, returns when ctx ends and does not keep input.
type Host func(ctx context.Context, function string, input []byte) []byte

// Local answers host functions that need neither rights nor the server, inside a worker. It answers as a [Host] would,
// or not at all.
type Local func(function string, input []byte) (answer []byte, ok bool)
