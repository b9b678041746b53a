//go:build linux

package worker_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatterbox/runtime/worker"
)

var stuckRuns = flag.Int("worker.stuck", stuckShort, "how many guests that are stuck are ended; where it is more than by default, "+
	"each within its time")

const (
	stuckShort  = 8
	stuckMargin = 300 * time.Millisecond // after its deadline a stuck guest is dead
)

func init() { roles[asServer] = beServer }

// children are the processes that this one started and that are still there, ended ones that nobody waited for
// included.
func children() (ids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil && parentOf(id) == os.Getpid() {
			ids = append(ids, id)
		}
	}
	return ids
}

// parentOf is the number of a process's parent, 0 where there is no such process.
func parentOf(id int) (parent int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	_, after, _ := strings.Cut(string(text), ") ")
	_, _ = fmt.Sscanf(after, "%s %d", new(string), &parent)
	return parent
}

// eventually waits for what must become true soon.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(generous); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func TestGuestsRunInProcessesThatSayWhichWallsHold(t *testing.T) {
	pool := newPool(t, worker.Options{Command: command})
	module := add(t, pool, "echo_reactor")
	eventually(t, "the compile worker is gone", func() bool { return len(children()) == 0 })
	out := pool.Call(t.Context(), worker.Call{Digest: module.Digest, Tool: "x", Arguments: []byte(`{"a":1}`)}, nil)
	if out.Fault != worker.NoFault || !strings.Contains(string(out.Result), `"a":1`) {
		t.Fatalf("%s %s %s", out.Result, out.Fault, out.Message)
	}
	if n := len(children()); n != 1 {
		t.Errorf("%d processes", n)
	}
	for _, wall := range []string{"process (", "rlimit", "no_new_privs", "seccomp"} {
		if got := pool.Status().Isolation; !strings.Contains(got, wall) {
			t.Errorf("%s is not in %s", wall, got)
		}
	}
}

func TestAModuleWhoseCompiledFormIsKeptStartsNothing(t *testing.T) {
	cache := t.TempDir()
	add(t, newPool(t, worker.Options{Command: command, CacheDir: cache}), "echo_reactor")
	warm := newPool(t, worker.Options{Command: []string{"/does/not/exist"}, CacheDir: cache})
	module := add(t, warm, "echo_reactor")
	out := warm.Call(t.Context(), worker.Call{Digest: module.Digest, Tool: "x", Arguments: []byte(`{}`)}, nil)
	if out.Fault != worker.HostFailure || !strings.Contains(out.Message, "/does/not/exist") {
		t.Errorf("without a program: %s %s", out.Fault, out.Message)
	}
	if _, err := warm.Add(t.Context(), moduleBytes(t, "loops")); err == nil || errors.Is(err, worker.ErrRefused) {
		t.Errorf("one that is not kept: %v", err)
	}
}

// TestAWorkerThatIsKilledInTheMiddleFailsOneCall also looks for what it leaves behind.
func TestAWorkerThatIsKilledInTheMiddleFailsOneCall(t *testing.T) {
	pool := newPool(t, worker.Options{Command: command, Workers: 1})
	call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`)}
	one := func() { eventually(t, "there is one worker", func() bool { return len(children()) == 1 }) }
	asked := 0
	kill := func(context.Context, string, []byte) []byte {
		asked++
		for _, id := range children() {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
		return []byte(`{}`)
	}
	if out := pool.Call(t.Context(), call, kill); out.Fault != worker.HostFailure || !strings.Contains(out.Message, "killed") || asked != 1 {
		t.Fatalf("%s %s, the host was asked %d times", out.Fault, out.Message, asked)
	}
	one() // the one that takes its place
	there := children()
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("the next call: %s %s", out.Fault, out.Message)
	}
	if now := children(); !slices.Equal(now, there) {
		t.Errorf("the next call was not made by process %v: there is %v", there, now)
	}
	for _, id := range children() { // while it has nothing to do
		_ = syscall.Kill(id, syscall.SIGKILL)
		eventually(t, "an idle worker ended", func() bool { return parentOf(id) == 0 })
	}
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("after the end of an idle worker: %s %s", out.Fault, out.Message)
	}
	for range 3 {
		pool.Call(t.Context(), call, kill)
		one()
	}
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.Refused || !strings.Contains(out.Message, "three times") {
		t.Errorf("after three ends in a row: %s %s", out.Fault, out.Message)
	}
	add(t, pool, "asks_host")
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("after it was added anew: %s %s", out.Fault, out.Message)
	}
	_ = pool.Close()
	if n := len(children()); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// TestALostWorkerIsReplacedByOne calls at once after each way to lose a worker: there is never more than the one that
// takes its place, also where there may be two.
func TestALostWorkerIsReplacedByOne(t *testing.T) {
	for _, workers := range []int{1, 2} {
		pool := newPool(t, worker.Options{Command: command, Workers: workers})
		call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`)}
		eventually(t, "the compile worker is gone", func() bool { return len(children()) == 0 })
		for name, lose := range map[string]func(end func()){
			"killed":      func(func()) { _ = syscall.Kill(children()[0], syscall.SIGKILL) },
			"given up":    func(end func()) { end() },
			"a bad host":  func(func()) { panic("oh") },
			"a small one": func(func()) { call.Limits.MemoryPages++ },
		} {
			if workers > 1 && name != "killed" { // what was killed by the server may still be ending beside its successor
				continue
			}
			for range 3 {
				ctx, end := context.WithCancel(t.Context())
				pool.Call(ctx, call, func(context.Context, string, []byte) []byte {
					lose(end)
					return []byte(`{}`)
				})
				end()
				var there []int
				out := pool.Call(t.Context(), call, func(context.Context, string, []byte) []byte {
					there = children()
					return []byte(`{}`)
				})
				if out.Fault != worker.NoFault || len(there) != 1 {
					t.Errorf("%d workers, %s: then there are processes %v (%s %s)", workers, name, there, out.Fault, out.Message)
				}
			}
		}
		_ = pool.Close()
	}
}

