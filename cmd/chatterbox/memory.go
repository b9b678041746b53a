package main

import "runtime/debug"

// A turn leaves much garbage and little that lives. The collector may let it grow to five times of that before it
// looks, but works harder as the heap nears what a small machine can spare.
const (
	collectAtPercent = 400
	heapSoftMax      = 96 << 20
)

// tuneCollector sets the collector for a server, unless the environment does.
func tuneCollector(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(collectAtPercent)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapSoftMax)
	}
}

// trim gives back the memory that only the start needed: the heap's free pages, and the pages of the program itself, of
// which the kernel maps far more than were touched and which come back from its cache when they are needed.
func trim() {
	debug.FreeOSMemory()
	dropProgramPages()
}
