package worker

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// The bounds of worker processes.
const (
	watchTime       = 25 * time.Millisecond // between two looks at the workers
	idleMax         = time.Minute           // a worker that had nothing to do for so long is ended
	arenaMemory     = 64 << 20              // Go asks for memory in pieces of that size, of which it may use little
	runMemory       = 256 << 20             // of data, beside what guests may have
	pageMemory      = 4 << 16               // for each page of a guest: while it grows there are an old one and a larger new one
	deathsMax       = 3                     // in a row, after which a module is not called any more
	suspendedReason = "is suspended: it brought its worker process down three times in a row; install it again to try once more"
)

// processes starts workers, keeps those that have nothing to do, and ends them.
type processes struct {
	command   []string
	interpret bool
	log       *slog.Logger
	most      int
	starter   starter

	mu       sync.Mutex
	cacheDir string // "" until one is needed where none was given
	ownCache bool   // cacheDir is temporary
	idle     []*process
	all      map[*process]struct{}
	held     string // the walls of the worker that was started last
	watched  bool   // there is a watch
	closed   bool
	tasks    sync.WaitGroup
}

// start starts a worker, on the thread whose end would end it.
func (s *processes) start(what setup) (p *process, err error) {
	if !s.starter.do(func() { p, err = start(s.command, what) }) {
		return nil, errors.New("the pool is closed")
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		p.kill()
		<-p.exited
		return nil, errors.New("the pool is closed")
	}
	s.held = p.held
	s.all[p] = struct{}{}
	if !s.watched {
		s.watched = true
		s.tasks.Go(s.watch)
	}
	s.tasks.Go(func() {
		<-p.exited
		s.forget(p)
	})
	return p, nil
}

// forget is told of each process that has ended.
func (s *processes) forget(p *process) {
	p.kill() // closes the pipes
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, p)
	s.unidle(p)
}

// unidle takes a process out of those that have nothing to do; false when it is not among them.
func (s *processes) unidle(p *process) bool {
	for i, one := range s.idle {
		if one == p {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			return true
		}
	}
	return false
}

// bury takes those out of the idle ones that have ended and were not forgotten yet: they must not pass for workers.
func (s *processes) bury() {
	s.idle = slices.DeleteFunc(s.idle, (*process).hasEnded)
}

// take is a worker of the module's kind with room for the pages, one that has the module if there is one.
func (s *processes) take(pages uint32, r *remote) (*process, error) {
	s.mu.Lock()
	var found, unfit *process
	for i := len(s.idle) - 1; i >= 0 && (found == nil || !found.loaded.has(r)); i-- {
		switch p := s.idle[i]; {
		case p.hasEnded():
		case p.pages < pages || p.slow != r.slow:
			unfit = p
		case found == nil || p.loaded.has(r):
			found = p
		}
	}
	if found != nil {
		s.unidle(found)
		found.serve(r)
	} else if unfit != nil && (unfit.pages < pages || len(s.all) >= s.most) && s.unidle(unfit) {
		unfit.kill() // the new one takes its place
	}
	s.mu.Unlock()
	if found != nil {
		return found, nil
	}
	p, err := s.fresh(max(pages, defaultPages))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.slow {
		p.giveWay()
	}
	p.serve(r)
	return p, nil
}

// fresh is a new worker with room for the pages.
func (s *processes) fresh(pages uint32) (*process, error) {
	s.mu.Lock()
	what := setup{interpret: s.interpret, cacheDir: s.cacheDir, memory: runMemory + threadsMemory + int64(pages)*pageMemory}
	s.mu.Unlock()
	p, err := s.start(what)
	if err == nil {
		p.pages = pages
	}
	return p, err
}

// give takes a worker back that has nothing to do.
func (s *processes) give(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bury()
	p.served()
	if s.closed || len(s.idle) >= s.most || p.due.Load() == timeIsUp || p.hasEnded() || p.saysMore() {
		p.kill()
		return
	}
	p.idle = time.Now()
	s.idle = append(s.idle, p)
}

// watch ends workers whose call takes too long, and those that have nothing to do, for as long as there are any. One
// clock for all is cheaper than a timer for each call.
func (s *processes) watch() {
	clock := time.NewTicker(watchTime)
	defer clock.Stop()
	for s.look() {
		<-clock.C
	}
}

// look says whether there is anything to watch.
func (s *processes) look() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := int64(time.Since(epoch))
	for p := range s.all {
		switch due := p.due.Load(); {
		case due > 0 && now >= due:
			p.expire(due)
		case due > 0:
			p.looked(due)
		}
	}
	for len(s.idle) > 0 && time.Since(s.idle[0].idle) >= idleMax { // the one that waits longest is the first
		s.idle[0].kill()
		s.idle = s.idle[1:]
	}
	s.watched = len(s.all) > 0
	return s.watched
}

// replace starts a worker for one that was lost, so that the next call need not wait for it.
func (s *processes) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bury()
	if s.closed || len(s.idle) > 0 {
		return
	}
	s.tasks.Go(func() {
		if p, err := s.fresh(defaultPages); err == nil {
			s.give(p)
		}
	})
}

// cache is the folder for compiled modules. Where none was given there is a temporary one, since what one process compiles
// is for others.
func (s *processes) cache() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cacheDir == "" && !s.closed {
		if dir, err := os.MkdirTemp("", "chatterbox-compiled-"); err == nil {
			s.cacheDir, s.ownCache = dir, true
		}
	}
	// It must be there before a worker locks itself in: an exception can be made only of a folder that exists.
	if err := os.MkdirAll(s.cacheDir, 0o700); err != nil && s.log != nil {
		s.log.Warn("compiled modules are not kept", "folder", s.cacheDir, "error", err)
	}
	return s.cacheDir
}

// close ends all workers and waits for their ends.
func (s *processes) close() error {
	s.mu.Lock()
	s.closed = true
	for p := range s.all {
		p.kill()
	}
	s.idle = nil
	s.mu.Unlock()
	s.starter.close()
	s.tasks.Wait()
	if s.ownCache {
		return os.RemoveAll(s.cacheDir)
	}
	return nil
}

func (s *processes) isolation() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == "" {
		return "process (" + walls() + ")"
	}
	return "process (" + s.held + ")"
}
