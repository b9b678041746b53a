package history

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

const (
	// sweepMin and sweepMax bound the time between two looks for what has expired.
	sweepMin = time.Minute
	sweepMax = time.Hour
	// sweepBatch is how many conversations go in one commit, so that turns do not wait long behind it.
	sweepBatch = 32
)

// sweep removes what has expired and says when to come again. It writes only when there is something to remove.
func (w *writer) sweep(ctx context.Context) time.Duration {
	s := w.store
	expired, errExpire := w.sweepExpired(ctx)
	forgotten, errForget := w.sweepTombstones(ctx)
	if err := errors.Join(errExpire, errForget); err != nil {
		s.log.Warn("history: cannot remove what has expired", "path", s.path, "error", err, "hint", s.hint(err))
		return sweepMax
	}
	if expired > 0 || forgotten > 0 {
		s.log.Info("history: removed what has expired", "conversations", expired, "tombstones", forgotten)
	}
	if w.tx.erased {
		w.emptyLog()
	}
	if expired == sweepBatch || forgotten == sweepBatch {
		return 0
	}
	return w.nextSweep(ctx)
}

// sweepExpired turns expired conversations into tombstones of the same version: they already looked absent.
func (w *writer) sweepExpired(ctx context.Context) (int, error) {
	if w.store.options.TTL <= 0 {
		return 0, nil
	}
	const expired = `SELECT number, version, turns FROM conversation WHERE deleted = 0 AND updated < ? LIMIT ?`
	return w.removeBatch(ctx, expired, w.store.since(), func(tx *writeTx, r record) error {
		return tx.leaveTombstone(ctx, r, r.version)
	})
}

// sweepTombstones forgets deleted conversations that no turn under way can know any more.
func (w *writer) sweepTombstones(ctx context.Context) (int, error) {
	const old = `SELECT number, version, turns FROM conversation WHERE deleted != 0 AND deleted <= ? LIMIT ?`
	before := time.Now().Add(-w.store.tombstoneAge()).UnixMicro()
	return w.removeBatch(ctx, old, before, func(tx *writeTx, r record) error {
		_, err := tx.conn.ExecContext(ctx, `DELETE FROM conversation WHERE number = ?`, r.number)
		return err
	})
}

// tombstoneAge is how long a tombstone is kept.
func (s *SQLite) tombstoneAge() time.Duration { return s.options.TurnMax + tombstoneAge }

// removeBatch finds records without a transaction, and removes them in one when there are any.
func (w *writer) removeBatch(
	ctx context.Context, query string, before int64, remove func(*writeTx, record) error,
) (int, error) {
	if records, err := w.records(ctx, query, before); err != nil || len(records) == 0 {
		return 0, err
	}
	count := 0
	r := &request{done: make(chan struct{}), change: func(ctx context.Context, tx *writeTx) error {
		// Again, now that no other process can change them.
		records, err := w.records(ctx, query, before)
		if err != nil {
			return err
		}
		count = len(records)
		for _, r := range records {
			if err := remove(tx, r); err != nil {
				return err
			}
		}
		return nil
	}}
	_, err := w.transact([]*request{r})
	return count, err
}

func (w *writer) records(ctx context.Context, query string, before int64) ([]record, error) {
	rows, err := w.conn.QueryContext(ctx, query, before, sweepBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []record
	for rows.Next() {
		var r record
		if err := rows.Scan(&r.number, &r.version, &r.turns); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, rows.Err()
}

// nextSweep says how long nothing can expire. Turns that come meanwhile only expire later.
func (w *writer) nextSweep(ctx context.Context) time.Duration {
	if w.tx.erased {
		return sweepMin
	}
	s := w.store
	next := time.Now().Add(sweepMax)
	earlier := func(condition string, age time.Duration) {
		var oldest sql.NullInt64
		row := w.conn.QueryRowContext(ctx, condition)
		if row.Scan(&oldest) == nil && oldest.Valid {
			if at := time.UnixMicro(oldest.Int64).Add(age); at.Before(next) {
				next = at
			}
		}
	}
	if s.options.TTL > 0 {
		if newest := time.Now().Add(s.options.TTL); newest.Before(next) {
			next = newest
		}
		earlier(`SELECT min(updated) FROM conversation WHERE deleted = 0`, s.options.TTL)
	}
	earlier(`SELECT min(deleted) FROM conversation WHERE deleted != 0`, s.tombstoneAge())
	return max(sweepMin, time.Until(next))
}
