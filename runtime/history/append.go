package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"chatterbox/runtime/conversation"
)

// Append implements [conversation.Store]. A turn that with its state is larger than 16 MiB fails with [ErrTooLarge];
// one without an id, or with a trace or state that is not JSON, fails too.
func (s *SQLite) Append(
	ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State,
) error {
	if turn.ID == "" {
		return s.failure("append", errors.New("the turn has no id"))
	}
	if turn.Trace != nil && !json.Valid(turn.Trace) {
		return s.failure("append", errors.New("the trace is not JSON"))
	}
	size := len(id) + len(turn.ID) + len(turn.User) + len(turn.Assistant) + len(turn.Trace)
	encoded, err := encodeState(state, size)
	if err != nil {
		return s.failure("append", err)
	}
	var added bool
	err = s.submit(ctx, func(ctx context.Context, tx *writeTx) (err error) {
		added, err = tx.append(ctx, id, version, turn, encoded)
		return err
	})
	if err == nil && added {
		s.recent.add(id, version, stored(turn))
	}
	return s.failure("append", err)
}

// stored is turn as it comes back from the file.
func stored(turn conversation.Turn) conversation.Turn {
	turn.At = time.UnixMicro(turn.At.UnixMicro()).UTC()
	if len(turn.Trace) == 0 {
		turn.Trace = nil
	}
	return turn
}

// SetState implements [conversation.Store], with the limit of Append.
func (s *SQLite) SetState(ctx context.Context, id string, version int64, state conversation.State) error {
	encoded, err := encodeState(state, len(id))
	if err != nil {
		return s.failure("set state", err)
	}
	return s.failure("set state", s.submit(ctx, func(ctx context.Context, tx *writeTx) error {
		r, err := tx.record(ctx, id)
		if err != nil {
			return err
		}
		if r.version != version {
			return conversation.ErrConflict
		}
		if !tx.store.alive(r) {
			if err := tx.begin(ctx, &r, id); err != nil {
				return err
			}
			r.updated = time.Now().UnixMicro()
		}
		_, err = tx.update.ExecContext(ctx, version+1, r.turns, r.updated, 0, encoded, r.number)
		return err
	}))
}

// encodeState holds the state, with what comes beside it, to the limit.
func encodeState(state conversation.State, beside int) (string, error) {
	encoded, err := json.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("encode the state: %w", err)
	}
	if size := len(encoded) + beside; size > turnBytesMax {
		return "", fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, turnBytesMax)
	}
	return string(encoded), nil
}

// Delete implements [conversation.Store]. The text is then in none of the files; where somebody was reading it, it
// goes with the next change, or within a minute after the reading.
func (s *SQLite) Delete(ctx context.Context, id string) error {
	return s.failure("delete", s.submit(ctx, func(ctx context.Context, tx *writeTx) error {
		return tx.delete(ctx, id)
	}))
}

// DeleteAll implements [conversation.Store]. A turn under way in a conversation that has none yet conflicts too.
func (s *SQLite) DeleteAll(ctx context.Context) (int, error) {
	var count int
	err := s.submit(ctx, func(ctx context.Context, tx *writeTx) (err error) {
		count, err = tx.deleteAll(ctx)
		return err
	})
	return count, s.failure("delete", err)
}

// writeTx is what a change can do inside the writer's transaction.
type writeTx struct {
	store  *SQLite
	conn   *sql.Conn
	erased bool // something was deleted that the log may still hold
	// unindexed is how many turns were taken out of the search index since the beginning of the transaction.
	unindexed int

	find, floor, hasTurn, addTurn, create, update, dropTurns, shrink *sql.Stmt
}

// statements says where each prepared statement belongs.
func (tx *writeTx) statements() map[string]**sql.Stmt {
	return map[string]**sql.Stmt{
		`SELECT number, version, turns, updated, deleted FROM conversation WHERE id = ?`: &tx.find,
		`SELECT floor FROM store`:                                     &tx.floor,
		`SELECT count(*) FROM turn WHERE conversation = ? AND id = ?`: &tx.hasTurn,
		`INSERT INTO turn (conversation, id, at, user, assistant, language, mode, trace)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`: &tx.addTurn,
		`INSERT INTO conversation (id, version, turns, updated, deleted, state)
			VALUES (?, ?, 0, 0, 0, '') RETURNING number`: &tx.create,
		`UPDATE conversation SET version = ?, turns = ?, updated = ?, deleted = ?, state = ? WHERE number = ?`: &tx.update,
		`DELETE FROM turn WHERE conversation = ?`:                                                              &tx.dropTurns,
		// A later turn may get the number of a deleted one, and is then not yet in the search index.
		`UPDATE store SET searched = (SELECT coalesce(max(seq), 0) FROM turn)
			WHERE searched > (SELECT coalesce(max(seq), 0) FROM turn)`: &tx.shrink,
	}
}

