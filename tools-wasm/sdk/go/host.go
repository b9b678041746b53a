//go:build wasip1

package main

import "unsafe"

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

//go:wasmimport chatterbox read
func hostRead(at uint32) uint32

//go:wasmimport chatterbox now
func hostNow(at, size uint32) uint32

//go:wasmimport chatterbox log
func hostLog(at, size uint32) uint32

//go:wasmimport chatterbox http_request
func hostHTTPRequest(at, size uint32) uint32

//go:wasmimport chatterbox kv_get
func hostKVGet(at, size uint32) uint32

//go:wasmimport chatterbox kv_set
func hostKVSet(at, size uint32) uint32

//go:wasmimport chatterbox secret_exists
func hostSecretExists(at, size uint32) uint32

//go:wasmimport chatterbox deliver
func hostDeliver(at, size uint32) uint32
