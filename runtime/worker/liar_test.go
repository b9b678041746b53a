package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/wasm"
	"chatterbox/tools-wasm/testkit/hostile"
)

// This file has workers that do not keep to the protocol, as one would that a guest has taken over.

// Roles are what the test binary can be, for the tests of this package.
var Roles = map[string]func(){asLiar: beLiar}

// asLiar is followed by the lie and a folder: for each file in it there is one process that lies, and then only honest
// ones.
const asLiar = "liar"

// lie is what a process does instead of making a call, and what must come of that.
type lie struct {
	instead func(out *message, in *frames)
	fault   Fault
	message string // a part of it
}

func saying(frame func(*message)) func(*message, *frames) {
	return func(out *message, _ *frames) { frame(out) }
}

func result(change func(*outcome)) func(*message, *frames) {
	honest := outcome{Result: wasm.Result{Output: []byte(`{"from":"a lie"}`)}}
	change(&honest)
	return saying(honest.append)
}

func header(kind byte, length uint32) func(*message, *frames) {
	return saying(func(m *message) {
		m.bytes = append(m.bytes, kind, byte(length), byte(length>>8), byte(length>>16), byte(length>>24))
	})
}

func frame(kind byte, payload ...byte) func(*message, *frames) {
	return saying(func(m *message) {
		m.open(kind)
		m.bytes = append(m.bytes, payload...)
		m.close()
	})
}

const lyingWall = 50 * time.Millisecond

var lies = map[string]lie{
	"bytes of no meaning":       {saying(func(m *message) { m.bytes = bytes.Repeat([]byte{0xff}, 64<<10) }), HostFailure, "a frame of"},
	"a frame of 4 GiB":          {header(frameResult, 1<<32-1), HostFailure, "a frame of"},
	"a request of 2 MiB":        {header(frameRequest, 2<<20), HostFailure, "a frame of"},
	"a frame of unknown kind":   {frame('?'), HostFailure, "protocol"},
	"a frame for workers":       {frame(frameAnswer, '{', '}'), HostFailure, "protocol"},
	"an empty result":           {frame(frameResult), HostFailure, "protocol"},
	"a length below zero":       {frame(frameResult, 0, 1), HostFailure, "protocol"},
	"a length without bytes":    {frame(frameResult, 0, 0x7e), HostFailure, "protocol"},
	"an empty request":          {frame(frameRequest), HostFailure, "protocol"},
	"an unknown fault":          {result(func(o *outcome) { o.Fault = "none of them" }), HostFailure, "no guest"},
	"too long a result":         {result(func(o *outcome) { o.Output = make([]byte, defaultOutput+1) }), HostFailure, "no guest"},
	"too long a log":            {result(func(o *outcome) { o.Log = make([]byte, defaultLog+1) }), HostFailure, "no guest"},
	"a result that is no text":  {result(func(o *outcome) { o.Output = []byte{0xff} }), HostFailure, "no guest"},
	"a message that is no text": {result(func(o *outcome) { o.Message = "\xff" }), HostFailure, "no guest"},
	"memory below zero":         {result(func(o *outcome) { o.MemoryBytes = -1 }), HostFailure, "no guest"},
	"work below zero":           {result(func(o *outcome) { o.Work = -1 }), HostFailure, "no guest"},
	"half a frame":              {saying(func(m *message) { m.bytes = append(m.bytes, frameResult, 100, 0, 0, 0, 0) }), TimedOut, "killed"},
	"nothing":                   {saying(func(*message) {}), TimedOut, "killed"},
	"an end":                    {func(*message, *frames) { os.Exit(3) }, HostFailure, "exit status 3"},
	"two results": {func(out *message, _ *frames) {
		result(func(*outcome) {})(out, nil)
		result(func(*outcome) {})(out, nil)
	}, NoFault, ""},
	"a death": {func(*message, *frames) { killMyself() }, NoFault, ""}, // the call is made again
	"a request and a death": {func(out *message, in *frames) {
		frame(frameRequest, 2, 'x', 0)(out, nil)
		_, _ = os.Stdout.Write(out.bytes)
		_, _, _ = in.next(frameBytesMax)
		killMyself()
	}, HostFailure, "killed"},
}

func killMyself() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(err)
}

