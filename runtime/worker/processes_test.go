package worker

import (
	"strings"
	"testing"
	"testing/synctest"
)

// still is a process that is there until it is told to end.
func still(pages uint32) *process {
	p := &process{exited: make(chan struct{}), pages: pages}
	p.ending.Do(func() {})
	return p
}

// TestThereAreNeverMoreWorkersThanThereMayBe looks at what a call does that finds none with nothing to do.
func TestThereAreNeverMoreWorkersThanThereMayBe(t *testing.T) {
	for name, c := range map[string]struct {
		most  int
		begin func(s *processes, p *process)
		end   func(s *processes, p *process) // nil where nothing is waited for
	}{
		"one makes a call": {1, func(s *processes, p *process) { s.all[p] = true }, func(s *processes, p *process) {
			close(p.exited)
			s.forget(p)
		}},
		"one starts": {1, func(s *processes, _ *process) { s.starting = 1 }, func(s *processes, _ *process) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.starting = 0
			s.changed.Broadcast()
		}},
		"one has too little room and must end": {1, func(s *processes, p *process) {
			s.all[p] = true
			s.idle = append(s.idle, p)
		}, func(_ *processes, p *process) { close(p.exited) }},
		"one starts in the place of another": {2, func(s *processes, _ *process) { s.starting, s.replacing = 1, true }, func(s *processes, _ *process) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.starting, s.replacing = 0, false
			s.changed.Broadcast()
		}},
		"one has ended": {1, func(s *processes, p *process) {
			s.all[p] = true
			s.idle = append(s.idle, p)
			close(p.exited)
		}, nil},
		"one compiles":   {1, func(s *processes, p *process) { s.all[p] = false }, nil},
		"one of two":     {2, func(s *processes, p *process) { s.all[p] = true }, nil},
		"there are none": {1, func(*processes, *process) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newProcesses(Options{Command: []string{"/does/not/exist"}}, c.most)
				defer s.close()
				p := still(1)
				c.begin(s, p)
				started := false
				go func() {
					_, err := s.take(defaultPages, &remote{})
					started = err != nil && strings.Contains(err.Error(), "/does/not/exist")
				}()
				synctest.Wait()
				if started != (c.end == nil) {
					t.Errorf("a worker was started: %v", started)
				}
				if c.end != nil {
					c.end(s, p)
					synctest.Wait()
				}
				if !started {
					t.Error("no worker was started in the end")
				}
			})
		})
	}
}
