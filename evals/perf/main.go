// Command perf measures whole turns of chatterbox beside what its libraries cost without it, in one run, interleaved,
// so that the ratios hold on a machine whose speed drifts. It needs nothing but Go.
//
//	go run ./evals/perf [-turns 2000] [-rounds 5]
//
// direct2 is the model double called twice with nothing between, floor is the program in floor/, ours is chatterbox.
// Every turn loads a history of twenty, calls the model twice and a tool once, and is durable before it is answered.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// What the model double says, and what is asked of it directly.
const (
	lastWords = "late in Tokyo now"
	replies   = `{"match":{"last":"tool"},"content":"It is late in Tokyo now","repeat":"forever"}
{"match":{"last":"user"},"tool_calls":[{"name":"get_current_datetime","arguments":{"timezone":"Asia/Tokyo"}}],"repeat":"forever"}
`
	askFirst = `{"model":"mock","stream":true,"messages":[{"role":"user","content":"What time is it in Tokyo?"}]}`
	askLast  = `{"model":"mock","stream":true,"messages":[{"role":"user","content":"What time is it in Tokyo?"},{"role":"tool","tool_call_id":"c","content":"{}"}]}`
)

func main() {
	turns := flag.Int("turns", 1500, "turns in each measurement")
	rounds := flag.Int("rounds", 5, "interleaved rounds; the medians are printed")
	idle := flag.Int("idle", 10000, "idle connections to hold open; 0 leaves that out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *turns, *rounds, *idle); err != nil {
		fmt.Fprintln(os.Stderr, "perf:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, turns, rounds, idle int) (err error) {
	folder, err := os.MkdirTemp("", "chatterbox-perf-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	l, err := newLab(ctx, folder)
	defer func() { err = errors.Join(err, l.close()) }()
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return l.start(ctx) },
		l.warm,
		func() error { return l.compare(1, turns, rounds) },
		func() error { return l.compare(64, 64*(turns/64+1), rounds) },
		func() error { return l.writes(turns) },
		func() error { return l.cached(ctx, turns, rounds) },
		func() error { return l.size(ctx) },
		func() error { return l.idle(ctx, idle) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// lab is the programs that are measured, each its own process.
type lab struct {
	folder             string
	ours, floorBin     string // files
	model, floor, self *process
}

func newLab(ctx context.Context, folder string) (*lab, error) {
	l := &lab{folder: folder, ours: filepath.Join(folder, "chatterbox"), floorBin: filepath.Join(folder, "floor")}
	for file, pkg := range map[string]string{l.ours: "./cmd/chatterbox", l.floorBin: "./evals/perf/floor"} {
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return l, fmt.Errorf("build %s (run this from the top of the tree): %w", pkg, err)
		}
	}
	return l, os.WriteFile(filepath.Join(folder, "replies.jsonl"), []byte(replies), 0o600)
}

func (l *lab) start(ctx context.Context) (err error) {
	script := filepath.Join(l.folder, "replies.jsonl")
	l.model, err = spawn(ctx, nil, l.ours, "mockllm", "--script", script, "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	guest := filepath.Join("tools-wasm", "dist", "get_current_datetime.wasm")
	l.floor, err = spawn(ctx, nil, l.floorBin,
		"-data", filepath.Join(l.folder, "floor.db"), "-model", "http://"+l.model.address+"/v1", "-guest", guest)
	if err != nil {
		return err
	}
	l.self, err = spawn(ctx, l.environment("data"), l.ours, "serve", "--listen", "127.0.0.1:0")
	return err
}

// mode offers few tools, as floor does: what more of them cost is the model's to read.
const mode = "CHAT"

// environment is that of chatterbox.
func (l *lab) environment(data string) []string {
	return []string{
		"CHATTERBOX_CONVERSATION_MODE=" + mode,
		"CHATTERBOX_DATA=" + filepath.Join(l.folder, data), "CHATTERBOX_LLM_BASE_URL=http://" + l.model.address + "/v1",
		"CHATTERBOX_LLM_MODEL=mock", "CHATTERBOX_LOG_LEVEL=warn", "CHATTERBOX_CACHE_MAX_BYTES=0",
	}
}

// warm gives every conversation its twenty turns.
func (l *lab) warm() error {
	fmt.Printf("chatterbox is in mode %s\n", mode)
	for _, p := range []*process{l.floor, l.self} {
		for _, connections := range []int{64, 1} {
			if _, err := run(p.address, connections, connections*20, turn); err != nil {
				return fmt.Errorf("warm up: %w", err)
			}
		}
	}
	return nil
}

func (l *lab) close() error {
	var errs []error
	for _, p := range []*process{l.self, l.floor, l.model} {
		if p != nil {
			errs = append(errs, p.stop())
		}
	}
	return errors.Join(errs...)
}

// process is a program that printed where it listens.
type process struct {
	command *exec.Cmd
	address string
	ready   time.Duration // from its start to that line
}

func spawn(ctx context.Context, environment []string, name string, args ...string) (*process, error) {
	p := &process{command: exec.CommandContext(ctx, name, args...)}
	p.command.Env = append(os.Environ(), environment...)
	p.command.Stderr = os.Stderr
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s printed no address: %w", filepath.Base(name), err), p.stop())
	}
	p.ready = time.Since(began)
	_, p.address, _ = strings.Cut(strings.TrimSpace(first), "http://")
	go io.Copy(io.Discard, lines) // ends with the process
	return p, nil
}

func (p *process) stop() error {
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	_ = p.command.Wait() // a killed process always fails
	return nil
}
