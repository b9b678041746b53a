package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"chatterbox/runtime/conversation"
)

// This file reads a damaged history. The rules are:
//
//   - a row is looked for in every way there is: along the table from both ends, along its indexes, and by its number;
//   - a row that cannot be read costs only itself;
//   - whatever cannot be read is named.

const (
	numberMax = 1 << 40 // numbers above are none that a history has reached
	probesMax = 5 << 20 // numbers that are tried one by one
)

// rescued is what can be read of a damaged file.
type rescued struct {
	byID map[string]*rescuedConversation
	lost []string
}

type rescuedConversation struct {
	conversation.Conversation
	created int64 // its number in the file
	lost    []string
}

// unsound counts what SQLite does not look at: values that are not of their kind, times outside of the years 1 to 9999,
// and turns that are not there any more.
const unsound = `SELECT
	(SELECT count(*) FROM conversation NOT INDEXED WHERE
		typeof(updated) <> 'integer' OR updated NOT BETWEEN 0 AND 253402300799999999 OR
		typeof(id) <> 'text' OR deleted = 0 AND NOT json_valid(state)) +
	(SELECT count(*) FROM turn NOT INDEXED WHERE
		typeof(at) <> 'integer' OR at NOT BETWEEN -62135596800000000 AND 253402300799999999 OR
		length(trace) > 0 AND NOT json_valid(CAST(trace AS TEXT))) +
	(SELECT count(*) FROM conversation AS c WHERE deleted = 0 AND
		turns <> (SELECT count(*) FROM turn WHERE conversation = c.number))`

// rescueDamaged is nil where the file is whole. It looks harder than a start does.
func (s *SQLite) rescueDamaged(ctx context.Context) (*rescued, error) {
	whole := false
	if !s.damagedOnly {
		var verdict string
		var found int
		err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict)
		if err == nil && verdict == "ok" {
			err = s.read.QueryRowContext(ctx, unsound).Scan(&found)
			whole = err == nil && found == 0
		}
		if err != nil && !s.damaged(err) {
			return nil, s.failure("check", err)
		}
	}
	if whole {
		return nil, nil
	}
	found, err := s.rescue(ctx)
	return found, s.failure("load", err)
}

// Readable says whether anything of a damaged file can be read.
func (s *SQLite) Readable(ctx context.Context) (bool, error) {
	found, err := s.rescueDamaged(ctx)
	return err == nil && (found == nil || len(found.byID) > 0), err
}

// rescue reads the whole file as well as it can be.
func (s *SQLite) rescue(ctx context.Context) (*rescued, error) {
	r := &rescued{byID: map[string]*rescuedConversation{}}
	byNumber, gone, err := s.rescueConversations(ctx, r)
	if err != nil {
		return nil, err
	}
	turns, err := s.numbers(ctx, "turn", "seq", "turn_order", "turn_id")
	if err != nil {
		return nil, err
	}
	counts := map[int64]int{}
	for _, seq := range turns {
		var number int64
		t, err := s.rescueTurn(ctx, seq, &number)
		if errors.Is(err, sql.ErrNoRows) {
			continue // an index, or a number that was tried
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if gone[number] {
			continue
		}
		c := byNumber[number]
		if err != nil {
			what := fmt.Sprintf("turn %d: %v", seq, err)
			if c != nil {
				c.lost = append(c.lost, c.ID+", "+what)
			} else {
				r.lost = append(r.lost, what)
			}
			continue
		}
		if c == nil {
			c = &rescuedConversation{created: number}
			c.ID = fmt.Sprintf("lost-%d", number)
			c.lost = append(c.lost, c.ID+": its name and state cannot be read")
			byNumber[number] = c
		}
		if brokenTrace(t) {
			t.Trace = nil
			c.lost = append(c.lost, fmt.Sprintf("%s, turn %d: its trace cannot be read", c.ID, seq))
		}
		if year := t.At.Year(); year < 1 || year > 9999 {
			t.At = time.Time{}
			c.lost = append(c.lost, fmt.Sprintf("%s, turn %d: its time cannot be read", c.ID, seq))
		}
		counts[number]++
		c.Turns, c.Updated = append(c.Turns, t), later(c.Updated, t.At)
	}
	for number, c := range byNumber {
		if missing := c.Skipped - counts[number]; missing > 0 && len(c.lost) == 0 {
			c.lost = append(c.lost, fmt.Sprintf("%s: %d of %d turns are not there any more", c.ID, missing, c.Skipped))
		}
		c.Skipped = 0
		r.byID[c.ID] = c
	}
	return r, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// rescueConversations gives the conversations by their numbers, with the turns that they should have as Skipped, and
// the numbers of those that are deleted or expired.
func (s *SQLite) rescueConversations(
	ctx context.Context, r *rescued,
) (map[int64]*rescuedConversation, map[int64]bool, error) {
	found, gone := map[int64]*rescuedConversation{}, map[int64]bool{}
	numbers, err := s.numbers(ctx, "conversation", "number", "sqlite_autoindex_conversation_1")
	if err != nil {
		return nil, nil, err
	}
	for _, number := range numbers {
		var row record
		var state string
		c := &rescuedConversation{created: number}
		const query = `SELECT id, number, version, turns, updated, deleted, state
			FROM conversation NOT INDEXED WHERE number = ?`
		err := s.read.QueryRowContext(ctx, query, number).
			Scan(&c.ID, &row.number, &row.version, &row.turns, &row.updated, &row.deleted, &state)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.Is(err, sql.ErrNoRows):
			continue
		case err != nil:
			const other = `SELECT id FROM conversation INDEXED BY sqlite_autoindex_conversation_1 WHERE number = ?`
			if s.read.QueryRowContext(ctx, other, number).Scan(&c.ID) != nil {
				r.lost = append(r.lost, fmt.Sprintf("conversation %d: %v", number, err))
				continue // its turns may be there
			}
			c.lost = append(c.lost, fmt.Sprintf("%s: its state cannot be read: %v", c.ID, err))
		case !s.alive(row):
			gone[number] = true
			continue
		default:
			c.Version, c.Skipped = row.version, row.turns
			if at := time.UnixMicro(row.updated).UTC(); at.Year() >= 1 && at.Year() <= 9999 {
				c.Updated = at
			} else {
				c.lost = append(c.lost, c.ID+": the time of its last turn cannot be read")
			}
			if json.Unmarshal([]byte(state), &c.State) != nil {
				c.State = conversation.State{}
				c.lost = append(c.lost, c.ID+": its state cannot be read")
			}
		}
		found[number] = c
	}
	return found, gone, nil
}

// rescueTurn sets number to its conversation's where that can be read.
func (s *SQLite) rescueTurn(ctx context.Context, seq int64, number *int64) (conversation.Turn, error) {
	err := s.read.QueryRowContext(ctx, `SELECT conversation FROM turn NOT INDEXED WHERE seq = ?`, seq).Scan(number)
	if err != nil {
		return conversation.Turn{}, err
	}
	rows, err := s.read.QueryContext(ctx, `SELECT `+turnColumns+` FROM turn NOT INDEXED WHERE seq = ?`, seq)
	if err != nil {
		return conversation.Turn{}, err
	}
	turns, err := scanTurns(rows, nil)
	if err == nil && len(turns) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return conversation.Turn{}, err
	}
	return turns[0], nil
}

