//go:build !cgo

package worker

const threadsMemory = 0
