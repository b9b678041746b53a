package history_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

// A child process appends turns from several goroutines, and notes each in a journal once it was acknowledged. It is
// killed at a random moment; then every turn of the journal must be in the history, in order and once.

const (
	childVariable = "CHATTERBOX_HISTORY_TEST_CHILD"
	earlyVariable = "CHATTERBOX_HISTORY_TEST_EARLY"

	killsPerFile = 20
	killWithin   = 12 * time.Millisecond
	callers      = 3
)

// child appends until it is killed. Beside the file at path it writes the journal.
func child(path string) int {
	s, err := history.Open(context.Background(), history.Options{Path: path})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	journal, err := os.OpenFile(path+".journal", os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_SYNC, 0o600)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var store appender = s
	if os.Getenv(earlyVariable) != "" {
		store = startEarly(s)
	}
	fmt.Println("ready")
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			id := fmt.Sprint("c", caller)
			c, err := s.Load(context.Background(), id, 0)
			for version := c.Version; err == nil; version++ {
				turn := conversation.Turn{ID: fmt.Sprintf("%s-%d", id, version), User: strings.Repeat("word ", int(version%300))}
				if err = store.Append(context.Background(), id, version, turn, conversation.State{LastMatch: turn.ID}); err == nil {
					_, err = fmt.Fprintf(journal, "%s %d\n", id, version) // one write
				}
			}
			fmt.Println(err)
		})
	}
	group.Wait()
	return 1
}

type appender interface {
	Append(context.Context, string, int64, conversation.Turn, conversation.State) error
}

// early is the mistake that the test must catch: it acknowledges a turn when it is queued. Otherwise it is right: what
// it stores is whole and in order.
type early struct{ queue chan func(*history.SQLite) }

func startEarly(s *history.SQLite) early {
	e := early{make(chan func(*history.SQLite), 16)}
	go func() {
		for store := range e.queue {
			store(s)
		}
	}()
	return e
}

func (e early) Append(ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State) error {
	e.queue <- func(s *history.SQLite) {
		if err := s.Append(ctx, id, version, turn, state); err != nil {
			fmt.Println(err)
		}
	}
	return nil
}

var kills = flag.Int("history.kills", 200, "how many times TestKill kills")

func TestKill(t *testing.T) {
	t.Parallel()
	acknowledged, within := 0, killWithin
	for round := 0; round < *kills; round += killsPerFile {
		path := filepath.Join(t.TempDir(), "history.db")
		for range killsPerFile {
			kill(t, path, rand.N(within))
			count, lost := verify(t, path)
			if lost != "" {
				t.Fatal(lost)
			}
			acknowledged = max(acknowledged, count)
		}
		if acknowledged < killsPerFile { // a machine so slow has longer
			within *= 2
		}
	}
	if acknowledged < killsPerFile {
		t.Errorf("at most %d turns were acknowledged before a kill: nothing was tested", acknowledged)
	}
}

func TestKillCatchesAnEarlyAcknowledgement(t *testing.T) {
	within := killWithin
	for range *kills {
		path := filepath.Join(t.TempDir(), "history.db")
		kill(t, path, rand.N(within), earlyVariable+"=1")
		acknowledged, lost := verify(t, path)
		if lost != "" {
			return
		}
		if acknowledged == 0 { // a machine so slow has longer
			within = min(2*within, time.Second)
		}
	}
	t.Errorf("turns acknowledged before they were stored survived %d kills: TestKill proves nothing", *kills)
}

// kill runs the child and kills it so long after it was ready.
func kill(t *testing.T, path string, after time.Duration, environment ...string) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(append(os.Environ(), childVariable+"="+path), environment...)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(output)
	line, err := reader.ReadString('\n')
	if line != "ready\n" {
		t.Errorf("the child says %q, %v", line, err)
	}
	<-time.After(after) // a random moment is what is tested
	if err := command.Process.Kill(); err != nil {
		t.Error(err)
	}
	rest, err := io.ReadAll(reader)
	if err == nil && len(rest) > 0 {
		t.Errorf("the child stopped by itself: %s", rest)
	}
	_ = command.Wait() // "killed" is what was wanted
}

// verify says how many turns the journal holds and which of them the history has lost.
func verify(t *testing.T, path string) (acknowledged int, lost string) {
	t.Helper()
	s, err := history.Open(t.Context(), history.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.CheckAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	newest := map[string]int64{}
	journal, err := os.ReadFile(path + ".journal")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(journal)) {
		var id string
		var version int64
		if _, err := fmt.Sscanf(line, "%s %d\n", &id, &version); err != nil {
			t.Fatalf("journal: %q: %v", line, err)
		}
		newest[id] = max(newest[id], version+1)
		acknowledged++
	}
	for id, want := range newest {
		c := load(t, s, id)
		for i, turn := range c.Turns {
			if turn.ID != fmt.Sprintf("%s-%d", id, i) {
				t.Fatalf("turn %d of %s is %s", i, id, turn.ID)
			}
		}
		if c.Version != int64(len(c.Turns)) || c.Version > 0 && c.State.LastMatch != c.Turns[c.Version-1].ID {
			t.Fatalf("%s: %d turns at version %d with state %+v", id, len(c.Turns), c.Version, c.State)
		}
		if c.Version < want {
			lost = fmt.Sprintf("%s: %d turns were acknowledged, %d are there", id, want, len(c.Turns))
		}
	}
	return acknowledged, lost
}