// numbers gives the numbers that rows of a table may have, in order.
func (s *SQLite) numbers(ctx context.Context, table, key string, indexes ...string) ([]int64, error) {
	seen := map[int64]bool{}
	whole := true
	ways := []string{"NOT INDEXED ORDER BY " + key, "NOT INDEXED ORDER BY " + key + " DESC"}
	for _, index := range indexes {
		ways = append(ways, "INDEXED BY "+index)
	}
	for _, way := range ways {
		err := s.collect(ctx, seen, "SELECT "+key+" FROM "+table+" "+way)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		whole = whole && err == nil
	}
	found := slices.Sorted(maps.Keys(seen))
	if whole || len(found) == 0 {
		return found, nil
	}
	for n, tries := found[0], 0; n <= found[len(found)-1] && tries < probesMax; n++ {
		seen[n] = true
		tries++
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func (s *SQLite) collect(ctx context.Context, seen map[int64]bool, query string) error {
	rows, err := s.read.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for came := 0; rows.Next(); came++ {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return err
		}
		if n > 0 && n < numberMax {
			seen[n] = true
		}
		if came > len(seen)+probesMax {
			return ErrDamaged // it goes round and round
		}
	}
	return rows.Err()
}

// show gives a conversation, with a *Damage where some of it cannot be read.
func (r *rescued) show(id string) (conversation.Conversation, error) {
	c, ok := r.byID[id]
	switch {
	case !ok && len(r.lost) > 0:
		return conversation.Conversation{ID: id}, &Damage{Lost: r.lost}
	case !ok:
		return conversation.Conversation{ID: id}, ErrNotFound
	case len(c.lost) > 0:
		return c.Conversation, &Damage{Lost: c.lost}
	}
	return c.Conversation, nil
}

// ids gives the conversations, the oldest first.
func (r *rescued) ids() []string {
	return slices.SortedFunc(maps.Keys(r.byID), func(a, b string) int {
		one, other := r.byID[a], r.byID[b]
		if c := one.Updated.Compare(other.Updated); c != 0 {
			return c
		}
		return int(one.created - other.created)
	})
}

// export writes what can be read, and returns a *Damage that names the rest.
func (r *rescued) export(w io.Writer, ids []string) error {
	all := len(ids) == 0
	lost := slices.Clone(r.lost)
	if all {
		ids = r.ids()
	}
	err := exportLines(w, ids, all, func(id string) (conversation.Conversation, error) {
		c, ok := r.byID[id]
		if !ok {
			return conversation.Conversation{}, ErrNotFound
		}
		lost = append(lost, c.lost...)
		return c.Conversation, nil
	})
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		lost = []string{"all that was asked for could be read"}
	}
	return &Damage{Lost: lost}
}
