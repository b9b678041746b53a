package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// watched collects what a command prints, and says when something is in it.
type watched struct {
	mu      sync.Mutex
	printed bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.printed.Write(p)
}

func (w *watched) wait(t *testing.T, text string, times int) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		w.mu.Lock()
		count := strings.Count(w.printed.String(), text)
		w.mu.Unlock()
		if count >= times {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Fatalf("%q was not printed %d times:\n%s", text, times, w.printed.String())
}

func TestWatchBuildsAndChecksAgainAfterAChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hello")
	t.Setenv(envAsProgram, "1") // what runs guests may start this file again
	out := &watched{}
	environ := append(os.Environ(), "CHATTERBOX_DATA="+t.TempDir(), "CHATTERBOX_CONFIG=")
	process := func(args ...string) env {
		return env{Args: args, Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Environ: environ, Getenv: func(name string) string {
			for _, variable := range environ {
				if value, ok := strings.CutPrefix(variable, name+"="); ok {
					return value
				}
			}
			return ""
		}}
	}
	if code := run(t.Context(), process("tool", "new", dir, "--lang", "go")); code != exitOK {
		t.Fatal(code)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, process("tool", "watch", dir, "--data", t.TempDir())) }()
	out.wait(t, "ok: example 4", 1)
	source := filepath.Join(dir, "main.go")
	good, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte) {
		if err := os.WriteFile(source, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(append(bytes.Clone(good), "broken"...))
	out.wait(t, "waiting for a change", 1)
	write(good)
	out.wait(t, "ok: example 4", 2)
	write(bytes.Replace(good, []byte("Hello"), []byte("Goodbye"), 1))
	out.wait(t, "examples do not hold", 1)
	stop()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

func TestAManifestIsPutIntoAModuleAndTakenOut(t *testing.T) {
	bare := []byte("\x00asm\x01\x00\x00\x00\x00\x06\x04nameX")
	for _, manifest := range []string{`{}`, `{"description":"` + strings.Repeat("a", 20_000) + `"}`} {
		with, err := withManifest(bare, []byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		again, err := withManifest(with, []byte(manifest))
		if err != nil || !bytes.Equal(with, again) {
			t.Errorf("a second time it is another module: %v", err)
		}
		if found, err := manifestOf(with); err != nil || string(found) != manifest {
			t.Errorf("the manifest is %.50s: %v", found, err)
		}
		if without, err := withManifest(with, nil); err != nil || !bytes.Equal(without, bare) {
			t.Errorf("without it the module is %q: %v", without, err)
		}
	}
}

func FuzzCustomSections(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\x06\x04nameX"))
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, module []byte) {
		with, err := withManifest(module, []byte("{}"))
		if err != nil {
			return
		}
		if found, err := manifestOf(with); err != nil || string(found) != "{}" {
			t.Errorf("the manifest is %q: %v", found, err)
		}
	})
}