// TestAStuckGuestIsDeadSoonAfterItsDeadline stops the process itself, so that nothing in it can end the guest.
func TestAStuckGuestIsDeadSoonAfterItsDeadline(t *testing.T) {
	pool := newPool(t, worker.Options{Command: command, Workers: 1})
	digest := add(t, pool, "asks_host").Digest
	const wall = 20 * time.Millisecond
	missed := 0
	var took []time.Duration
	for i := range *stuckRuns {
		call := worker.Call{Digest: digest, Tool: "t", Arguments: []byte(`{}`)}
		if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
			t.Fatalf("run %d: a call without a stop: %s %s", i, out.Fault, out.Message)
		}
		eventually(t, "there is one worker", func() bool { return len(children()) == 1 })
		only := children()[0]
		call.Limits.Wall = wall
		out := pool.Call(t.Context(), call, func(context.Context, string, []byte) []byte {
			_ = syscall.Kill(only, syscall.SIGSTOP)
			return []byte(`{}`)
		})
		if out.Fault == worker.NoFault { // the one that took the place of the last was stopped, and had nothing to do
			_ = syscall.Kill(only, syscall.SIGKILL)
			eventually(t, "the stopped one is gone", func() bool { return !slices.Contains(children(), only) })
			missed++
			continue
		}
		if out.Fault != worker.TimedOut {
			t.Fatalf("run %d: %s %s", i, out.Fault, out.Message)
		}
		if took = append(took, out.Duration); out.Duration > wall+stuckMargin {
			t.Logf("run %d took %v, until %s", i, out.Duration, time.Now().Format(time.TimeOnly))
		}
	}
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("no run stopped a guest")
	}
	t.Logf("the longest of %d took %v after its deadline, half of them %v", len(took), took[len(took)-1]-wall, took[len(took)/2]-wall)
	if missed > *stuckRuns/2 {
		t.Errorf("%d of %d runs stopped nothing", missed, *stuckRuns)
	}
	margin := stuckMargin
	if *stuckRuns <= stuckShort { // a busy machine fails no short test
		margin = generous
	}
	if most := took[len(took)-1] - wall; most > margin {
		t.Errorf("one took %v after its deadline, at most %v are allowed", most, margin)
	}
}

// beServer is a server that is killed while a guest runs.
func beServer() {
	pool, err := worker.NewPool(worker.Options{Command: command})
	if err != nil {
		panic(err)
	}
	binary, err := os.ReadFile(testkit + "/modules/asks_host.wasm")
	if err != nil {
		panic(err)
	}
	module, err := pool.Add(context.Background(), binary)
	if err != nil {
		panic(err)
	}
	pool.Call(context.Background(), worker.Call{Digest: module.Digest, Arguments: []byte(`{}`)},
		func(context.Context, string, []byte) []byte {
			fmt.Println(children()[0])
			select {}
		})
}

