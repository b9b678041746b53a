package hostile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var compiler = flag.String("hostile.wat2wasm", "", "rebuilds modules/*.wat with this `program` and compares every byte")

var tables = []string{"admission", "compiling", "running", "abi", "network", "product"}

// TestTables holds that each attack has a module, each module an attack, and that there are as many as there should be.
func TestTables(t *testing.T) {
	used := map[string]bool{"good": true}
	modules := map[[32]byte]bool{}
	for _, table := range tables {
		attacks, err := Table(table)
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for _, attack := range attacks {
			binary, err := attack.Module()
			if err != nil {
				t.Error(err)
			}
			if names[attack.Name] {
				t.Errorf("%s: %s stands twice", table, attack.Name)
			}
			names[attack.Name], used[attack.Name], used[attack.module] = true, true, true
			modules[sha256.Sum256(binary)] = true
		}
	}
	if len(modules) < 100 {
		t.Errorf("%d modules", len(modules))
	}
	for _, pattern := range []string{"modules/*.wat", "modules/*.wasm"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 60 {
			t.Fatalf("%s: %d, %v", pattern, len(found), err)
		}
		for _, file := range found {
			stem := strings.TrimSuffix(file, filepath.Ext(file))
			if !used[filepath.Base(stem)] {
				t.Errorf("%s belongs to no attack", file)
			}
			for _, other := range []string{".wat", ".wasm"} {
				if _, err := os.Stat(stem + other); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func TestAKeyThatIsNotKnownIsAnError(t *testing.T) {
	for _, line := range []string{"colour: red", "does", "does: ", "within_ms: soon", "memory_mib: -1x", "request: http://a.test/", "dns: a.test"} {
		attack := Attack{Network: Network{DNS: map[string][][]string{}}}
		if err := attack.set(line); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}

func TestModulesAreBuiltFromTheirSources(t *testing.T) {
	if *compiler == "" {
		t.Skip("needs wat2wasm: -hostile.wat2wasm wat2wasm")
	}
	sources, err := filepath.Glob("modules/*.wat")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		out := filepath.Join(t.TempDir(), "built.wasm")
		if text, err := exec.Command(*compiler, source, "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", source, err, text)
		}
		built, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(strings.TrimSuffix(source, ".wat") + ".wasm")
		if err != nil || !bytes.Equal(built, committed) {
			t.Errorf("%s is not what is committed (%v)", source, err)
		}
	}
}

// TestWatchSeesTheWholeFamily has a process that is started by one that is started here keep what it is sent.
func TestWatchSeesTheWholeFamily(t *testing.T) {
	if Resident(os.Getpid()) == 0 {
		t.Skip("the system does not say what a process has")
	}
	const kept = 64 << 20
	grown := Watch()
	shell := exec.Command("/bin/sh", "-c", fmt.Sprintf("head -c %d /dev/zero | tail -c %[1]d; :", kept))
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = out.Read(make([]byte, 1)) // it has all when it sends the first
	memory := grown()
	_, _ = io.Copy(io.Discard, out)
	if err := errors.Join(err, shell.Wait()); err != nil {
		t.Fatal(err)
	}
	if memory < kept/2/raceMemory {
		t.Errorf("grew by %d KiB", memory>>10)
	}
}
