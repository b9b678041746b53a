//go:build cgo

package worker

// threadsMemory is what a program that is linked with C needs beside the rest: each of its threads has a stack of 8
// MiB, which counts as data from the beginning.
const threadsMemory = 128 << 20
