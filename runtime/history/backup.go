package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"chatterbox/runtime/internal/files"
)

// Backup writes a copy of the whole history, as it is at one moment, to a new file at path, readable by the own user
// only. The file appears when it is complete and on the disk. One that exists is not touched: the error wraps
// [fs.ErrExist]. Turns go on meanwhile.
func (s *SQLite) Backup(ctx context.Context, path string) error {
	err := func() error {
		// Only an early look, so that a mistyped name does not cost a whole copy first; placeNew decides.
		if _, err := os.Lstat(path); err == nil {
			return fs.ErrExist
		}
		return s.copyTo(ctx, path, placeNew)
	}()
	if err != nil {
		return &Error{Op: "backup", Path: path, Hint: s.hint(err), Err: err}
	}
	return nil
}

// copyTo makes a copy in target's folder and has place move it to target.
func (s *SQLite) copyTo(ctx context.Context, target string, place func(from, to string) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(target), ".chatterbox-copy-*")
	if err != nil {
		return err
	}
	made := file.Name()
	defer os.Remove(made) // in vain once it is placed
	defer func() { err = errors.Join(err, file.Close()) }()

	db, err := sql.Open(s.engine.driver, s.engine.dsn(s.path, ""))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", made); err != nil {
		return err
	}
	// SQLite does not wait for the disk here.
	if err := file.Sync(); err != nil {
		return err
	}
	if err := place(made, target); err != nil {
		return err
	}
	return files.SyncFolder(filepath.Dir(target))
}

// placeNew gives a file its name unless the name is taken.
func placeNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// File systems of memory sticks have no links. There, a file that appears between the look and the move is lost.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	return os.Rename(from, to)
}
