package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
	"chatterbox/runtime/history/historytest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	historytest.Run(t, func(t *testing.T) conversation.Store { return openStore(t, history.Options{}) })
}

// openStore opens a store, in a new folder unless options name a path, and closes it with the test.
func openStore(t testing.TB, options history.Options) *history.SQLite {
	t.Helper()
	if options.Path == "" {
		options.Path = filepath.Join(t.TempDir(), "history.db")
	}
	s, err := history.Open(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// say appends a turn at the present version.
func say(t testing.TB, s conversation.Store, id, user string) conversation.Turn {
	t.Helper()
	c, err := s.Load(context.Background(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	turn := conversation.Turn{ID: fmt.Sprintf("%s-%d", id, c.Version), At: time.Now(), User: user, Assistant: "yes"}
	if err := s.Append(context.Background(), id, c.Version, turn, conversation.State{Mode: "AUTO"}); err != nil {
		t.Fatal(err)
	}
	return turn
}

func load(t testing.TB, s conversation.Store, id string) conversation.Conversation {
	t.Helper()
	c, err := s.Load(context.Background(), id, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatIsStoredIsThereAfterOpeningAgain(t *testing.T) {
	// A name that a URL would have to escape.
	path := filepath.Join(t.TempDir(), "a folder", "50% of #1?", "hïstory.db")
	s := openStore(t, history.Options{Path: path})
	say(t, s, "a", "first\x00with a zero")
	for suffix := range strings.FieldsSeq("-wal -shm") {
		if info, err := os.Stat(path + suffix); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v)", path+suffix, info.Mode(), err)
		}
	}
	if err := s.Delete(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	gone := load(t, s, "gone").Version
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, history.Options{Path: path})
	c := load(t, again, "a")
	if len(c.Turns) != 1 || c.Turns[0].User != "first\x00with a zero" || c.State.Mode != "AUTO" {
		t.Errorf("after opening again: %+v", c)
	}
	if got := load(t, again, "gone").Version; got != gone {
		t.Errorf("a deleted conversation is at version %d after opening again, was at %d", got, gone)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
}

// TestHammerTwoStoresOnOneFile is `chat` beside `serve`.
func TestHammerTwoStoresOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	stores := []*history.SQLite{openStore(t, history.Options{Path: path}), openStore(t, history.Options{Path: path})}
	var group sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i, s := range stores {
		group.Go(func() {
			for n := range 100 {
				c, err := s.Load(t.Context(), "a", 1)
				if err != nil {
					t.Error(err)
					return
				}
				turn := conversation.Turn{ID: fmt.Sprint(i, "-", n)}
				err = s.Append(t.Context(), "a", c.Version, turn, conversation.State{})
				if err == nil {
					mu.Lock()
					won++
					mu.Unlock()
				} else if !errors.Is(err, conversation.ErrConflict) {
					t.Error(err)
				}
				say(t, s, fmt.Sprint("own", i), "mine")
			}
		})
	}
	group.Wait()
	for i, s := range stores {
		if c := load(t, s, "a"); len(c.Turns) != won || c.Version != int64(won) {
			t.Errorf("store %d: %d turns at version %d, %d were acknowledged", i, len(c.Turns), c.Version, won)
		}
		if c := load(t, s, fmt.Sprint("own", 1-i)); len(c.Turns) != 100 {
			t.Errorf("store %d sees %d turns of the other, want 100", i, len(c.Turns))
		}
	}
}

func TestDeletedTextIsInNoFile(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, history.Options{Path: filepath.Join(folder, "history.db")})
	const secret = "the key is under the flowerpot"
	say(t, s, "a", strings.Repeat(secret+" ", 100))
	say(t, s, "b", "what is kept")
	if found, err := s.Search(t.Context(), "flowerpot", 0); err != nil || len(found) != 1 {
		t.Fatalf("found %d: %v", len(found), err)
	}
	holds := func(text string) bool {
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(text)) {
				return true
			}
		}
		return false
	}
	if !holds(secret) || !holds("flowerpot") {
		t.Fatal("the files do not hold the text before it is deleted: this test sees nothing")
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if holds(secret) || holds("flowerpot") {
		t.Error("the files still hold the text of a deleted conversation")
	}
	say(t, s, "a", secret)
	reading := s.BeginRead(t)
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if !holds(secret) {
		t.Error("the text went while somebody was reading it")
	}
	reading()
	say(t, s, "b", "the next change")
	if holds(secret) {
		t.Error("the files still hold the text after the reader has gone")
	}
	if !holds("what is kept") {
		t.Error("the other conversation is gone")
	}
}

func TestClosedStore(t *testing.T) {
	s := openStore(t, history.Options{})
	turn := say(t, s, "a", "hello")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Append(t.Context(), "a", 1, turn, conversation.State{}); !errors.Is(err, history.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if err := s.Delete(t.Context(), "a"); !errors.Is(err, history.ErrClosed) {
		t.Errorf("delete: %v", err)
	}
	if _, err := s.Load(t.Context(), "a", 20); err == nil {
		t.Error("load succeeds")
	}
}

// TestHammerCloseDuringAppends closes while turns arrive: each is stored or told that it is not.
func TestHammerCloseDuringAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	for round := range 8 {
		s := openStore(t, history.Options{Path: path})
		var group sync.WaitGroup
		var mu sync.Mutex
		stored := map[string]bool{}
		for i := range 8 {
			group.Go(func() {
				for n := range 20 {
					id := fmt.Sprintf("%d-%d-%d", round, i, n)
					err := s.Append(t.Context(), id, 0, conversation.Turn{ID: id}, conversation.State{})
					if err != nil && !errors.Is(err, history.ErrClosed) {
						t.Error(err)
					}
					mu.Lock()
					stored[id] = err == nil
					mu.Unlock()
				}
			})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		again := openStore(t, history.Options{Path: path})
		for id, want := range stored {
			if got := len(load(t, again, id).Turns) == 1; got != want {
				t.Errorf("%s: stored %v, acknowledged %v", id, got, want)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStats(t *testing.T) {
	s := openStore(t, history.Options{})
	for range 3 {
		say(t, s, "a", "hello")
	}
	say(t, s, "b", "hello")
	if err := s.Delete(t.Context(), "never"); err != nil {
		t.Fatal(err)
	}
	stats, err := s.Stats(t.Context())
	if err != nil || stats.Conversations != 2 || stats.Turns != 4 || stats.Bytes < 1024 || stats.Failing {
		t.Errorf("%+v, %v", stats, err)
	}
}
