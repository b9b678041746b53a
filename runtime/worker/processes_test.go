package worker

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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

func TestAWorkerThatHadNothingToDoForLongIsEnded(t *testing.T) {
	pool, err := NewPool(Options{Command: []string{os.Args[0], "worker"}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	s := pool.apart
	var both [2]*process
	for i := range both {
		s.mu.Lock()
		both[i], err = s.fresh(defaultPages)
		s.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.give(both[0])
	s.give(both[1])
	s.mu.Lock()
	both[0].idle, both[1].idle = time.Now().Add(-idleMax), time.Now().Add(-idleMax/2)
	s.mu.Unlock()
	select {
	case <-both[0].exited:
	case <-time.After(startMax):
		t.Error("the one that waits for longest lives")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) != 1 || s.idle[0] != both[1] || both[1].hasEnded() {
		t.Errorf("%d are left, and the other one has ended: %v", len(s.idle), both[1].hasEnded())
	}
}

// TestModulesMakeRoomForOneAnother holds that a worker keeps no more weight of modules than it may, the last used ones.
func TestModulesMakeRoomForOneAnother(t *testing.T) {
	const fit = cacheBytesMax / (2 * moduleLeast)
	var kept moduleCache
	var all []*remote
	for i := range fit + 1 {
		all = append(all, &remote{digest: strconv.Itoa(i), binary: make([]byte, moduleLeast/moduleFactor)})
	}
	use := func(r *remote, want string) {
		t.Helper()
		var out message
		kept.use(r, &out)
		var sent []string
		for in := newFrames(bytes.NewReader(out.bytes)); ; {
			kind, payload, err := in.next(frameBytesMax)
			if err != nil {
				break
			}
			f := fields{rest: payload}
			sent = append(sent, string(kind)+f.text())
		}
		if got := strings.Join(sent, " "); got != want {
			t.Errorf("for %s it is sent %q, want %q", r.digest, got, want)
		}
		if kept.weight > cacheBytesMax || kept.weight != len(kept.modules)*2*moduleLeast || !kept.has(r) {
			t.Errorf("with %s there are %d modules of %d bytes", r.digest, len(kept.modules), kept.weight)
		}
	}
	load, drop := string(rune(frameLoad)), string(rune(frameDrop))
	for _, r := range all[:fit] {
		use(r, load+r.digest)
	}
	use(all[0], "") // now it is the last used one
	use(all[fit], drop+"1 "+load+all[fit].digest)
	use(all[0], "")
	use(all[1], drop+"2 "+load+"1")
}
