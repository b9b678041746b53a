package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"chatterbox/runtime/conversation"
)

// queries are the readers' prepared statements.
type queries struct {
	find, floor, turns *sql.Stmt
}

const turnColumns = `id, at, user, assistant, language, mode, trace`

func prepareQueries(ctx context.Context, db *sql.DB) (queries, error) {
	var q queries
	for text, statement := range map[string]**sql.Stmt{
		`SELECT number, version, turns, updated, deleted, state FROM conversation WHERE id = ?`: &q.find,
		`SELECT floor FROM store`: &q.floor,
		`SELECT ` + turnColumns + ` FROM turn WHERE conversation = ? ORDER BY seq DESC LIMIT ?`: &q.turns,
	} {
		var err error
		if *statement, err = db.PrepareContext(ctx, text); err != nil {
			return q, err
		}
	}
	return q, nil
}

// Load implements [conversation.Store].
func (s *SQLite) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	c, _, err := s.load(ctx, id, turnsMax)
	return c, s.failure("load", err)
}

// Show returns the conversation with all its turns, and [ErrNotFound] when it is absent. Of a damaged file it returns
// what can be read, and a *[Damage] that names the rest.
func (s *SQLite) Show(ctx context.Context, id string) (conversation.Conversation, error) {
	c, alive, err := conversation.Conversation{ID: id}, false, error(nil)
	if !s.damagedOnly {
		c, alive, err = s.readTurns(ctx, id, math.MaxInt)
	}
	if err == nil && alive && c.Skipped == 0 && !slices.ContainsFunc(c.Turns, brokenTrace) {
		return c, nil
	}
	if found, damage := s.rescueDamaged(ctx); damage == nil && found != nil {
		return found.show(id)
	}
	if err == nil && !alive {
		err = ErrNotFound
	}
	return c, s.failure("load", err)
}

func brokenTrace(t conversation.Turn) bool { return len(t.Trace) > 0 && !json.Valid(t.Trace) }

func (s *SQLite) load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, bool, error) {
	r, state, err := findRecord(ctx, s.queries.find, id)
	if err != nil {
		return conversation.Conversation{ID: id}, false, err
	}
	if s.alive(r) {
		if turns, ok := s.recent.get(id, r.version, r.turns, turnsMax); ok {
			return loaded(id, r, state, turns)
		}
	}
	return s.readTurns(ctx, id, turnsMax)
}

// readTurns reads a conversation from the file, in one transaction so that turns and version belong together.
func (s *SQLite) readTurns(ctx context.Context, id string, turnsMax int) (conversation.Conversation, bool, error) {
	c := conversation.Conversation{ID: id}
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return c, false, err
	}
	defer tx.Rollback() // nothing to keep

	r, state, err := findRecord(ctx, tx.StmtContext(ctx, s.queries.find), id)
	switch {
	case err != nil:
		return c, false, err
	case r.number == 0:
		return c, false, tx.StmtContext(ctx, s.queries.floor).QueryRowContext(ctx).Scan(&c.Version)
	case !s.alive(r):
		c.Version = r.version
		return c, false, nil
	}
	var turns []conversation.Turn
	if turnsMax > 0 {
		rows, err := tx.StmtContext(ctx, s.queries.turns).QueryContext(ctx, r.number, turnsMax)
		if err != nil {
			return c, false, err
		}
		turns, err = scanTurns(rows, make([]conversation.Turn, 0, min(turnsMax, r.turns)))
		if err != nil {
			return c, false, err
		}
		slices.Reverse(turns)
	}
	s.recent.put(id, r.version, turns)
	return loaded(id, r, state, turns)
}

// findRecord reads a conversation's row by find; number is 0 when it has none. A context that can end would cost the
// driver a goroutine and more time than the look at the row takes, so it is only asked before.
func findRecord(ctx context.Context, find *sql.Stmt, id string) (r record, state string, err error) {
	if err := ctx.Err(); err != nil {
		return r, "", err
	}
	row := find.QueryRowContext(context.WithoutCancel(ctx), id)
	err = row.Scan(&r.number, &r.version, &r.turns, &r.updated, &r.deleted, &state)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return r, state, err
}

func loaded(id string, r record, state string, turns []conversation.Turn) (conversation.Conversation, bool, error) {
	c := conversation.Conversation{
		ID: id, Version: r.version, Updated: time.UnixMicro(r.updated).UTC(), Turns: turns, Skipped: r.turns - len(turns),
	}
	if err := json.Unmarshal([]byte(state), &c.State); err != nil {
		return c, false, fmt.Errorf("decode the state of %q: %w", id, err)
	}
	return c, true, nil
}

// scanTurns appends the turns in rows and closes them.
func scanTurns(rows *sql.Rows, turns []conversation.Turn) ([]conversation.Turn, error) {
	defer rows.Close()
	for rows.Next() {
		turn, err := scanTurn(rows)
		if err != nil {
			return nil, err
		}
		turns = append(turns, turn)
	}
	return turns, rows.Err()
}

func scanTurn(rows *sql.Rows) (conversation.Turn, error) {
	var t conversation.Turn
	var at int64
	var trace []byte
	if err := rows.Scan(&t.ID, &at, &t.User, &t.Assistant, &t.Language, &t.Mode, &trace); err != nil {
		return t, err
	}
	t.At = time.UnixMicro(at).UTC()
	if len(trace) > 0 {
		t.Trace = trace
	}
	return t, nil
}

// Stats say how much is stored.
type Stats struct {
	Conversations int   `json:"conversations"`
	Turns         int   `json:"turns"`
	Bytes         int64 `json:"bytes"`   // on the disk
	Commits       int64 `json:"commits"` // since the start; each is one sync, and many turns at once may share one
	// Failing is true from a change that could not be stored until one that could.
	Failing bool `json:"failing"`
}

// statsAge is how long a count is good enough.
const statsAge = 10 * time.Second

type statsCache struct {
	mu      sync.Mutex
	counted time.Time // guarded by mu, as the next
	last    Stats
}

// Stats counts at most every ten seconds, so that a health check may ask as often as it likes; Commits and Failing are
// always new.
func (s *SQLite) Stats(ctx context.Context) (Stats, error) {
	s.stats.mu.Lock()
	defer s.stats.mu.Unlock()
	if s.stats.counted.IsZero() || time.Since(s.stats.counted) > statsAge {
		var now Stats
		const query = `SELECT count(*), coalesce(sum(turns), 0) FROM conversation
			WHERE deleted = 0 AND updated >= ?`
		if err := s.read.QueryRowContext(ctx, query, s.since()).Scan(&now.Conversations, &now.Turns); err != nil {
			return Stats{}, s.failure("stats", err)
		}
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(s.path + suffix); err == nil {
				now.Bytes += info.Size()
			}
		}
		s.stats.counted, s.stats.last = time.Now(), now
	}
	now := s.stats.last
	now.Failing, now.Commits = s.failing.Load(), s.commits.Load()
	return now, nil
}
