package worker

import (
	"runtime"
	"sync"
)

// starter starts processes from one thread, which lives as long as it does: a worker is told to end with the thread
// that started it, and takes over what that thread may not do.
type starter struct {
	mu     sync.Mutex
	work   chan func() // nil before the first
	closed bool
	ended  chan struct{}
}

// do runs work on the thread; false when the starter is closed.
func (s *starter) do(work func()) bool {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return false
	}
	if s.work == nil {
		s.work, s.ended = make(chan func()), make(chan struct{})
		go s.run(s.work)
	}
	done := make(chan struct{})
	s.work <- func() {
		defer close(done)
		work()
	}
	s.mu.Unlock()
	<-done
	return true
}

// run never unlocks its thread, which ends with it.
func (s *starter) run(work chan func()) {
	defer close(s.ended)
	runtime.LockOSThread()
	noNewPrivileges()
	for one := range work {
		closeOnExec()
		one()
	}
}

func (s *starter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed = true; s.work != nil {
		close(s.work)
		<-s.ended
		s.work = nil
	}
}
