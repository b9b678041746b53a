package server

import (
	"sync"
	"sync/atomic"
)

// poolMax is how many goroutines wait for requests, and up to how many connections do without them.
const poolMax = 32

// pool is goroutines that do one job after the other, so that each has the stack that the jobs before it have grown: a
// turn goes deep, and growing there from the smallest stack takes longer than the rest of a short request.
type pool struct {
	jobs    chan func()
	gone    chan struct{}
	dismiss func() // ends those that wait; jobs are done as before
	waiting atomic.Int32
}

func newPool() *pool {
	gone := make(chan struct{})
	return &pool{jobs: make(chan func()), gone: gone, dismiss: sync.OnceFunc(func() { close(gone) })}
}

// do has the job done and does not wait for it.
func (p *pool) do(job func()) {
	select {
	case p.jobs <- job:
	default:
		go p.work(job)
	}
}

func (p *pool) work(job func()) {
	for job != nil {
		job()
		job = nil
		if p.waiting.Add(1) <= poolMax {
			select {
			case job = <-p.jobs:
			case <-p.gone:
			}
		}
		p.waiting.Add(-1)
	}
}
