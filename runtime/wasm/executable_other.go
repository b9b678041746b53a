//go:build !unix

package wasm

func memoryCanBeExecutable() bool { return true }
