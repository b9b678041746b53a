package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
)

// This file notices damage: a disk that forgets, a power supply that fails, a bit that flips. The rules are:
//
//   - a start after an unclean end looks through the whole file first, and so does one after damage was found;
//   - nothing is written into a file that is known to be damaged;
//   - what tells an unclean end is SQLite's log: the last one to close the file removes it.

// ErrDamaged says that the file is not as it was written.
var ErrDamaged = errors.New("the history is damaged")

// Damage is that some of what was asked for could not be read. What could was given.
type Damage struct {
	Lost []string // what cannot be read, and why
}

func (d *Damage) Error() string { return fmt.Sprintf("%v: %s", ErrDamaged, strings.Join(d.Lost, "; ")) }
func (d *Damage) Unwrap() error { return ErrDamaged }

const (
	repairHint    = "stop chatterbox and run chatterbox history repair, which saves what can be read into a new file"
	damagedSuffix = "-damaged" // of an empty file beside the database: damage was found
)

// uncleanEnd says whether whoever had the file last did not close it, or found damage.
func uncleanEnd(path string) bool {
	if _, err := os.Lstat(path + damagedSuffix); err == nil {
		return true
	}
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// checkFile is an error that wraps ErrDamaged where SQLite's quick check sees damage.
func (s *SQLite) checkFile(ctx context.Context, conn interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) error {
	var verdict string
	err := conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	switch {
	case err != nil && s.damaged(err):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return err
	case verdict != "ok":
		return fmt.Errorf("%w: %s", ErrDamaged, strings.Join(strings.Fields(verdict), " "))
	}
	return nil
}

// checkAtStart looks for damage where the last end was unclean, and keeps in mind what it found.
func (s *SQLite) checkAtStart(ctx context.Context, conn *sql.Conn) error {
	err := s.checkFile(ctx, conn)
	if errors.Is(err, ErrDamaged) {
		return errors.Join(err, os.WriteFile(s.path+damagedSuffix, nil, 0o600))
	} else if err != nil {
		return err
	}
	if err := os.Remove(s.path + damagedSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Check has SQLite look through the file. Damage is an error that wraps [ErrDamaged].
func (s *SQLite) Check(ctx context.Context) error {
	return s.failure("check", s.checkFile(ctx, s.read))
}

// damaged says whether SQLite found that the file is not as it was written.
func (s *SQLite) damaged(err error) bool {
	code := s.engine.code(err) & 0xff
	return code == sqliteCorrupt || code == sqliteNotADB || errors.Is(err, ErrDamaged)
}
