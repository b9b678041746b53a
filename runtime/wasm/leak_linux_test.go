package wasm

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// resident is how much memory the process has, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(content))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestCallsLeaveNothingBehindInTheHost counts memory, descriptors and goroutines around many calls, of which some make
// their instance be thrown away.
func TestCallsLeaveNothingBehindInTheHost(t *testing.T) {
	const growthMax = 4 << 20
	eachWayBack(t, func(t *testing.T, m *Module) {
		if m.engine.Kind() == Interpreter {
			return // the same code, slower
		}
		calls := func(n int) {
			kept, thrown, trapped := hide("p"), hide("T"), hide("u")
			for i := range n {
				call := kept
				switch i % 100 {
				case 50:
					call = thrown
				case 99:
					call = trapped
				}
				m.Call(context.Background(), call, nil)
			}
		}
		calls(1_000)
		memory, files, routines := resident(t), descriptors(t), runtime.NumGoroutine()
		calls(max(*resetCalls, 5_000))
		if grown := resident(t) - memory; grown > growthMax {
			t.Errorf("memory grew by %d bytes", grown)
		}
		if now := descriptors(t); now > files {
			t.Errorf("%d descriptors became %d", files, now)
		}
		if now := runtime.NumGoroutine(); now > routines {
			t.Errorf("%d goroutines became %d", routines, now)
		}
	})
}
