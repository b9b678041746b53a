package wasm

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// children are what this test binary does instead of its tests when a test starts it again with childVariable set.
var children = map[string]func(){}

var long = flag.Bool("long", false, "what takes many seconds by itself, too")

const childVariable = "WASM_TEST_CHILD"

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childVariable)]; child != nil {
		child()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestAGuestInALoopDoesNotHoldUpTheHost runs garbage collection, which has to stop every thread, beside a guest that
// never comes back by itself.
func TestAGuestInALoopDoesNotHoldUpTheHost(t *testing.T) {
	for _, name := range []string{"loops", "doubles", "fills"} {
		t.Run(name, func(t *testing.T) {
			m := loadModule(t, Options{}, name)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			over := make(chan Result)
			call := testCall()
			call.Deadline = time.Now().Add(time.Minute)
			go func() { over <- m.Call(ctx, call, nil) }()
			for range 5 {
				runtime.GC()
			}
			select {
			case result := <-over:
				t.Errorf("the guest ended by itself: %+v", result)
			default:
				cancel()
				if result := <-over; result.Fault != TimedOut {
					t.Errorf("%+v", result)
				}
			}
		})
	}
}

// TestAKeptInstanceAllocatesForTheResultOnly guards what a pooled call costs; a caller that has room for the result
// pays nothing.
func TestAKeptInstanceAllocatesForTheResultOnly(t *testing.T) {
	for _, kept := range []struct {
		binary []byte
		way    string
	}{{testModule(t, "echo_reactor"), "copied"}, {testModule(t, "hides_anywhere"), "copied"}, {testModule(t, "hides_anywhere"), "mapped"}} {
		m := loadBinary(t, Options{}, kept.binary)
		if m.engine.Kind() != Compiler || kept.way == "mapped" && !onImages(t, m) {
			t.Skip("the interpreter allocates by itself")
		}
		call := hide("p")
		count := func() float64 {
			return testing.AllocsPerRun(100, func() { m.Call(context.Background(), call, nil) })
		}
		if allocations := count(); allocations > 1 {
			t.Errorf("%s: %v allocations a call", kept.way, allocations)
		}
		call.Room = make([]byte, 0, 1_000)
		if allocations := count(); allocations > 0 {
			t.Errorf("%s: %v allocations a call that brings its room", kept.way, allocations)
		}
	}
}

func TestInstancesAreKeptWithinBounds(t *testing.T) {
	m := loadModule(t, Options{}, "echo_reactor")
	inside := make(chan struct{})
	for i := range environmentsMax + 3 {
		call := testCall()
		call.Env = map[string]string{"N": fmt.Sprint(i)}
		for range idleMax + 2 {
			go func() {
				m.Call(context.Background(), call, nil)
				inside <- struct{}{}
			}()
		}
		for range idleMax + 2 {
			<-inside
		}
	}
	if len(m.environments) != environmentsMax {
		t.Errorf("%d environments", len(m.environments))
	}
	for _, o := range m.environments {
		if len(o.idle) == 0 || len(o.idle) > idleMax {
			t.Errorf("%d idle instances", len(o.idle))
		}
	}
}
