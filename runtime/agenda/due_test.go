package agenda_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/agenda"
)

// remind puts a reminder into the list, as a tool does.
func remind(t *testing.T, a *agenda.Agenda, uid string, at time.Time, more ...string) {
	t.Helper()
	lines := append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VTODO", "UID:" + uid, "DTSTAMP:20000101T000000Z",
		"DTSTART;TZID=Europe/Berlin:" + at.Format("20060102T150405"), "DUE;TZID=Europe/Berlin:" + at.Format("20060102T150405"), "SUMMARY:" + uid}, more...)
	body := strings.Join(append(lines, "END:VTODO", "END:VCALENDAR", ""), "\r\n")
	request := httptest.NewRequest("PUT", agenda.RemindersPath+uid+".ics", strings.NewReader(body))
	request.Header.Set("Content-Type", "text/calendar")
	answer := httptest.NewRecorder()
	a.Handler().ServeHTTP(answer, request)
	if answer.Code != http.StatusCreated {
		t.Fatalf("%s: %d %s", uid, answer.Code, answer.Body)
	}
}

// watched is a Watch and what it told.
type watched struct {
	stop func()

	mu    sync.Mutex
	words []string // guarded by mu
	fail  error    // guarded by mu
}

func (w *watched) told() []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.words)
}

func (w *watched) failWith(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = err
}

func watch(t *testing.T, a *agenda.Agenda) *watched {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watched{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.Watch(ctx, func(_ context.Context, due agenda.Due) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.fail != nil {
				return w.fail
			}
			words := fmt.Sprintf("%s at %s", due.Message, due.At.In(time.FixedZone("", 0)).Format("02T15:04"))
			if now := time.Now(); now.Sub(due.At) >= time.Second && !due.Late {
				words += fmt.Sprintf(" told %s after", now.Sub(due.At))
			}
			if due.Late {
				words += " late"
			}
			if due.Again {
				words += " again"
			}
			w.words = append(w.words, words)
			return nil
		})
	}()
	w.stop = func() { cancel(); <-ended }
	return w
}

func (w *watched) wants(t *testing.T, want ...string) {
	t.Helper()
	if told := w.told(); !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// The bubble's clock begins at midnight UTC of 1 January 2000, one in the morning in Berlin.
func TestRemindersAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, zone := t.TempDir(), berlin(t)
		a := open(t, dir)
		w := watch(t, a)
		begin := time.Now().In(zone)
		remind(t, a, "tea", begin.Add(5*time.Minute))
		remind(t, a, "bins", begin.Add(time.Hour), "RRULE:FREQ=DAILY;COUNT=3")
		remind(t, a, "done", begin.Add(10*time.Minute), "STATUS:COMPLETED")
		time.Sleep(4 * time.Minute)
		w.wants(t)
		time.Sleep(time.Minute)
		w.wants(t, "tea at 01T00:05")
		time.Sleep(time.Hour)
		w.wants(t, "tea at 01T00:05", "bins at 01T01:00")
		w.stop()
		time.Sleep(23 * time.Hour)
		w = watch(t, a)
		w.wants(t) // the second is due in 55 minutes
		time.Sleep(time.Hour)
		w.wants(t, "bins at 02T01:00")
		w.stop()

		// After a restart nothing is told twice, and what was missed is told as late.
		remind(t, a, "call", time.Now().In(zone).Add(time.Hour))
		time.Sleep(26 * time.Hour)
		w = watch(t, open(t, dir))
		w.wants(t, "bins at 03T01:00 late", "call at 02T02:05 late")
		w.stop()
		w = watch(t, open(t, dir))
		time.Sleep(time.Hour)
		w.wants(t)
		w.stop()
	})
}

func TestRemindersThatWereMissedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, zone := t.TempDir(), berlin(t)
		a := open(t, dir)
		begin := time.Now().In(zone)
		remind(t, a, "old", begin.Add(time.Hour))
		remind(t, a, "daily", begin.Add(time.Hour), "RRULE:FREQ=DAILY")
		remind(t, a, "ended", begin.Add(time.Hour), "RRULE:FREQ=DAILY;COUNT=2")
		time.Sleep(30 * 24 * time.Hour)
		w := watch(t, a)
		w.wants(t, "daily at 30T01:00 late", "old at 01T01:00 late")
		w.stop()
		if got := hear(t, open(t, dir)); !slices.Equal(got, []string{"old late", "daily late"}) {
			t.Errorf("heard %q", got)
		}
		w = watch(t, open(t, dir))
		time.Sleep(30 * time.Minute)
		w.wants(t)
		w.stop()
	})
}

// Where nobody can be told of what is a month late, it is not tried every minute for ever.
func TestAnOldReminderIsTriedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, t.TempDir())
		remind(t, a, "old", time.Now().In(berlin(t)))
		time.Sleep(30 * 24 * time.Hour)
		tried := 0
		for range 120 {
			a.Look(t.Context(), func(context.Context, agenda.Due) error { tried++; return errors.New("nobody listens") })
			time.Sleep(time.Minute)
		}
		if tried != 3 {
			t.Errorf("tried %d times in two hours", tried)
		}
	})
}

// A reminder that could not be told is tried again, and then told once.
func TestRemindersThatCannotBeTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		w := watch(t, a)
		w.failWith(errors.New("nobody listens"))
		remind(t, a, "tea", time.Now().In(berlin(t)).Add(5*time.Minute))
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		w.failWith(nil)
		time.Sleep(10 * time.Minute)
		if told := w.told(); len(told) != 1 || !strings.HasPrefix(told[0], "tea at 01T00:05") {
			t.Errorf("told %q", told)
		}
		w.stop()
	})
}

// A process that ended while it told leaves a reminder that is told again, and says so.
func TestAReminderThatMayHaveBeenTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		at := time.Now().In(berlin(t)).Add(5 * time.Minute)
		remind(t, a, "tea", at)
		time.Sleep(6 * time.Minute)
		half := fmt.Sprintf(`{"tea":{"at":%d,"since":%d}}`, at.Unix(), at.Unix())
		if err := os.WriteFile(filepath.Join(dir, ".told.json"), []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		w := watch(t, a)
		time.Sleep(time.Minute)
		if told := w.told(); len(told) != 1 || !strings.HasSuffix(told[0], "again") {
			t.Errorf("told %q", told)
		}
		w.stop()
	})
}

// Two that watch one folder tell a reminder once between them.
func TestTwoWatchers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		first, second := watch(t, a), watch(t, open(t, dir))
		for i := range 20 {
			remind(t, a, fmt.Sprint("r", i), time.Now().In(berlin(t)).Add(5*time.Minute))
		}
		time.Sleep(time.Hour)
		one, other := first.told(), second.told()
		if told := len(one) + len(other); told != 20 {
			t.Errorf("%d were told: %q and %q", told, one, other)
		}
		first.stop()
		second.stop()
	})
}

// What stands in the file of marks and is none stops nothing but the telling, and says what to do.
func TestMarksThatAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		if err := os.WriteFile(filepath.Join(dir, ".told.json"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		remind(t, a, "tea", time.Now().In(berlin(t)))
		w := watch(t, a)
		time.Sleep(time.Minute)
		w.wants(t)
		if err := os.Remove(filepath.Join(dir, ".told.json")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if told := w.told(); len(told) != 1 {
			t.Errorf("told %q", told)
		}
		w.stop()
	})
}