func TestAServerThatIsKilledLeavesNoWorker(t *testing.T) {
	server := exec.Command(os.Args[0], asServer)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	var id int
	_, err = fmt.Fscan(out, &id)
	_ = server.Process.Kill()
	_ = server.Wait()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the worker ended", func() bool { return syscall.Kill(id, 0) != nil || state(id) == "Z" })
}

func state(id int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	_, after, _ := strings.Cut(string(text), ") ")
	return after[:min(1, len(after))]
}

// TestHammerProcesses calls from many sides while workers are killed. Each call that succeeds has its own answer.
func TestHammerProcesses(t *testing.T) {
	const workers = 3
	pool := newPool(t, worker.Options{Command: command, Workers: workers, CacheDir: t.TempDir()})
	digests := []string{add(t, pool, "echo_reactor").Digest, add(t, pool, "echo_stdio").Digest}
	var all sync.WaitGroup
	eventually(t, "the compile workers are gone", func() bool { return len(children()) == 0 })
	stop, ended := make(chan struct{}), make(chan struct{})
	var killed atomic.Int32
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				ids := children()
				if len(ids) > workers {
					t.Errorf("%d processes at once", len(ids))
				}
				if len(ids) > 0 {
					n := killed.Add(1)
					_ = syscall.Kill(ids[int(n)%len(ids)], syscall.SIGKILL)
				}
			}
		}
	}()
	for side := range 6 {
		all.Go(func() {
			for i := 0; i < 40 || killed.Load() < 3; i++ {
				arguments := fmt.Sprintf(`{"a":"%d-%d"}`, side, i)
				out := pool.Call(t.Context(), worker.Call{Digest: digests[i%2], Tool: "x", Arguments: []byte(arguments)}, nil)
				if out.Fault == worker.NoFault && !strings.Contains(string(out.Result), arguments) {
					t.Errorf("%s answered %s", arguments, out.Result)
				}
				if out.Fault != worker.NoFault && out.Fault != worker.HostFailure && out.Fault != worker.Refused {
					t.Errorf("%s: %s %s", arguments, out.Fault, out.Message)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	<-ended
	t.Logf("%d workers were killed", killed.Load())
}

func TestAWorkerAnswersWhatNeedsNoServer(t *testing.T) {
	pool := newPool(t, worker.Options{Command: command})
	module := add(t, pool, "asks_host")
	for arguments, want := range map[string]string{`{"key":"inside"}`: `{"by":"the worker"}`, `{"key":"other"}`: `{"by":"the server"}`} {
		asked := 0
		out := pool.Call(t.Context(), worker.Call{Digest: module.Digest, Tool: "asks", Arguments: []byte(arguments)},
			func(context.Context, string, []byte) []byte {
				asked++
				return []byte(`{"by":"the server"}`)
			})
		if string(out.Result) != want || (asked == 0) != (want == `{"by":"the worker"}`) {
			t.Errorf("%s: %s, and the server was asked %d times (%s)", arguments, out.Result, asked, out.Message)
		}
	}
}

// TestAHostThatHangsIsToldOfTheDeadline has a host that returns when its context ends, which is all that is asked of
// one.
func TestAHostThatHangsIsToldOfTheDeadline(t *testing.T) {
	pool := newPool(t, worker.Options{Command: command, Workers: 1})
	call := worker.Call{Digest: add(t, pool, "asks_host").Digest, Tool: "t", Arguments: []byte(`{}`), Limits: worker.Limits{Wall: 100 * time.Millisecond}}
	out := pool.Call(t.Context(), call, func(ctx context.Context, _ string, _ []byte) []byte {
		select {
		case <-ctx.Done():
		case <-time.After(generous):
			t.Error("the host is not told")
		}
		return []byte(`{"error":"over"}`)
	})
	if out.Fault != worker.TimedOut && string(out.Result) != `{"error":"over"}` { // a guest that ends at once may still answer
		t.Errorf("%s %s %s", out.Result, out.Fault, out.Message)
	}
}

func TestTheStartOfAWorkerIsNotTheGuestsTime(t *testing.T) {
	late := []string{"/bin/sh", "-c", `sleep 1; exec "$0" ` + asWorker, os.Args[0]}
	pool := newPool(t, worker.Options{Command: late, Workers: 1})
	call := worker.Call{Digest: add(t, pool, "echo_reactor").Digest, Tool: "echo", Arguments: []byte(`{}`), Limits: worker.Limits{Wall: 900 * time.Millisecond}}
	if out := pool.Call(t.Context(), call, nil); out.Fault != worker.NoFault {
		t.Errorf("%s %s", out.Fault, out.Message)
	}
}
