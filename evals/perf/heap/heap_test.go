package heap_test

import (
	"runtime"
	"testing"

	"chatterbox/evals/perf/heap"
)

func TestInUse(t *testing.T) {
	const bytes = 8 << 20
	before := heap.InUse()
	kept := make([]byte, bytes)
	if grown := heap.InUse() - before; grown < bytes*9/10 || grown > bytes*2 {
		t.Errorf("%d bytes kept are %d in use", bytes, grown)
	}
	runtime.KeepAlive(kept)
	if left := heap.InUse() - before; left > bytes/10 {
		t.Errorf("%d bytes are left of what nobody keeps", left)
	}
}
