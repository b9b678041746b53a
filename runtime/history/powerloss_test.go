package history_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ncruces/go-sqlite3"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

var powerLosses = flag.Int("history.powerlosses", 150, "how many times TestPowerLoss loses power")

// openOnDisk opens a store on a new disk and closes it with the test.
func openOnDisk(t *testing.T, options history.Options) (*disk, *history.SQLite) {
	t.Helper()
	d := newDisk(t, map[string]*diskFile{})
	s, err := d.open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, s
}

// crash is a disk as it may be found after a loss of power, and what had been acknowledged before it.
type crash struct {
	files        map[string]*diskFile
	acknowledged map[string]int // turns of each conversation
}

// crashes stores turns from several goroutines and loses power at random operations of the disk, want times or as often
// as there are operations.
func crashes(t *testing.T, want int, lies bool) []crash {
	t.Helper()
	d, s := openOnDisk(t, history.Options{})
	// Often, so that the power is lost in the middle of it too.
	if err := s.Exec(t.Context(), "PRAGMA wal_autocheckpoint = 20"); err != nil {
		t.Fatal(err)
	}
	var found []crash
	var mu sync.Mutex
	acknowledged := map[string]int{}
	random := rand.New(rand.NewPCG(1, uint64(want)))
	d.mu.Lock()
	d.lies = lies
	d.watch = func(d *disk) {
		if random.IntN(3) > 0 || len(found) >= want {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		c := crash{files: d.afterPowerLoss(random), acknowledged: map[string]int{}}
		for id, turns := range acknowledged {
			c.acknowledged[id] = turns
		}
		found = append(found, c)
	}
	d.mu.Unlock()
	enough := func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(found) >= want
	}
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			id := fmt.Sprint("c", caller)
			for n := 0; !enough(); n++ {
				turn := conversation.Turn{ID: fmt.Sprintf("%s-%d", id, n), User: strings.Repeat("word ", n*37%400)}
				if err := s.Append(t.Context(), id, int64(n), turn, conversation.State{LastMatch: turn.ID}); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged[id]++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	d.mu.Lock()
	d.watch = nil
	d.mu.Unlock()
	return found
}

// lost says what of the acknowledged is not found on the disk.
func (c crash) lost(t *testing.T) error {
	t.Helper()
	s, err := newDisk(t, c.files).open(history.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.CheckAll(t.Context()); err != nil {
		return err
	}
	for id, want := range c.acknowledged {
		found, err := s.Load(t.Context(), id, 1_000_000)
		if err != nil {
			return err
		}
		for i, turn := range found.Turns {
			if turn.ID != fmt.Sprintf("%s-%d", id, i) {
				return fmt.Errorf("turn %d of %s is %s", i, id, turn.ID)
			}
		}
		if len(found.Turns) < want || found.Version != int64(len(found.Turns)) {
			return fmt.Errorf("%s: %d turns were acknowledged, %d are there, at version %d", id, want, len(found.Turns), found.Version)
		}
	}
	return nil
}

func TestPowerLoss(t *testing.T) {
	t.Parallel()
	turns := 0
	for _, c := range crashes(t, *powerLosses, false) {
		if err := c.lost(t); err != nil {
			t.Fatal(err)
		}
		for _, n := range c.acknowledged {
			turns += n
		}
	}
	if turns == 0 {
		t.Error("nothing was acknowledged before any loss of power: nothing was tested")
	}
}

func TestPowerLossCatchesADiskThatLies(t *testing.T) {
	for _, c := range crashes(t, 50, true) {
		if c.lost(t) != nil {
			return
		}
	}
	t.Error("nothing was lost on a disk whose sync does nothing: TestPowerLoss proves nothing")
}

// TestBrokenDisk fails one operation of the disk after the other: each append is either stored or says that it is not,
// and the next one works without opening the store again.
func TestBrokenDisk(t *testing.T) {
	d, s := openOnDisk(t, history.Options{})
	if err := s.Exec(t.Context(), "PRAGMA wal_autocheckpoint = 20"); err != nil {
		t.Fatal(err)
	}
	var want []string
	failures := 0
	for n := range 60 {
		d.mu.Lock()
		at := d.ops + 1 + n%12
		d.fail = func(op int) error {
			if op == at {
				return sqlite3.IOERR_WRITE
			}
			return nil
		}
		d.mu.Unlock()
		turn := conversation.Turn{ID: fmt.Sprint(n), User: "hello"}
		err := s.Append(t.Context(), "a", int64(len(want)), turn, conversation.State{})
		var failure *history.Error
		switch {
		case err == nil:
			want = append(want, turn.ID)
		case errors.As(err, &failure) && strings.Contains(failure.Hint, "disk"):
			failures++
		default:
			t.Fatalf("append %d: %v", n, err)
		}
	}
	d.mu.Lock()
	d.fail = nil
	d.mu.Unlock()
	if failures == 0 || len(want) == 0 {
		t.Errorf("%d appends failed, %d succeeded: this tests one thing only", failures, len(want))
	}
	c := load(t, s, "a")
	var got []string
	for _, turn := range c.Turns {
		got = append(got, turn.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("stored %v\nacknowledged %v", got, want)
	}
	if err := s.CheckAll(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDiskWithoutSpace fills the disk below the store and makes space again.
func TestDiskWithoutSpace(t *testing.T) {
	d, s := openOnDisk(t, history.Options{})
	set := func(free int64) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.free = free
	}
	set(64 << 10)
	stored := 0
	for ; ; stored++ {
		turn := conversation.Turn{ID: fmt.Sprint(stored), User: strings.Repeat("x", 1000)}
		err := s.Append(t.Context(), "a", int64(stored), turn, conversation.State{})
		if err == nil && stored < 1000 {
			continue
		}
		var failure *history.Error
		if !errors.As(err, &failure) || !strings.Contains(failure.Hint, "free some space") {
			t.Fatalf("after %d turns on 64 KiB: %v", stored, err)
		}
		break
	}
	if c := load(t, s, "a"); len(c.Turns) != stored || stored == 0 {
		t.Errorf("%d turns can be read, %d were acknowledged", len(c.Turns), stored)
	}
	set(1 << 30)
	say(t, s, "a", "there is space again")
	if c := load(t, s, "a"); len(c.Turns) != stored+1 {
		t.Errorf("%d turns after space was made, want %d", len(c.Turns), stored+1)
	}
	if err := s.CheckAll(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWhatATurnCosts counts syncs and bytes where SQLite calls the file system.
func TestWhatATurnCosts(t *testing.T) {
	t.Parallel()
	d, s := openOnDisk(t, history.Options{})
	const turns = 300
	measure := func(callers int) (syncs, bytes float64) {
		d.mu.Lock()
		startSyncs, startBytes := d.syncs, d.written
		d.mu.Unlock()
		var group sync.WaitGroup
		for caller := range callers {
			group.Go(func() {
				id := fmt.Sprintf("%d of %d", caller, callers)
				for n := range turns / callers {
					turn := benchTurn()
					turn.ID = fmt.Sprintf("%s-%d", id, n)
					if err := s.Append(t.Context(), id, int64(n), turn, conversation.State{Mode: "AUTO"}); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		d.mu.Lock()
		defer d.mu.Unlock()
		return float64(d.syncs-startSyncs) / turns, float64(d.written-startBytes) / turns
	}
	syncs, bytes := measure(1)
	t.Logf("one after the other: %.3f syncs and %.0f bytes a turn", syncs, bytes)
	if syncs > 1.05 || bytes > 16<<10 {
		t.Errorf("%.3f syncs and %.0f bytes a turn, want at most 1.05 and 16 KiB", syncs, bytes)
	}
	syncs, bytes = measure(50)
	t.Logf("50 at a time: %.3f syncs and %.0f bytes a turn", syncs, bytes)
	if syncs > 0.2 || bytes > 16<<10 {
		t.Errorf("50 at a time: %.3f syncs and %.0f bytes a turn, want at most 0.2 and 16 KiB", syncs, bytes)
	}
}

// TestAnIdleStoreDoesNotWrite lets time pass with something that expires late.
func TestAnIdleStoreDoesNotWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, s := openOnDisk(t, history.Options{TTL: 48 * time.Hour})
		say(t, s, "a", "hello")
		if err := s.Delete(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		ops := func() int {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.ops
		}
		before := ops()
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := ops(); got != before {
			t.Errorf("%d writes and syncs in an idle hour", got-before)
		}
		time.Sleep(60 * time.Hour)
		synctest.Wait()
		if got := ops(); got == before {
			t.Error("nothing was written when something expired: this test sees nothing")
		}
	})
}
