package agenda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/agenda"
)

// look is one look, with what it told.
func look(t *testing.T, a *agenda.Agenda) (told []string) {
	t.Helper()
	a.Look(t.Context(), func(_ context.Context, due agenda.Due) error {
		told = append(told, due.Message)
		return nil
	})
	return told
}

// hear lists what waits to be heard, and hears it.
func hear(t *testing.T, a *agenda.Agenda) (messages []string) {
	t.Helper()
	due, err := a.Pending()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range due {
		messages = append(messages, d.Message)
		if d.Late {
			messages[len(messages)-1] += " late"
		}
	}
	if err := a.Acknowledge(due); err != nil {
		t.Fatal(err)
	}
	return messages
}

func TestRemindersWaitToBeHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		now := time.Now().In(berlin(t))
		if got := hear(t, a); got != nil {
			t.Errorf("at first: %q", got)
		}
		remind(t, a, "tea", now)
		remind(t, a, "bins", now.Add(time.Hour), "RRULE:FREQ=DAILY")
		remind(t, a, "gone", now, "STATUS:COMPLETED")
		look(t, a)
		if got, err := open(t, dir).Pending(); err != nil || len(got) != 1 || got[0].Message != "tea" || !got[0].At.Equal(now.Truncate(time.Second)) {
			t.Errorf("after a restart: %+v, %v", got, err)
		}
		if got := hear(t, a); !slices.Equal(got, []string{"tea"}) {
			t.Errorf("heard %q", got)
		}
		for range 2 {
			if got := hear(t, a); got != nil {
				t.Errorf("heard twice: %q", got)
			}
		}
		time.Sleep(50 * time.Hour) // the series was due three times
		look(t, a)
		if got := hear(t, open(t, dir)); !slices.Equal(got, []string{"bins late"}) {
			t.Errorf("heard %q", got)
		}
	})
}

// Notifications wait beside the reminders, in the order in which they came, and are gone when they were heard.
func TestNotificationsWaitToBeHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		for _, message := range []string{"the oven is on", "the post is here"} {
			if err := a.Notify(message); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		remind(t, a, "tea", time.Now().In(berlin(t)))
		if told := look(t, a); !slices.Equal(told, []string{"tea"}) {
			t.Errorf("told %q", told)
		}
		a = open(t, dir) // as after a restart
		found, err := a.Pending()
		if err != nil || len(found) != 3 || !found[0].Notification || found[2].Notification || found[0].Late {
			t.Errorf("%+v, %v", found, err)
		}
		if got := hear(t, a); !slices.Equal(got, []string{"the oven is on", "the post is here", "tea"}) {
			t.Errorf("heard %q", got)
		}
		if got := hear(t, open(t, dir)); got != nil {
			t.Errorf("heard twice: %q", got)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, ".told.json")); err != nil || strings.Contains(string(kept), "oven") {
			t.Errorf("%s is kept, %v", kept, err)
		}
	})
}

// What waits stays small enough to be read, whatever a tool sends.
func TestNotificationsHaveALimit(t *testing.T) {
	a := open(t, t.TempDir())
	for _, message := range []string{"", strings.Repeat("x", 2049)} {
		if err := a.Notify(message); !errors.Is(err, agenda.ErrNotKept) {
			t.Errorf("%d bytes: %v", len(message), err)
		}
	}
	longest := strings.Repeat("\x01", 2048)
	for range 100 {
		if err := a.Notify(longest); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Notify("one more"); !errors.Is(err, agenda.ErrNotKept) {
		t.Error(err)
	}
	if got := hear(t, a); len(got) != 5 || got[0] != longest {
		t.Errorf("%d heard", len(got))
	}
	if err := a.Notify("one more"); err != nil {
		t.Error(err)
	}
}

func TestOnlySomeAreHeardAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, t.TempDir())
		for i := range 7 {
			remind(t, a, fmt.Sprint("r", i), time.Now().In(berlin(t)))
		}
		look(t, a)
		if first, second := hear(t, a), hear(t, a); len(first) != 5 || len(second) != 2 {
			t.Errorf("heard %q, then %q", first, second)
		}
	})
}

// A reminder that cannot be told, because a service is down, is heard all the same, and once.
func TestWhatCannotBeToldIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, t.TempDir())
		remind(t, a, "tea", time.Now().In(berlin(t)))
		fails := func(context.Context, agenda.Due) error { return fmt.Errorf("down") }
		a.Look(t.Context(), fails)
		if got := hear(t, a); !slices.Equal(got, []string{"tea"}) {
			t.Errorf("heard %q", got)
		}
		time.Sleep(time.Minute)
		a.Look(t.Context(), fails)
		if told := look(t, a); told != nil {
			t.Errorf("tried again at once: %q", told)
		}
		time.Sleep(time.Minute)
		if told := look(t, a); !slices.Equal(told, []string{"tea"}) {
			t.Errorf("told %q", told)
		}
		if got := hear(t, a); got != nil {
			t.Errorf("heard twice: %q", got)
		}
	})
}

