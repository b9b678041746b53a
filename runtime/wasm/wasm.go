// Package wasm hosts tools: it admits WebAssembly modules, compiles them, and runs one call at a time in an instance of
// its own, within limits. tools-wasm/ABI.md is the specification.
package wasm

import (
	"context"
	"time"
)

// ABI is how a module is called.
type ABI string

// The ABIs that are hosted.
const (
	Stdio    ABI = "stdio"
	Reactor  ABI = "reactor"
	Extism   ABI = "extism"
	MCPStdio ABI = "mcp-stdio"
)

// Info is what is known of an admitted module.
type Info struct {
	ABI ABI
	// Manifest is the custom section [ManifestSection], or nil.
	Manifest []byte
	// Describes is true for a module that can be asked for its manifest; see [Module.Describe].
	Describes   bool
	MemoryPages uint32 // initial, of 64 KiB
	Imports     []string
	Exports     []string
}

// Limits bound one call. All are positive.
type Limits struct {
	MemoryPages uint32
	OutputBytes int
	LogBytes    int
}

// Call is one call of a guest.
type Call struct {
	Tool      string // argv[1] for stdio, "name" in the envelope for reactor
	Arguments []byte // one JSON value; it is handed on as it is
	Env       map[string]string
	Room      []byte    // where Result.Output is put when it fits; nil makes each result one of its own
	Deadline  time.Time // the guest is ended here at the latest, or when the context is
	Limits    Limits
}

// Host answers a guest's host function: one JSON value in, one out. It returns when ctx ends and does not keep input.
type Host func(ctx context.Context, function string, input []byte) []byte

// Fault is why a call gave no usable result.
type Fault string

// The faults.
const (
	NoFault     Fault = ""
	Trap        Fault = "trap"         // the guest trapped, or broke the ABI
	TimedOut    Fault = "timeout"      // the deadline or the context ended it
	OutOfMemory Fault = "memory"       // it met its memory limit and trapped
	BadOutput   Fault = "output"       // no result, or bytes that are not UTF-8
	ExitStatus  Fault = "exit"         // it left with a status other than 0, or ended itself with a failure
	Refused     Fault = "refused"      // it needs more memory than the limit to start
	HostFailure Fault = "host_failure" // the engine failed
)

// WorkStep is how finely work is counted.
const WorkStep = workUnits

// Result is what a call came to.
type Result struct {
	Output      []byte // valid UTF-8, at most Limits.OutputBytes
	Truncated   bool   // Output was cut at the limit
	Log         []byte // at most Limits.LogBytes
	Fault       Fault
	Message     string // what the fault was, for a person
	MemoryBytes int    // the guest's memory when the call ended
	Work        int64  // instructions and bytes that metering counted, in steps of WorkStep; 0 is less than one
}
