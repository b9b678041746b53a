package wasm

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var pathCalls = flag.Int("wasm.pathcalls", 100_000, "calls of WASI's file functions in TestNoFileIsOpened")

// TestNoFileIsOpened makes calls of every function of WASI that names a file, with arguments of any kind: each is
// refused, and the process has no descriptor more than before. The control opens a file and is seen.
func TestNoFileIsOpened(t *testing.T) {
	var functions []guestFunction
	for name := range wasiFunctions {
		if strings.HasPrefix(name, "path_") {
			f, ok := wasiFunction(name)
			if !ok {
				t.Fatalf("there is no %s", name)
			}
			functions = append(functions, f)
		}
	}
	if len(functions) < 10 {
		t.Fatalf("only %d functions name files", len(functions))
	}
	before := openFiles(t)
	in := &instance{warnedFiles: true}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range *pathCalls {
		f := functions[i%len(functions)]
		stack := make([]uint64, max(len(f.params), 1))
		for j := range stack {
			stack[j] = random.Uint64() >> random.UintN(64)
		}
		if f.call(in, stack); stack[0] != errnoNotSup {
			t.Fatalf("call %d answered %d", i, stack[0])
		}
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if after := openFiles(t); after != before+1 {
		t.Errorf("a file that is opened is not seen: %d are open, %d were", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
