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
	watchTime       = 10 * time.Millisecond // between two looks at the workers
	restAfter       = 100                   // looks in a row at which no call was seen
	restTime        = 5 * time.Second       // between two looks then
	idleMax         = time.Minute           // a worker that had nothing to do for so long is ended
	runMemory       = 256 << 20             // of data, beside what guests may have
	pageMemory      = 4 << 16               // for each page of a guest: while it grows it is there twice, once larger
	deathsMax       = 3                     // in a row, after which a module is not called any more
	suspendedReason = "is suspended: it brought its worker process down three times in a row; " +
		"install it again to try once more"
)

// processes starts workers, keeps those that have nothing to do, and ends them.
type processes struct {
	command   []string
	interpret bool
	log       *slog.Logger
	most      int
	starter   starter

	mu        sync.Mutex
	changed   sync.Cond // told when there is one more that has nothing to do, or one fewer that lives or starts
	cacheDir  string    // "" until one is needed where none was given
	ownCache  bool      // cacheDir is temporary
	idle      []*process
	all       map[*process]bool // whether it is for guests: those are counted
	starting  int               // for guests, and not yet started
	replacing bool              // one of them takes the place of another
	held      string            // the walls of the worker that was started last
	watched   bool              // there is a watch
	clock     *time.Ticker      // the watch's
	quiet     int               // looks in a row at which no call was seen
	closed    bool
	tasks     sync.WaitGroup
}

func newProcesses(options Options, most int) *processes {
	s := &processes{
		command: options.Command, interpret: options.Interpret, cacheDir: options.CacheDir, log: options.Log,
		most: most, all: map[*process]bool{},
	}
	s.changed.L = &s.mu
	return s
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
	s.all[p] = !what.compile
	if !s.watched {
		s.watched, s.quiet, s.clock = true, 0, time.NewTicker(watchTime)
		clock := s.clock
		s.tasks.Go(func() { s.watch(clock) })
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
	s.changed.Broadcast()
}

// unidle takes a process out of those that have nothing to do, if it is among them.
func (s *processes) unidle(p *process) {
	s.idle = slices.DeleteFunc(s.idle, func(one *process) bool { return one == p })
}

// dropEnded takes those out of the idle ones that have ended and were not forgotten yet: they must not pass for
// workers.
func (s *processes) dropEnded() {
	s.idle = slices.DeleteFunc(s.idle, (*process).hasEnded)
}

// take is a worker of the module's kind with room for the pages, one that has the module if there is one. Where there
// are as many as there may be it waits until one has started or ended.
func (s *processes) take(pages uint32, r *remote) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		found, unfit := s.choose(pages, r)
		if found != nil {
			s.unidle(found)
			s.hurry()
			found.serve(r)
			return found, nil
		}
		switch full := s.full(); {
		case full && unfit != nil:
			s.unidle(unfit)
			unfit.kill()
			s.mu.Unlock()
			<-unfit.exited
			s.mu.Lock()
		case full || s.replacing:
			s.changed.Wait()
		default:
			if unfit != nil && unfit.pages < pages { // the new one can do whatever it could
				s.unidle(unfit)
				unfit.kill()
			}
			p, err := s.fresh(max(pages, defaultPages))
			if err != nil {
				return nil, err
			}
			if r.slow {
				p.giveWay()
			}
			s.hurry()
			p.serve(r)
			return p, nil
		}
	}
}

// choose finds among those that have nothing to do the one that take wants, and one that will not do.
func (s *processes) choose(pages uint32, r *remote) (found, unfit *process) {
	for i := len(s.idle) - 1; i >= 0 && (found == nil || !found.loaded.has(r)); i-- {
		switch p := s.idle[i]; {
		case p.hasEnded():
		case p.pages < pages || p.slow != r.slow:
			unfit = p
		case found == nil || p.loaded.has(r):
			found = p
		}
	}
	return found, unfit
}

// full says whether there are as many workers as there may be.
func (s *processes) full() bool {
	n := s.starting
	for p, counted := range s.all {
		if counted && !p.hasEnded() {
			n++
		}
	}
	return n >= s.most
}

// fresh is a new worker with room for the pages. The lock is held, but for the time that the start takes.
func (s *processes) fresh(pages uint32) (*process, error) {
	memory := runMemory + threadsMemory + int64(pages)*pageMemory
	what := setup{interpret: s.interpret, cacheDir: s.cacheDir, memory: memory}
	s.starting++
	s.mu.Unlock()
	p, err := s.start(what)
	s.mu.Lock()
	s.starting--
	s.changed.Broadcast()
	if err == nil {
		p.pages = pages
	}
	return p, err
}

// give takes a worker back that has nothing to do.
func (s *processes) give(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropEnded()
	p.served()
	if s.closed || p.due.Load() == timeIsUp || p.hasEnded() || p.saysMore() {
		p.kill()
		return
	}
	p.idle = time.Now()
	s.idle = append(s.idle, p)
	s.changed.Broadcast()
}

// watch ends workers whose call takes too long, and those that have nothing to do, for as long as there are any. One
// clock for all is cheaper than a timer for each call.
func (s *processes) watch(clock *time.Ticker) {
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
	s.quiet++
	for p := range s.all {
		switch due := p.due.Load(); {
		case due > 0 && now >= due:
			p.expire(due)
		case due > 0:
			p.looked()
			s.hurry()
		}
	}
	for len(s.idle) > 0 && time.Since(s.idle[0].idle) >= idleMax { // the one that waits longest is the first
		s.idle[0].kill()
		s.idle = s.idle[1:]
	}
	if s.watched = len(s.all) > 0; s.watched && s.quiet == restAfter {
		s.clock.Reset(restTime)
	}
	return s.watched
}

// hurry has the watch look often again. The lock is held.
func (s *processes) hurry() {
	if s.watched && s.quiet >= restAfter {
		s.clock.Reset(watchTime)
	}
	s.quiet = 0
}

// replace starts a worker for one that was lost, so that the next call need not wait for all of it.
func (s *processes) replace() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropEnded()
	if s.closed || len(s.idle) > 0 || s.replacing || s.full() {
		return
	}
	s.replacing = true
	s.tasks.Go(func() {
		s.mu.Lock()
		p, err := s.fresh(defaultPages)
		s.mu.Unlock()
		if err == nil {
			s.give(p)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.replacing = false
		s.changed.Broadcast()
	})
}

// cache is the folder for compiled modules. Where none was given there is a temporary one, since what one process
// compiles is for others.
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
	s.hurry()
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
