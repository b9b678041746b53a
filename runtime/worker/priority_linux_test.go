package worker

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatterbox/tools-wasm/testkit/hostile"
)

// nicenessOf is what the kernel says of a process's threads, which must agree.
func nicenessOf(t *testing.T, pid int) int {
	t.Helper()
	group, err := unix.Getpriority(unix.PRIO_PGRP, pid) // the highest priority of all threads, as 20 minus the niceness
	if err != nil {
		t.Fatal(err)
	}
	return 20 - group
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
			switch nice := nicenessOf(t, p.command.Process.Pid); {
			case p.slow && (nice == niceness || raceDetector):
				slow++
			case !p.slow && nice < niceness:
				quick++
			default:
				t.Errorf("a worker that gives way (%v) has niceness %d", p.slow, nice)
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
	const enough = 50 * computesLong // that it computes for long on a busy machine, too
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
