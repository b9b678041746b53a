package wasm

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
)

// everyModule is all modules of the testkit and dist, by file.
func everyModule(t testing.TB) map[string][]byte {
	t.Helper()
	modules := map[string][]byte{}
	for _, pattern := range []string{"dist/*.wasm", "testkit/modules/*.wasm"} {
		files, err := filepath.Glob(filepath.Join("../../tools-wasm", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			binary, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			modules[filepath.Base(file)] = binary
		}
	}
	if len(modules) < 40 {
		t.Fatalf("only %d modules", len(modules))
	}
	return modules
}

// FuzzAdmission gives bytes as modules. What is let in must be as valid after it was rewritten as before: neither may
// the rewriting break a module, nor may it make a broken one valid, which could then reach what was added.
func FuzzAdmission(f *testing.F) {
	for _, binary := range everyModule(f) {
		f.Add(binary)
	}
	f.Fuzz(func(t *testing.T, binary []byte) {
		if len(binary) > 64<<10 {
			return
		}
		m, err := admit(binary)
		if err != nil {
			return
		}
		ready, err := instrument(m)
		if err != nil {
			return
		}
		before, after := compileError(withoutCustom(m)), compileError(ready.binary)
		if (before == nil) != (after == nil) {
			t.Errorf("as it came: %v; rewritten: %v", before, after)
		}
	})
}

// withoutCustom is a module without its custom sections, whose faults the engine would report too.
func withoutCustom(m *module) []byte {
	binary := bytes.Clone(coreHeader)
	for _, id := range sectionOrder {
		if m.sections[id] != nil {
			binary = appendSection(binary, id, m.sections[id])
		}
	}
	return binary
}

func compileError(binary []byte) error {
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(ctx)
	_, err := runtime.CompileModule(ctx, binary)
	return err
}

// FuzzLEB128 holds the number formats to what they write.
func FuzzLEB128(f *testing.F) {
	f.Add(uint32(0), int32(0))
	f.Add(uint32(1<<32-1), int32(-1<<31))
	f.Add(uint32(127), int32(-65))
	f.Fuzz(func(t *testing.T, unsigned uint32, signed int32) {
		r := &reader{b: appendS32(appendU32(nil, unsigned), signed)}
		if u, s := r.u32(), r.s64(); u != unsigned || s != int64(signed) || !r.done() || r.err != nil {
			t.Errorf("%d, %d became %d, %d (%v)", unsigned, signed, u, s, r.err)
		}
	})
}

func TestEveryFunctionLoopAndBulkOperationIsChecked(t *testing.T) {
	for name, want := range map[string]int{
		"computes":         5, // fib, sum, its loop, alloc, execute
		"grows":            3, // _start, its loop, memory.grow
		"echo_reactor":     2,
		"fills":            102, // _start, its loop, 100 fills
		"grows_table":      4,   // alloc, execute, two table.grow
		"doubles":          62,
		"hides_state":      4,
		"refused_no_entry": 1,
	} {
		m, err := parse(testModule(t, name))
		if err != nil {
			t.Fatal(err)
		}
		code, _, err := m.meteredCode()
		if err != nil {
			t.Fatal(err)
		}
		check := append(appendU32([]byte{opCall}, m.refillIndex()), opBr, 1)
		if got := bytes.Count(code, check); got != want {
			t.Errorf("%s has %d checks, want %d", name, got, want)
		}
	}
}