// beLiar is the process: an honest worker until it has a guest to call, unless it compiles or enough others have lied.
func beLiar() {
	in := newFrames(os.Stdin)
	var s setup
	if _, payload, err := in.next(frameBytesMax); err != nil || s.read(payload) != nil {
		os.Exit(1)
	}
	left, _ := filepath.Glob(filepath.Join(os.Args[3], "*"))
	if s.compile || len(left) == 0 || os.Remove(left[0]) != nil {
		var again message
		s.append(&again)
		_ = Serve(io.MultiReader(bytes.NewReader(again.bytes), os.Stdin), os.Stdout, nil)
		return
	}
	var out message
	out.open(frameReady)
	out.text("none")
	out.close()
	_, _ = os.Stdout.Write(out.bytes)
	for kind := byte(0); kind != frameCall; {
		var err error
		if kind, _, err = in.next(frameBytesMax); err != nil {
			return
		}
	}
	out = message{}
	lies[os.Args[2]].instead(&out, in)
	_, _ = os.Stdout.Write(out.bytes)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// lyingPool is a pool whose first processes lie, with the good tool and the first process.
func lyingPool(t *testing.T, what string, liars int) (*Pool, Call, *process) {
	t.Helper()
	folder := t.TempDir()
	for i := range liars {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool, err := NewPool(Options{Command: []string{os.Args[0], asLiar, what, folder}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	module, err := pool.Add(t.Context(), hostile.Good())
	if err != nil {
		t.Fatal(err)
	}
	pool.apart.mu.Lock()
	first, err := pool.apart.fresh(defaultPages)
	pool.apart.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	pool.apart.give(first)
	return pool, Call{Digest: module.Digest, Tool: "good", Arguments: []byte(`{}`)}, first
}

const goodAnswer = `{"name":"good","arguments":{}}`

func TestAWorkerThatLiesIsKilledAndReplaced(t *testing.T) {
	for what, lie := range lies {
		t.Run(what, func(t *testing.T) {
			pool, call, first := lyingPool(t, what, 1)
			asked := 0
			lied := call
			if lie.fault == TimedOut {
				lied.Limits.Wall = lyingWall
			}
			out := pool.Call(t.Context(), lied, func(context.Context, string, []byte) []byte {
				asked++
				return []byte(`{}`)
			})
			if out.Fault != lie.fault || !strings.Contains(out.Message, lie.message) || asked > 1 {
				t.Errorf("%q (%s), the host was asked %d times; want %q (%s)", out.Fault, out.Message, asked, lie.fault, lie.message)
			}
			select {
			case <-first.exited:
			case <-time.After(startMax):
				t.Fatal("its process lives")
			}
			if out := pool.Call(t.Context(), call, nil); string(out.Result) != goodAnswer {
				t.Errorf("then the good tool answered %s %s %s", out.Result, out.Fault, out.Message)
			}
		})
	}
}

func TestACallIsMadeAgainOnlyOnce(t *testing.T) {
	pool, call, _ := lyingPool(t, "a death", 2)
	if out := pool.Call(t.Context(), call, nil); out.Fault != HostFailure {
		t.Errorf("after two deaths: %s %s %s", out.Result, out.Fault, out.Message)
	}
	if out := pool.Call(t.Context(), call, nil); string(out.Result) != goodAnswer {
		t.Errorf("then: %s %s %s", out.Result, out.Fault, out.Message)
	}
}

// FuzzWorkerBytes reads anything as what a worker sends: when it starts, in a call and when it has compiled.
func FuzzWorkerBytes(f *testing.F) {
	for _, lie := range lies {
		if lie.fault == HostFailure && !strings.Contains(lie.message, "exit") && lie.message != "killed" {
			var m message
			lie.instead(&m, nil)
			for what := range byte(3) {
				f.Add(what, m.bytes[:min(len(m.bytes), 1<<10)])
			}
		}
	}
	var m message
	(&outcome{Result: wasm.Result{Output: []byte("{}"), Log: []byte("x")}}).append(&m)
	f.Add(byte(1), m.bytes)
	m = message{}
	frame(frameRequest, 2, 'x', 4, '{', '}')(&m, nil)
	f.Add(byte(1), append(m.bytes, m.bytes...))
	m = message{}
	m.open(frameReady)
	m.text("rlimit")
	m.close()
	f.Add(byte(0), m.bytes)
	f.Fuzz(func(t *testing.T, what byte, sent []byte) {
		p := piped(t, sent)
		const output, log = 4 << 10, 1 << 10
		limit := resultOverhead
		switch what % 3 {
		case 0:
			limit = readyBytesMax
			_ = p.greet(setup{})
		case 1:
			limit = max(requestBytesMax, output+log+resultOverhead)
			o := order{call: wasm.Call{Deadline: time.Now().Add(startMax), Limits: wasm.Limits{OutputBytes: output, LogBytes: log}}}
			got, err := p.call(t.Context(), &remote{}, &o, func(context.Context, string, []byte) []byte { return []byte("{}") })
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("waited for what cannot come")
			}
			if err == nil && (len(got.Output) > output || len(got.Log) > log) {
				t.Errorf("a result of %d bytes with a log of %d", len(got.Output), len(got.Log))
			}
		case 2:
			_ = p.compiled(t.Context(), "", nil, time.Now().Add(startMax))
		}
		if n := cap(p.frames.buffer); n > limit {
			t.Errorf("%d bytes were allocated; the limit is %d", n, limit)
		}
	})
}

// piped is a process as its server sees it that takes everything, sends bytes and ends.
func piped(t *testing.T, sent []byte) *process {
	t.Helper()
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, back, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(io.Discard, theirs)
		done <- struct{}{}
	}()
	go func() {
		_, _ = back.Write(sent)
		_ = back.Close()
		done <- struct{}{}
	}()
	t.Cleanup(func() {
		_ = to.Close()
		_ = from.Close()
		<-done
		<-done
		_ = theirs.Close()
	})
	return &process{to: to, from: from, frames: newFrames(from)}
}
