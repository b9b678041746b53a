//go:build linux && !race

package worker

import (
	"errors"
	"flag"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatterbox/runtime/wasm"
	"chatterbox/tools-wasm/testkit/hostile"
)

func TestCompilingIsBoundedByTheModulesSize(t *testing.T) {
	for size, want := range map[int]setup{
		0:          {compile: true, memory: 240<<20 + threadsMemory/4, processor: 5},
		8 << 20:    {compile: true, memory: 240<<20 + threadsMemory/4, processor: 5},
		8<<20 + 1:  {compile: true, memory: 256<<20 + threadsMemory/4, processor: 6},
		14_000_000: {compile: true, memory: 336<<20 + threadsMemory/4, processor: 11},
		32 << 20:   {compile: true, memory: 624<<20 + threadsMemory/4, processor: 29},
	} {
		if got := compileSetup(size); got != want {
			t.Errorf("%d bytes: %+v, want %+v", size, got, want)
		}
	}
}

// TestCompileBombsAreRefusedWithinTheirBounds holds the process that compiles to its bounds, as the system counts them,
// whether or not it refuses the module. Its time is longer by as much as this machine is slow now.
func TestCompileBombsAreRefusedWithinTheirBounds(t *testing.T) {
	attacks, err := hostile.Table("compiling")
	if err != nil {
		t.Fatal(err)
	}
	slow := time.Duration(2 + slowness(false)) // it may be slower when it is measured again
	short := flag.Lookup("hostile.rounds").Value.String() == "0"
	for _, attack := range attacks {
		if short && (attack.Heavy || attack.Name == "takes_time" && !*long) {
			continue
		}
		t.Run(attack.Name, func(t *testing.T) {
			binary, err := attack.Module()
			if err != nil || len(binary) > compileFlat {
				t.Fatalf("%d bytes: %v", len(binary), err)
			}
			pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}})
			if err != nil {
				t.Fatal(err)
			}
			most, before := children(t)
			_, err = pool.Add(t.Context(), binary)
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), attack.Refused) {
				t.Errorf("%v, want %q", err, attack.Refused)
			}
			if err := pool.Close(); err != nil {
				t.Error(err)
			}
			memory, after := children(t)
			t.Logf("%v, %v, at most %d MiB", err, after-before, memory>>20)
			if took := after - before; took > attack.Within*slow {
				t.Errorf("took %v of processor time", took)
			}
			if memory > most && memory > attack.Memory { // else it is an earlier process's
				t.Errorf("had %d MiB", memory>>20)
			}
		})
	}
}

// children is the most memory that a process which was started here and has ended has had, and the processor time of
// all.
func children(t *testing.T) (memory int64, used time.Duration) {
	t.Helper()
	var all syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &all); err != nil {
		t.Fatal(err)
	}
	return all.Maxrss << 10, time.Duration(all.Utime.Nano() + all.Stime.Nano())
}

// TestAModuleThatTakesTooMuchToCompileIsRefused compiles a module within bounds that it keeps, and each of them too
// low; and a large one within its own.
func TestAModuleThatTakesTooMuchToCompileIsRefused(t *testing.T) {
	attacks, err := hostile.Table("admission")
	if err != nil {
		t.Fatal(err)
	}
	bombs, err := hostile.Table("compiling")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string][]byte{}
	for _, attack := range append(attacks, bombs...) {
		if modules[attack.Name], err = attack.Module(); err != nil {
			t.Fatal(err)
		}
	}
	for name, bound := range map[string]struct {
		module string
		change func(*setup)
		says   string
		slow   string // why it is left to -long
	}{
		"its own":           {"many_small_functions", func(*setup) {}, "", "it is large"},
		"that of 5 MB":      {"very_many_small_functions", func(*setup) {}, "", "it is very large"},
		"too little time":   {"takes_time", func(s *setup) { s.processor = 1 }, "of processor time to compile", ""},
		"too little memory": {"many_small_functions", func(s *setup) { s.memory = 96 << 20 }, "takes more than 96 MiB of memory to compile", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if bound.slow != "" {
				OnlyLong(t, bound.slow)
			}
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
