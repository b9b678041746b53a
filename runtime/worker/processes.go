package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"chatterbox/runtime/wasm"
)

// The bounds of worker processes.
const (
	idleMax         = time.Minute // a worker that had nothing to do for so long is ended
	compileTime     = 10          // seconds of processor time that compiling a module may take
	compileWall     = 30 * time.Second
	compileMemory   = 256 << 20
	arenaMemory     = 64 << 20  // Go asks for memory in pieces of that size, of which it may use little
	runMemory       = 256 << 20 // of data, beside what guests may have
	pageMemory      = 4 << 16   // for each page of a guest: while it grows there are an old one and a larger new one
	deathsMax       = 3         // in a row, after which a module is not called any more
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
			p.idle.Stop()
			return true
		}
	}
	return false
}

// take is a worker with room for the pages, one that has the module if there is one.
func (s *processes) take(pages uint32, r *remote) (*process, error) {
	s.mu.Lock()
	var found, small *process
	for i := len(s.idle) - 1; i >= 0 && (found == nil || !found.loaded.has(r)); i-- {
		switch p := s.idle[i]; {
		case p.hasEnded():
		case p.pages < pages:
			small = p
		case found == nil || p.loaded.has(r):
			found = p
		}
	}
	if found != nil {
		s.unidle(found)
	} else if small != nil && s.unidle(small) {
		small.kill() // the new one takes its place
	}
	s.mu.Unlock()
	if found != nil {
		return found, nil
	}
	return s.fresh(max(pages, defaultPages))
}

// fresh is a new worker with room for the pages.
func (s *processes) fresh(pages uint32) (*process, error) {
	s.mu.Lock()
	what := setup{interpret: s.interpret, cacheDir: s.cacheDir, memory: runMemory + int64(pages)*pageMemory}
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
	if s.closed || len(s.idle) >= s.most || p.hasEnded() {
		p.kill()
		return
	}
	p.idle = time.AfterFunc(idleMax, func() { s.expire(p) })
	s.idle = append(s.idle, p)
}

func (s *processes) expire(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unidle(p) {
		p.kill()
	}
}

// replace starts a worker for one that was lost, so that the next call need not wait for it.
func (s *processes) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
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

// compile fills the cache with a module, in a process that runs none.
func (s *processes) compile(ctx context.Context, digest string, binary []byte) error {
	p, err := s.start(setup{
		compile: true, interpret: s.interpret, cacheDir: s.cache(),
		memory: compileMemory + arenaMemory, processor: compileTime,
	})
	if err != nil {
		return fmt.Errorf("start a worker that compiles: %w", err)
	}
	defer p.kill()
	err = p.compiled(ctx, digest, binary, time.Now().Add(compileWall))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return wasm.Refusal(fmt.Sprintf("takes more than %v to compile", compileWall))
	case err == nil || !isGone(err):
		return err
	}
	<-p.exited
	return p.compileDeath()
}

// close ends all workers and waits for their ends.
func (s *processes) close() error {
	s.mu.Lock()
	s.closed = true
	for p := range s.all {
		p.kill()
	}
	for _, p := range s.idle {
		p.idle.Stop()
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
