package provider

import (
	"sync"
	"time"
)

// window lets at most a number of calls begin in any period of a length. A token bucket would let nearly twice as many
// begin in its first period, which is what a server that counts calls per minute refuses.
type window struct {
	period time.Duration

	mu    sync.Mutex
	times []time.Time // when the latest len(times) calls began or will; a ring
	next  int         // the oldest
}

func newWindow(calls int, period time.Duration) *window {
	return &window{period: period, times: make([]time.Time, calls)}
}

// reserve takes the next free place and returns how long to wait for it. A place further away than most is not taken.
func (w *window) reserve(now time.Time, most time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := now
	if oldest := w.times[w.next]; !oldest.IsZero() && oldest.Add(w.period).After(now) {
		at = oldest.Add(w.period)
	}
	wait := at.Sub(now)
	if wait <= most {
		w.times[w.next] = at
		w.next = (w.next + 1) % len(w.times)
	}
	return wait
}
