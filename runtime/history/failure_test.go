package history_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, test := range map[string]struct {
		path string
		hint string
		is   error
	}{
		"the data folder is a file":       {write("file", "") + "/history.db", "accessible", nil},
		"the data folder cannot be made":  {"/proc/chatterbox/history.db", "accessible", nil},
		"the file is a folder":            {folder, "accessible", nil},
		"the file is not a database":      {write("text", strings.Repeat("hello ", 1000)), "not a database", nil},
		"the database is of another kind": {foreignDatabase(t, folder), "not a database", history.ErrForeign},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := history.Open(t.Context(), history.Options{Path: test.path})
			if err == nil {
				s.Close()
				t.Fatal("opens")
			}
			var failure *history.Error
			if !errors.As(err, &failure) || failure.Op != "open" || failure.Path != test.path ||
				!strings.Contains(failure.Hint, test.hint) {
				t.Errorf("%#v: %v", failure, err)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
}

// foreignDatabase is a database that some other program made.
func foreignDatabase(t *testing.T, folder string) string {
	path := filepath.Join(folder, "foreign.db")
	s := openStore(t, history.Options{Path: path})
	if err := s.Exec(t.Context(), "PRAGMA application_id = 7"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFullDisk fills the file to the limit that SQLite is given, which it treats as a full disk.
func TestFullDisk(t *testing.T) {
	s := openStore(t, history.Options{})
	say(t, s, "a", "before")
	if err := s.Exec(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // SQLite takes it as the present size
		t.Fatal(err)
	}
	large := conversation.Turn{ID: "large", User: strings.Repeat("x", 100_000)}
	err := s.Append(t.Context(), "a", 1, large, conversation.State{})
	var failure *history.Error
	if !errors.As(err, &failure) || failure.Op != "append" || !strings.Contains(failure.Hint, "free some space") {
		t.Fatalf("append to a full disk: %#v: %v", failure, err)
	}
	if c := load(t, s, "a"); len(c.Turns) != 1 || c.Version != 1 {
		t.Errorf("after an append that failed: %+v", c)
	}
	if stats, err := s.Stats(t.Context()); err != nil || !stats.Failing {
		t.Errorf("stats do not say that storing fails: %+v, %v", stats, err)
	}
	if err := s.Exec(t.Context(), "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "a", 1, large, conversation.State{}); err != nil {
		t.Errorf("append after space was made: %v", err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || stats.Failing {
		t.Errorf("stats still say that storing fails: %+v, %v", stats, err)
	}
}

// TestATurnThatCannotBeStoredDoesNotFailItsNeighbours has a large turn and small ones in one commit on a disk that is
// nearly full.
func TestATurnThatCannotBeStoredDoesNotFailItsNeighbours(t *testing.T) {
	s := openStore(t, history.Options{})
	const small = 8
	for i := range small {
		say(t, s, fmt.Sprint(i), "before")
	}
	if err := s.Exec(t.Context(), "PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	resume := s.Pause(t.Context())
	outcomes := make(chan error, small)
	for i := range small {
		go func() {
			outcomes <- s.Append(t.Context(), fmt.Sprint(i), 1, conversation.Turn{ID: "small"}, conversation.State{})
		}()
	}
	refused := make(chan error, 1)
	go func() {
		large := conversation.Turn{ID: "large", User: strings.Repeat("x", 1_000_000)}
		refused <- s.Append(t.Context(), "large", 0, large, conversation.State{})
	}()
	for s.Queued() < small+1 {
		runtime.Gosched()
	}
	resume()
	if err := <-refused; err == nil {
		t.Error("the large turn was stored")
	}
	for range small {
		if err := <-outcomes; err != nil {
			t.Errorf("a small turn failed: %v", err)
		}
	}
}

// TestAContextThatEndsInTheQueue gives up a turn before the writer has it.
func TestAContextThatEndsInTheQueue(t *testing.T) {
	s := openStore(t, history.Options{})
	resume := s.Pause(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	outcome := make(chan error, 1)
	go func() { outcome <- s.Append(ctx, "a", 0, conversation.Turn{ID: "x"}, conversation.State{}) }()
	for s.Queued() < 1 {
		runtime.Gosched()
	}
	cancel()
	if err := <-outcome; !errors.Is(err, context.Canceled) {
		t.Errorf("a turn given up in the queue: %v", err)
	}
	resume()
	say(t, s, "b", "the writer has been at the queue")
	if c := load(t, s, "a"); c.Version != 0 {
		t.Errorf("it was stored nevertheless: %+v", c)
	}
}

func TestReadOnlyFile(t *testing.T) {
	s := openStore(t, history.Options{})
	say(t, s, "a", "before")
	if err := s.Exec(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	err := s.Append(t.Context(), "a", 1, conversation.Turn{ID: "x"}, conversation.State{})
	var failure *history.Error
	if !errors.As(err, &failure) || !strings.Contains(failure.Hint, "writable") {
		t.Fatalf("append to a read-only file: %#v: %v", failure, err)
	}
	if c := load(t, s, "a"); len(c.Turns) != 1 {
		t.Errorf("cannot be read: %+v", c)
	}
}

func TestAppendRefuses(t *testing.T) {
	s := openStore(t, history.Options{})
	for name, turn := range map[string]conversation.Turn{
		"a turn of 17 MB":            {ID: "x", User: strings.Repeat("x", 17_000_000)},
		"a turn without an id":       {User: "hello"},
		"a trace that is not JSON":   {ID: "x", Trace: []byte("{")},
		"a trace of several objects": {ID: "x", Trace: []byte("{}{}")},
	} {
		var failure *history.Error
		if err := s.Append(t.Context(), "a", 0, turn, conversation.State{}); !errors.As(err, &failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := s.Append(t.Context(), "a", 0, conversation.Turn{ID: "x"}, conversation.State{Workflow: []byte("{")})
	var failure *history.Error
	if !errors.As(err, &failure) {
		t.Errorf("a workflow that is not JSON: %v", err)
	}
	if c := load(t, s, "a"); c.Version != 0 || len(c.Turns) != 0 {
		t.Errorf("something was stored: %+v", c)
	}
}

func TestBackup(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, history.Options{})
	for range 10 {
		say(t, s, "a", "hello")
	}
	path := filepath.Join(folder, "backup.db")
	if err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	say(t, s, "a", "after the backup")
	var failure *history.Error
	if err := s.Backup(t.Context(), path); !errors.Is(err, fs.ErrExist) || !errors.As(err, &failure) || failure.Hint == "" {
		t.Errorf("a second backup to the same file: %v", err)
	}
	if err := s.Backup(t.Context(), filepath.Join(folder, "nowhere", "backup.db")); !errors.As(err, &failure) {
		t.Errorf("a backup to a folder that is not there: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v (%v)", info.Mode(), err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("beside the backup lie %v (%v)", files, err)
	}
	copied := openStore(t, history.Options{Path: path})
	if c := load(t, copied, "a"); len(c.Turns) != 10 || c.Version != 10 {
		t.Errorf("the backup has %d turns at version %d", len(c.Turns), c.Version)
	}
}
