package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatterbox/tools-wasm/testkit/hostile"
)

// idles says whether the threads of a process give way to all others, in which they must agree.
func idles(t *testing.T, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	count := 0
	for _, thread := range threads {
		number, _ := strconv.Atoi(filepath.Base(thread))
		if attributes, err := unix.SchedGetAttr(number, 0); err == nil && attributes.Policy == unix.SCHED_IDLE {
			count++
		}
	}
	if count != 0 && count != len(threads) {
		t.Errorf("%d of %d threads give way", count, len(threads))
	}
	return count > 0
}

func TestAGuestThatComputesForLongGivesWay(t *testing.T) {
	pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	good, err := pool.Add(t.Context(), hostile.Good())
	if err != nil {
		t.Fatal(err)
	}
	loops, err := pool.Add(t.Context(), attackNamed(t, "loops"))
	if err != nil {
		t.Fatal(err)
	}
	callGood := func() {
		t.Helper()
		if out := pool.Call(t.Context(), Call{Digest: good.Digest, Tool: "good", Arguments: []byte(`{}`)}, nil); string(out.Result) != goodAnswer {
			t.Fatalf("%s %s %s", out.Result, out.Fault, out.Message)
		}
	}
	// kinds are the workers that have nothing to do, by whether they give way; each must have the priority of its kind.
	kinds := func() (slow, quick int) {
		t.Helper()
		pool.apart.mu.Lock()
		defer pool.apart.mu.Unlock()
		for _, p := range pool.apart.idle {
			switch idles := idles(t, p.command.Process.Pid); {
			case p.slow && (idles || raceDetector):
				slow++
			case !p.slow && !idles:
				quick++
			default:
				t.Errorf("a worker that gives way (%v) has threads that do (%v)", p.slow, idles)
			}
		}
		return slow, quick
	}
	expect := func(slow, quick int) {
		t.Helper()
		if gotSlow, gotQuick := kinds(); gotSlow != slow || gotQuick != quick {
			t.Errorf("%d workers give way and %d do not, want %d and %d", gotSlow, gotQuick, slow, quick)
		}
	}
	const enough = 20 * computesLong // that it computes for long on a busy machine, too
	callGood()
	expect(0, 1)
	for range 2 {
		out := pool.Call(t.Context(), Call{Digest: loops.Digest, Tool: "loops", Arguments: []byte(`{}`), Limits: Limits{Wall: enough}}, nil)
		if out.Fault != TimedOut {
			t.Fatalf("%s %s", out.Fault, out.Message)
		}
	}
	expect(1, 0) // it ran in the one that was there, and in that again
	callGood()
	expect(1, 1)

	module := pool.modules[good.Digest].module.(*remote)
	module.slow = true // as if it had computed for long: a short call sets it right
	callGood()
	if module.slow {
		t.Error("a module whose call was short still gives way")
	}
	expect(1, 1)
}

func TestAWatchThatRestsSeesTheNextCall(t *testing.T) {
	pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	loops, err := pool.Add(t.Context(), attackNamed(t, "loops"))
	if err != nil {
		t.Fatal(err)
	}
	call := Call{Digest: loops.Digest, Tool: "loops", Arguments: []byte(`{}`), Limits: Limits{Wall: time.Second}}
	module := pool.modules[loops.Digest].module.(*remote)
	for range 2 {
		pool.apart.mu.Lock()
		module.slow = false
		for _, p := range pool.apart.idle { // whatever there is gives way already
			p.kill()
		}
		pool.apart.idle = nil
		pool.apart.mu.Unlock()
		pool.Call(t.Context(), call, nil)
		pool.apart.mu.Lock()
		if !module.slow {
			t.Error("nobody saw how long it computes")
		}
		pool.apart.mu.Unlock()
		for range restAfter {
			pool.apart.look()
		}
	}
}

func TestAWorkerOfTheOtherKindMakesRoom(t *testing.T) {
	pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	good, err := pool.Add(t.Context(), hostile.Good())
	if err != nil {
		t.Fatal(err)
	}
	module := pool.modules[good.Digest].module.(*remote)
	for _, slow := range []bool{false, true, false} {
		module.slow = slow
		if out := pool.Call(t.Context(), Call{Digest: good.Digest, Tool: "good", Arguments: []byte(`{}`)}, nil); string(out.Result) != goodAnswer {
			t.Fatalf("%s %s %s", out.Result, out.Fault, out.Message)
		}
		pool.apart.mu.Lock()
		if idle := pool.apart.idle; len(idle) != 1 || idle[0].slow != slow {
			t.Errorf("%d workers, want one that gives way: %v", len(idle), slow)
		}
		pool.apart.mu.Unlock()
	}
}

func TestProcessorTime(t *testing.T) {
	before := processorTime(os.Getpid())
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); { // it computes
	}
	if used := processorTime(os.Getpid()) - before; used <= 0 {
		t.Errorf("%v", used)
	}
	if used := processorTime(1 << 27); used != 0 {
		t.Errorf("a process that is not there has used %v", used)
	}
}

func attackNamed(t *testing.T, name string) []byte {
	t.Helper()
	attacks, err := hostile.Table("running")
	if err != nil {
		t.Fatal(err)
	}
	for _, attack := range attacks {
		if attack.Name == name {
			binary, err := attack.Module()
			if err != nil {
				t.Fatal(err)
			}
			return binary
		}
	}
	t.Fatalf("there is no hostile guest %s", name)
	return nil
}
