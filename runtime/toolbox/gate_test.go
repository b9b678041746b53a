package toolbox

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestGateBoundsCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2, 0)
		var inside, most atomic.Int32
		var callers sync.WaitGroup
		for range 6 {
			callers.Go(func() {
				leave, refusal := g.enter(t.Context())
				if refusal != "" {
					t.Error(refusal)
					return
				}
				defer leave()
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				inside.Add(-1)
			})
		}
		began := time.Now()
		callers.Wait()
		if most.Load() != 2 || time.Since(began) != 3*time.Second {
			t.Errorf("%d at once, %v in all", most.Load(), time.Since(began))
		}
	})
}

func TestGateWaitsWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 0)
		leave, _ := g.enter(t.Context())
		defer leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, refusal := g.enter(ctx); !strings.Contains(refusal, "busy") {
			t.Errorf("refusal %q", refusal)
		}
	})
}

func TestGateRefusesWhatWouldBeTooLongAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const running, inAll = 2, 1000
		g := newGate(running, 0)
		var refused, served atomic.Int32
		for range inAll {
			go func() {
				leave, refusal := g.enter(t.Context())
				if refusal == "The tool is busy: 2 calls of it are running and 64 are waiting. Try again later." {
					refused.Add(1)
					return
				}
				defer leave()
				time.Sleep(time.Second)
				served.Add(1)
			}()
		}
		synctest.Wait()
		if n := refused.Load(); n != inAll-running-64 {
			t.Errorf("%d calls of %d are refused at once", n, inAll)
		}
		time.Sleep(time.Minute)
		if n := served.Load(); n != running+64 {
			t.Errorf("%d calls were served", n)
		}
		if leave, refusal := g.enter(t.Context()); refusal != "" {
			t.Errorf("afterwards: %s", refusal)
		} else {
			leave()
		}
	})
}

func TestGateCountsAnyMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(4, 3)
		call := func() string {
			leave, refusal := g.enter(t.Context())
			if refusal == "" {
				leave()
			}
			return refusal
		}
		for i := range 3 {
			if refusal := call(); refusal != "" {
				t.Errorf("call %d: %s", i, refusal)
			}
			time.Sleep(10 * time.Second)
		}
		if refusal := call(); refusal != "The tool may be called 3 times a minute. Try again in 30 seconds." {
			t.Errorf("the fourth: %q", refusal)
		}
		time.Sleep(30 * time.Second)
		if refusal := call(); refusal != "" {
			t.Errorf("after the first left the minute: %s", refusal)
		}
		if refusal := call(); !strings.HasSuffix(refusal, "in 10 seconds.") {
			t.Errorf("the next: %q", refusal)
		}
	})
}
