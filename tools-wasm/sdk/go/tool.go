//go:build wasip1 || native

// This file and host.go are the whole SDK: the two exports of a reactor, and the host functions. Change them as you
// like.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

// envelope and answer are kept here so that the garbage collector leaves them while the host reads or writes them.
var envelope, answer []byte

//go:wasmexport alloc
func alloc(size uint32) uint32 {
	envelope = make([]byte, size+1) // never empty: an address is asked for
	return address(envelope)
}

//go:wasmexport execute
func execute(_, size uint32) uint64 {
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	err := json.Unmarshal(envelope[:size], &call)
	var result any
	if err == nil {
		result, err = run(call.Name, call.Arguments)
	}
	if err == nil {
		answer, err = json.Marshal(result)
	}
	if err != nil {
		answer, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	return uint64(address(answer))<<32 | uint64(len(answer))
}

// host asks the host for something: input and output are JSON, as ABI.md lists them. An answer {"error": …} is an
// error.
func host(function func(at, size uint32) uint32, input, output any) error {
	asked, err := json.Marshal(input)
	if err != nil {
		return err
	}
	size := int32(function(address(asked), uint32(len(asked))))
	if size <= 0 {
		return errors.New("the host gave no answer")
	}
	answered := make([]byte, size)
	hostRead(address(answered))
	var failure struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(answered, &failure); err == nil && failure.Error != "" {
		return errors.New(failure.Error)
	}
	return json.Unmarshal(answered, output)
}

// logf writes a line to the call's log.
func logf(format string, values ...any) {
	_ = host(hostLog, map[string]string{"text": fmt.Sprintf(format, values...)}, &struct{}{})
}
