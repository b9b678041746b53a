package history

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"chatterbox/runtime/internal/files"
)

// Repaired says what a repair saved.
type Repaired struct {
	Conversations int      `json:"conversations"`
	Turns         int      `json:"turns"`
	Lost          []string `json:"lost"` // what could not be read
}

// Repair writes what can be read of a damaged history to a new file at path. One that exists is not touched: the error
// wraps [fs.ErrExist]. The damaged file stays as it is. Of one that is whole, nothing is written and whole is true.
func (s *SQLite) Repair(ctx context.Context, path string) (done Repaired, whole bool, err error) {
	found, err := s.rescueDamaged(ctx)
	if err != nil || found == nil {
		return Repaired{}, err == nil, err
	}
	done, err = s.writeRescued(ctx, found, path)
	if err != nil {
		return done, false, &Error{Op: "repair", Path: path, Hint: s.hint(err), Err: err}
	}
	return done, false, nil
}

func (s *SQLite) writeRescued(ctx context.Context, found *rescued, path string) (done Repaired, err error) {
	if _, err := os.Lstat(path); err == nil {
		return done, fs.ErrExist
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".chatterbox-repair-*")
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	made := filepath.Join(folder, "history.db")
	target, err := open(ctx, Options{Path: made}, s.engine, migrations)
	if err != nil {
		return done, err
	}
	done.Lost = found.lost
	err = target.submit(ctx, func(ctx context.Context, tx *writeTx) error { return s.fill(ctx, tx, found, &done) })
	if err := errors.Join(err, target.Close()); err != nil {
		return done, err
	}
	if err := placeNew(made, path); err != nil {
		return done, err
	}
	return done, files.SyncFolder(filepath.Dir(path))
}

// fill writes all in one transaction. The versions of conversations only rise, so the new file begins above all that
// were found.
func (s *SQLite) fill(ctx context.Context, tx *writeTx, found *rescued, done *Repaired) error {
	done.Conversations, done.Turns, done.Lost = 0, 0, found.lost
	var floor int64
	if err := s.read.QueryRowContext(ctx, `SELECT floor FROM store`).Scan(&floor); err != nil {
		floor = 0 // it cannot be read either
	}
	for at, id := range found.ids() {
		c := found.byID[id]
		state, err := json.Marshal(c.State)
		if err != nil {
			return err
		}
		kept := 0
		for _, t := range c.Turns {
			const insert = `INSERT OR IGNORE INTO turn (conversation, ` + turnColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
			result, err := tx.conn.ExecContext(ctx, insert,
				at+1, t.ID, t.At.UnixMicro(), t.User, t.Assistant, t.Language, t.Mode, []byte(t.Trace))
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			kept += int(n)
		}
		version := max(c.Version, int64(kept))
		floor = max(floor, version)
		const insert = `INSERT INTO conversation (number, id, version, turns, updated, deleted, state)
			VALUES (?, ?, ?, ?, ?, 0, ?)`
		_, err = tx.conn.ExecContext(ctx, insert, at+1, id, version, kept, c.Updated.UnixMicro(), string(state))
		if err != nil {
			return err
		}
		done.Conversations, done.Turns = done.Conversations+1, done.Turns+kept
		done.Lost = append(done.Lost, c.lost...)
	}
	_, err := tx.conn.ExecContext(ctx, `UPDATE store SET floor = ?`, floor)
	return err
}
