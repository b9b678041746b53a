package server

import (
	"sync"
	"sync/atomic"
)

// handsMax is how many goroutines wait for requests, and up to how many connections do without them.
const handsMax = 32

// hands are goroutines that do one job after the other, so that each has the stack that the jobs before it have grown: a
// turn goes deep, and growing there from the smallest stack takes longer than the rest of a short request.
type hands struct {
	jobs    chan func()
	gone    chan struct{}
	dismiss func() // ends those that wait; jobs are done as before
	waiting atomic.Int32
}

func newHands() *hands {
	gone := make(chan struct{})
	return &hands{jobs: make(chan func()), gone: gone, dismiss: sync.OnceFunc(func() { close(gone) })}
}

// do has the job done and does not wait for it.
func (h *hands) do(job func()) {
	select {
	case h.jobs <- job:
	default:
		go h.work(job)
	}
}

func (h *hands) work(job func()) {
	for job != nil {
		job()
		job = nil
		if h.waiting.Add(1) <= handsMax {
			select {
			case job = <-h.jobs:
			case <-h.gone:
			}
		}
		h.waiting.Add(-1)
	}
}
