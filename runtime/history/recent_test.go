package history_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

func texts(turns []conversation.Turn) string {
	var all []string
	for _, turn := range turns {
		all = append(all, turn.User)
	}
	return strings.Join(all, " ")
}

func TestWhatIsKeptInMemoryIsWhatTheFileSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	ours, theirs := openStore(t, history.Options{Path: path}), openStore(t, history.Options{Path: path})
	turn := func(text string) conversation.Turn { return conversation.Turn{ID: text, User: text} }
	add := func(s *history.SQLite, version int64, text string) {
		t.Helper()
		if err := s.Append(t.Context(), "a", version, turn(text), conversation.State{}); err != nil {
			t.Fatal(err)
		}
	}
	look := func(want string) int64 {
		t.Helper()
		c, err := ours.Load(t.Context(), "a", 20)
		if got := texts(c.Turns); err != nil || got != want {
			t.Fatalf("loaded %q, %v; want %q", got, err, want)
		}
		return c.Version
	}
	add(ours, 0, "one")
	look("one")
	add(ours, 1, "two")
	look("one two")
	add(theirs, 2, "three")
	version := look("one two three")
	add(ours, version, "three") // is there already, and changes nothing
	add(theirs, version, "four")
	look("one two three four")
	if err := theirs.SetState(t.Context(), "a", version+1, conversation.State{Mode: "HOME"}); err != nil {
		t.Fatal(err)
	}
	look("one two three four")
	if err := theirs.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	add(ours, look(""), "new")
	look("new")
}

func TestMemoryIsBounded(t *testing.T) {
	s := openStore(t, history.Options{Path: filepath.Join(t.TempDir(), "history.db")})
	long := strings.Repeat("x", 100<<10)
	for i := range 64 {
		id := fmt.Sprint("c", i)
		if err := s.Append(t.Context(), id, 0, conversation.Turn{ID: id, User: long}, conversation.State{}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the file, then from memory
			if c, err := s.Load(t.Context(), id, 20); err != nil || len(c.Turns) != 1 || c.Turns[0].User != long {
				t.Fatal(len(c.Turns), err)
			}
		}
		if kept := s.Kept(); kept > 2<<20 {
			t.Fatalf("%d bytes are kept", kept)
		}
	}
	if s.Kept() < 1<<20 {
		t.Errorf("only %d bytes are kept", s.Kept())
	}
}