// A clock that was a day ahead and is set back tells nothing twice when the time comes again, and the others at their
// time.
func TestTheClockIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		a := open(t, dir)
		now := time.Now().In(berlin(t))
		remind(t, a, "forward", now.Add(time.Hour))
		remind(t, a, "back", now.Add(24*time.Hour))
		if told := look(t, a); told != nil {
			t.Errorf("told %q", told)
		}
		marks := fmt.Sprintf(`{"back":{"at":%d}}`, now.Add(24*time.Hour).Unix())
		if err := os.WriteFile(filepath.Join(dir, ".told.json"), []byte(marks), 0o600); err != nil {
			t.Fatal(err)
		}
		w := watch(t, a)
		w.wants(t)
		time.Sleep(2 * time.Hour)
		w.wants(t, "forward at 01T01:00")
		time.Sleep(23 * time.Hour)
		w.wants(t, "forward at 01T01:00")
		w.stop()
	})
}

// The hour that a clock change leaves out, and the one that comes twice: a daily reminder is told once a day.
func TestRemindersOverAClockChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := berlin(t)
		a := open(t, t.TempDir())
		time.Sleep(time.Until(time.Date(2000, 3, 24, 12, 0, 0, 0, zone)))
		remind(t, a, "pill", time.Date(2000, 3, 25, 2, 30, 0, 0, zone), "RRULE:FREQ=DAILY;COUNT=3")
		if told := lookEachHour(t, a, 120); told != 3 {
			t.Errorf("%d in spring", told)
		}
		time.Sleep(time.Until(time.Date(2000, 10, 27, 12, 0, 0, 0, zone)))
		remind(t, a, "lamp", time.Date(2000, 10, 28, 2, 30, 0, 0, zone), "RRULE:FREQ=DAILY;COUNT=3")
		if told := lookEachHour(t, a, 120); told != 3 {
			t.Errorf("%d in autumn", told)
		}
	})
}

// lookEachHour counts what is told in so many hours.
func lookEachHour(t *testing.T, a *agenda.Agenda, hours int) (told int) {
	t.Helper()
	for range hours {
		told += len(look(t, a))
		time.Sleep(time.Hour)
	}
	return told
}

const (
	killedEnv   = "AGENDA_KILLED"
	killRuns    = 100
	killedCount = 60
	killWithin  = 12 * time.Millisecond // for up to a few tellings
)

// TestHammerKilledWhileItTells ends a process at random moments while it tells: each reminder waits to be heard once,
// and is told at least once, a second time only with a word that it may be one.
func TestHammerKilledWhileItTells(t *testing.T) {
	if dir := os.Getenv(killedEnv); dir != "" {
		tellUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	a := open(t, dir)
	at := time.Now().Add(-2 * time.Second).In(berlin(t))
	for i := range killedCount {
		remind(t, a, fmt.Sprint("r", i), at.Add(-time.Duration(i)*time.Second))
	}
	heard := map[string]int{}
	hear := func() {
		for got := hear(t, a); len(got) > 0; got = hear(t, a) {
			for _, message := range got {
				heard[strings.TrimSuffix(message, " late")]++
			}
		}
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	log, file := filepath.Join(dir, "log"), filepath.Join(dir, ".told.json")
	within := killWithin
	for run := range killRuns {
		killOne(t, dir, time.Duration(random.Int64N(int64(within))))
		if run%10 == 9 {
			hear()
			if _, err := os.Stat(file); err != nil { // a machine so slow has longer
				within *= 2
			}
		}
	}
	// The minute has passed after which what was left behind is told again.
	marks, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	left := regexp.MustCompile(`"since":\d+`).ReplaceAllString(string(marks), `"since":1`)
	if err := os.WriteFile(file, []byte(left), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Look(t.Context(), logged(log))
	hear()
	told, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]int{}
	all := map[string]int{}
	for line := range strings.Lines(string(told)) {
		message, again, _ := strings.Cut(strings.TrimSpace(line), " ")
		if all[message]++; again == "" {
			plain[message]++
		}
	}
	for i := range killedCount {
		message := fmt.Sprint("r", i)
		if heard[message] != 1 || all[message] < 1 || plain[message] > 1 {
			t.Errorf("%s is heard %d times, told %d times, %d of them without a word", message, heard[message], all[message], plain[message])
		}
	}
}

// logged tells by writing a line.
func logged(path string) func(context.Context, agenda.Due) error {
	return func(_ context.Context, due agenda.Due) error {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		line := due.Message
		if due.Again {
			line += " again"
		}
		_, err = file.WriteString(line + "\n")
		return err
	}
}

func tellUntilKilled(t *testing.T, dir string) {
	fmt.Fprintln(os.Stderr, "ready")
	open(t, dir).Watch(t.Context(), logged(filepath.Join(dir, "log")))
}

// killOne runs a process that tells, and kills it so long after it was ready.
func killOne(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHammerKilledWhileItTells$", "-test.count=1")
	child.Env = append(os.Environ(), killedEnv+"="+dir)
	output, err := child.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 64)); err != nil {
		t.Error(err)
	}
	<-time.After(after) // a random moment is what is tested
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	var buffer bytes.Buffer
	_, _ = buffer.ReadFrom(output)
	_ = child.Wait()
}
