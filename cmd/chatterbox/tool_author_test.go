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

	"chatterbox/cmd/chatterbox/cli"
)

// watched collects what a command prints, and says when something is in it.
type watched struct {
	wrote chan struct{} // has room for one: something was printed since it was last looked at

	mu      sync.Mutex
	printed bytes.Buffer // guarded by mu
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.wrote <- struct{}{}:
	default:
	}
	return w.printed.Write(p)
}

func (w *watched) wait(t *testing.T, text string, times int) {
	t.Helper()
	hangs := time.After(time.Minute)
	for {
		w.mu.Lock()
		printed := w.printed.String()
		w.mu.Unlock()
		if strings.Count(printed, text) >= times {
			return
		}
		select {
		case <-w.wrote:
		case <-hangs:
			t.Fatalf("%q was not printed %d times:\n%s", text, times, printed)
		}
	}
}

// watchCompiler stands for cargo: it compiles any source to the same tool, but for one that is broken.
const watchCompiler = `#!/bin/sh
if grep -q broken lib.rs; then echo 'error: broken' >&2; exit 101; fi
mkdir -p target/wasm32-unknown-unknown/release
cp "$BUILT" target/wasm32-unknown-unknown/release/hello.wasm
`

func TestWatchBuildsAndChecksAgainAfterAChange(t *testing.T) {
	built, err := filepath.Abs("../../tools-wasm/testkit/sdk/rust.wasm")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	dir, cargo := filepath.Join(folder, "hello"), filepath.Join(folder, "cargo")
	if err := os.WriteFile(cargo, []byte(watchCompiler), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		envAsProgram: "1", // what runs guests may start this file again
		"CARGO":      cargo, "BUILT": built, "CHATTERBOX_DATA": filepath.Join(folder, "data"),
	} {
		t.Setenv(name, value)
	}
	out := &watched{wrote: make(chan struct{}, 1)}
	process := func(args ...string) env {
		return env{Env: cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Environ: os.Environ(), Getenv: os.Getenv}}
	}
	if code := run(t.Context(), process("tool", "new", dir, "--lang", "rust")); code != cli.ExitOK {
		t.Fatal(code)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, process("tool", "watch", dir)) }()
	out.wait(t, "ok: example 4", 1)
	change := func(file, old, with string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), bytes.ReplaceAll(text, []byte(old), []byte(with)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change("lib.rs", "fn run", "fn broken_run")
	out.wait(t, "waiting for a change", 1)
	change("lib.rs", "fn broken_run", "fn run")
	out.wait(t, "ok: example 4", 2)
	change("examples.json", "Hello", "Goodbye")
	out.wait(t, "2 of 4 examples do not hold", 1)
	stop()
	if code := <-ended; code != cli.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}
