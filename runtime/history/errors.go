package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"chatterbox/runtime/conversation"
)

var (
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("history is closed")
	// ErrNotFound says that there is no such conversation.
	ErrNotFound = errors.New("no such conversation")
	// ErrNewer says that a newer chatterbox made the file.
	ErrNewer = errors.New("made by a newer chatterbox")
	// ErrForeign says that the file is not a history.
	ErrForeign = errors.New("not a chatterbox history")
	// ErrTooLarge says that a turn does not fit.
	ErrTooLarge = errors.New("turn is too large to be stored")
)

// Error is a failure of the storage.
type Error struct {
	Op   string // open, check, repair, load, append, set state, delete, list, search, export, backup, stats, close
	Path string // of the file concerned
	Hint string // what the operator can do about it; may be empty
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("history: %s %s: %v", e.Op, e.Path, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// The primary result codes of SQLite that an operator can do something about.
const (
	sqliteBusy     = 5
	sqliteReadOnly = 8
	sqliteIOErr    = 10
	sqliteCorrupt  = 11
	sqliteFull     = 13
	sqliteCantOpen = 14
	sqliteNotADB   = 26
)

var codeHints = map[int]string{
	sqliteBusy:     "another process keeps the file locked; end it or wait for it",
	sqliteReadOnly: "make the file and its folder writable for the user that chatterbox runs as; no restart is needed",
	sqliteIOErr:    "the disk does not read or write; look at the system's log, and at how much space is free",
	sqliteCorrupt:  repairHint,
	sqliteFull:     "the disk is full; free some space, no restart is needed",
	sqliteCantOpen: "make the file and its folder accessible for the user that chatterbox runs as",
	sqliteNotADB:   "the file is not a database; move it away or set another data folder",
}

// hint is what an operator can do about err.
func (s *SQLite) hint(err error) string {
	switch {
	case errors.Is(err, ErrNewer):
		return "run the newer version, or put the copy back that it made beside the file before it changed it"
	case errors.Is(err, ErrDamaged):
		return repairHint
	case errors.Is(err, ErrForeign):
		return codeHints[sqliteNotADB]
	case errors.Is(err, fs.ErrExist):
		return "choose another name; nothing is overwritten"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return codeHints[sqliteFull]
	case errors.As(err, new(*fs.PathError)):
		return codeHints[sqliteCantOpen]
	}
	return codeHints[s.engine.code(err)&0xff]
}

// failure makes err an *Error. What the caller caused or has to know by its own name stays as it is.
func (s *SQLite) failure(op string, err error) error {
	if err == nil || errors.Is(err, conversation.ErrConflict) || errors.Is(err, ErrClosed) ||
		errors.Is(err, ErrNotFound) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{Op: op, Path: s.path, Hint: s.hint(err), Err: err}
}