// record is a conversation's row; number is 0 when it has none.
type record struct {
	number, version, updated, deleted int64
	turns                             int
}

// since is the smallest time of a last turn that is not expired.
func (s *SQLite) since() int64 {
	if s.options.TTL <= 0 {
		return math.MinInt64
	}
	return time.Now().Add(-s.options.TTL).UnixMicro() + 1
}

// alive says whether the conversation is there for who looks at it now.
func (s *SQLite) alive(r record) bool {
	return r.number != 0 && r.deleted == 0 && r.updated >= s.since()
}

func (tx *writeTx) record(ctx context.Context, id string) (record, error) {
	var r record
	err := tx.find.QueryRowContext(ctx, id).Scan(&r.number, &r.version, &r.turns, &r.updated, &r.deleted)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.floor.QueryRowContext(ctx).Scan(&r.version)
	}
	return r, err
}

// append says whether it added the turn: one that is there already is no error.
func (tx *writeTx) append(
	ctx context.Context, id string, version int64, turn conversation.Turn, state string,
) (bool, error) {
	r, err := tx.record(ctx, id)
	if err != nil {
		return false, err
	}
	alive := tx.store.alive(r)
	if version != r.version {
		var have int
		if alive {
			err = tx.hasTurn.QueryRowContext(ctx, r.number, turn.ID).Scan(&have)
		}
		if err == nil && have == 0 {
			err = conversation.ErrConflict
		}
		return false, err
	}
	if !alive {
		if err := tx.begin(ctx, &r, id); err != nil {
			return false, err
		}
	}
	added, err := tx.addTurn.ExecContext(ctx, r.number, turn.ID, turn.At.UnixMicro(), turn.User, turn.Assistant,
		turn.Language, turn.Mode, []byte(turn.Trace))
	if err != nil {
		return false, err
	}
	if rows, err := added.RowsAffected(); err != nil || rows == 0 { // it is there already
		return false, err
	}
	_, err = tx.update.ExecContext(ctx, version+1, r.turns+1, time.Now().UnixMicro(), 0, state, r.number)
	return err == nil, err
}

// begin makes the row of a conversation that is absent ready for its first turn or state.
func (tx *writeTx) begin(ctx context.Context, r *record, id string) error {
	if r.number == 0 {
		return tx.create.QueryRowContext(ctx, id, r.version).Scan(&r.number)
	}
	if err := tx.clear(ctx, *r); err != nil {
		return err
	}
	r.turns = 0
	return nil
}

func (tx *writeTx) delete(ctx context.Context, id string) error {
	r, err := tx.record(ctx, id)
	if err != nil {
		return err
	}
	if r.number == 0 {
		if err := tx.create.QueryRowContext(ctx, id, r.version).Scan(&r.number); err != nil {
			return err
		}
	}
	return tx.leaveTombstone(ctx, r, r.version+1)
}

// leaveTombstone removes a conversation's turns and leaves its version.
func (tx *writeTx) leaveTombstone(ctx context.Context, r record, version int64) error {
	if err := tx.clear(ctx, r); err != nil {
		return err
	}
	_, err := tx.update.ExecContext(ctx, version, 0, 0, time.Now().UnixMicro(), "", r.number)
	return err
}

// clear removes a conversation's turns, from the search index too.
func (tx *writeTx) clear(ctx context.Context, r record) error {
	if r.turns == 0 {
		return nil
	}
	if err := tx.removeFromIndex(ctx, r.number); err != nil {
		return err
	}
	if _, err := tx.dropTurns.ExecContext(ctx, r.number); err != nil {
		return err
	}
	tx.erased = true
	_, err := tx.shrink.ExecContext(ctx)
	return err
}

func (tx *writeTx) deleteAll(ctx context.Context) (int, error) {
	var count int
	const living = `SELECT count(*) FROM conversation WHERE deleted = 0 AND updated >= ?`
	if err := tx.conn.QueryRowContext(ctx, living, tx.store.since()).Scan(&count); err != nil {
		return 0, err
	}
	if err := tx.emptyIndex(ctx); err != nil {
		return 0, err
	}
	// Every version is raised by raising that of the conversations without a row, which now are all.
	tx.erased = true
	return count, tx.script(ctx,
		`UPDATE store SET floor = 1 + max(floor, (SELECT coalesce(max(version), 0) FROM conversation))`,
		`DELETE FROM turn`,
		`DELETE FROM conversation`)
}
