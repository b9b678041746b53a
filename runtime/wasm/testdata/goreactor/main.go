// A reactor as the stock Go compiler makes it. It tries to remember its calls, and answers what it remembers.
package main

import (
	"encoding/json"
	"unsafe"
)

var (
	envelope []byte
	answer   []byte
	calls    int
	seen     = map[string]int{}
	waste    [][]byte
)

//go:wasmexport alloc
func alloc(n uint32) uint32 {
	envelope = make([]byte, n)
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(envelope))))
}

//go:wasmexport execute
func execute(_, n uint32) uint64 {
	var in struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(envelope[:n], &in); err != nil {
		return packed(map[string]any{"error": err.Error()})
	}
	var asked struct {
		Work int `json:"work"` // KiB to keep
	}
	_ = json.Unmarshal(in.Arguments, &asked)
	for range asked.Work {
		waste = append(waste, make([]byte, 1<<10))
	}
	calls++
	seen[string(in.Arguments)]++
	return packed(map[string]any{"calls": calls, "seen": len(seen), "arguments": in.Arguments})
}

func packed(value any) uint64 {
	answer, _ = json.Marshal(value)
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(answer))))<<32 | uint64(len(answer))
}

func main() {}
