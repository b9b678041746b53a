package toolbox

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// waitingMax is how many calls of a tool wait while others of it run; more are refused at once.
const waitingMax = 64

// gate bounds how many calls of a tool run at once, how many wait to, and how many begin in a minute.
type gate struct {
	slots   chan struct{}
	waiting atomic.Int32

	mu     sync.Mutex
	begun  []time.Time // guarded by mu: when the last calls began, as a ring; nil where calls are not counted
	oldest int         // guarded by mu: index in begun
}

func newGate(concurrency, perMinute int) *gate {
	g := &gate{slots: make(chan struct{}, concurrency)}
	if perMinute > 0 {
		g.begun = make([]time.Time, perMinute)
	}
	return g
}

// enter waits for a slot until ctx ends. Where the call may not begin, leave is nil and refusal says why.
func (g *gate) enter(ctx context.Context) (leave func(), refusal string) {
	select {
	case g.slots <- struct{}{}:
	default:
		defer g.waiting.Add(-1)
		if g.waiting.Add(1) > waitingMax {
			return nil, fmt.Sprintf("The tool is busy: %d calls of it are running and %d are waiting. Try again later.",
				cap(g.slots), waitingMax)
		}
		select {
		case g.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Sprintf("The tool is busy: %d calls of it are running. Try again later.", cap(g.slots))
		}
	}
	if refusal := g.count(time.Now()); refusal != "" {
		<-g.slots
		return nil, refusal
	}
	return func() { <-g.slots }, ""
}

// count books a call that begins now, unless the last minute is full.
func (g *gate) count(now time.Time) (refusal string) {
	if wait := g.book(now); wait > 0 {
		return fmt.Sprintf("The tool may be called %d times a minute. Try again in %d seconds.", len(g.begun), seconds(wait))
	}
	return ""
}

// book counts what begins now, unless the last minute is full: then it says when there is room again.
func (g *gate) book(now time.Time) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.begun) == 0 {
		return 0
	}
	if oldest := g.begun[g.oldest]; !oldest.IsZero() && now.Sub(oldest) < time.Minute {
		return time.Minute - now.Sub(oldest)
	}
	g.begun[g.oldest] = now
	g.oldest = (g.oldest + 1) % len(g.begun)
	return 0
}

// seconds are those that a person has to wait.
func seconds(wait time.Duration) int { return int((wait + time.Second - 1) / time.Second) }
