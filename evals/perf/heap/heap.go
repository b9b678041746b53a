// Package heap tells tests what a program keeps in memory.
package heap

import (
	"runtime"
	"slices"
)

// InUse is how many bytes are in use after a collection: the least of a few, since the test's own machinery comes and
// goes.
func InUse() int64 {
	var sizes []int64
	for range 3 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		sizes = append(sizes, int64(stats.HeapAlloc))
	}
	return slices.Min(sizes)
}
