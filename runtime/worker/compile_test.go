//go:build linux && !race

package worker

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/wasm"
	"chatterbox/tools-wasm/testkit/hostile"
)

func TestCompilingIsBoundedByTheModulesSize(t *testing.T) {
	for size, want := range map[int]setup{
		0:        {compile: true, memory: 320<<20 + threadsMemory, processor: 5},
		1:        {compile: true, memory: 320<<20 + threadsMemory + 4, processor: 7},
		8 << 20:  {compile: true, memory: 352<<20 + threadsMemory, processor: 21},
		32 << 20: {compile: true, memory: 448<<20 + threadsMemory, processor: 69},
	} {
		if got := compileSetup(size); got != want {
			t.Errorf("%d bytes: %+v, want %+v", size, got, want)
		}
	}
}

// TestAModuleThatTakesTooMuchToCompileIsRefused compiles a module within bounds that it keeps, and each of them too low; and a
// large one within its own.
func TestAModuleThatTakesTooMuchToCompileIsRefused(t *testing.T) {
	attacks, err := hostile.Table("admission")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string][]byte{}
	for _, attack := range attacks {
		if modules[attack.Name], err = attack.Module(); err != nil {
			t.Fatal(err)
		}
	}
	for name, bound := range map[string]struct {
		module string
		change func(*setup)
		says   string
	}{
		"its own":           {"many_small_functions", func(*setup) {}, ""},
		"that of 6 MB":      {"very_many_small_functions", func(*setup) {}, ""},
		"too little time":   {"very_many_small_functions", func(s *setup) { s.processor = 1 }, "takes more than 1 s of processor time to compile"},
		"too little memory": {"many_small_functions", func(s *setup) { s.memory = 96 << 20 }, "takes more than 96 MiB of memory to compile"},
	} {
		t.Run(name, func(t *testing.T) {
			pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}})
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			binary := modules[bound.module]
			what := compileSetup(len(binary))
			bound.change(&what)
			began := time.Now()
			err = pool.apart.compileIn(t.Context(), what, 5*time.Minute, "a digest", binary) // the time of a busy machine is another matter
			t.Logf("%d bytes: %v after %v", len(binary), err, time.Since(began))
			refusal := wasm.Refusal("")
			if bound.says == "" && err != nil || bound.says != "" && (!errors.As(err, &refusal) || !strings.Contains(err.Error(), bound.says)) {
				t.Errorf("%v, want %q", err, bound.says)
			}
		})
	}
}
