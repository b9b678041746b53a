package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/internal/texts"
)

// ListOptions say which conversations [SQLite.List] gives.
type ListOptions struct {
	Limit  int       // 0 is all
	Before time.Time // only those with their last turn before this; zero is all
}

// Summary is a conversation in a list.
type Summary struct {
	ID      string    `json:"id"`
	Turns   int       `json:"turns"`
	Updated time.Time `json:"updated"`
	First   string    `json:"first"` // what the person said first
}

// List returns the conversations, the newest first.
func (s *SQLite) List(ctx context.Context, options ListOptions) ([]Summary, error) {
	const query = `SELECT id, turns, updated,
			coalesce((SELECT user FROM turn WHERE conversation = number ORDER BY seq LIMIT 1), '')
		FROM conversation WHERE deleted = 0 AND updated >= ? AND (? = 0 OR updated < ?)
		ORDER BY updated DESC, number DESC LIMIT ?`
	before, limit := int64(0), -1
	if !options.Before.IsZero() {
		before = options.Before.UnixMicro()
	}
	if options.Limit > 0 {
		limit = options.Limit
	}
	rows, err := s.read.QueryContext(ctx, query, s.since(), before, before, limit)
	if err != nil {
		return nil, s.failure("list", err)
	}
	defer rows.Close()
	summaries := []Summary{}
	for rows.Next() {
		var summary Summary
		var updated int64
		if err := rows.Scan(&summary.ID, &summary.Turns, &updated, &summary.First); err != nil {
			return nil, s.failure("list", err)
		}
		summary.Updated = time.UnixMicro(updated).UTC()
		summaries = append(summaries, summary)
	}
	return summaries, s.failure("list", rows.Err())
}

// Exported is one line of [SQLite.Export].
type Exported struct {
	ID      string              `json:"id"`
	Updated time.Time           `json:"updated"`
	State   conversation.State  `json:"state"`
	Turns   []conversation.Turn `json:"turns"`
}

// Export writes conversations as JSON Lines: one [Exported] a line, each as it was at one moment, the oldest first. No
// ids is all of them; an id that is absent is an error that wraps [ErrNotFound]. Of a damaged file it writes what can
// be read, and returns a *[Damage] that names the rest.
func (s *SQLite) Export(ctx context.Context, w io.Writer, ids ...string) error {
	if found, err := s.rescueDamaged(ctx); err != nil {
		return err
	} else if found != nil {
		return found.export(w, ids)
	}
	all := len(ids) == 0
	if all {
		summaries, err := s.List(ctx, ListOptions{})
		if err != nil {
			return err
		}
		for i := len(summaries) - 1; i >= 0; i-- {
			ids = append(ids, summaries[i].ID)
		}
	}
	return exportLines(w, ids, all, func(id string) (conversation.Conversation, error) { return s.Show(ctx, id) })
}

// exportLines writes what show gives. Where all are written, one that has gone since it was listed is left out.
func exportLines(
	w io.Writer, ids []string, all bool, show func(id string) (conversation.Conversation, error),
) error {
	buffered := bufio.NewWriter(w)
	encoder := texts.Encoder(buffered)
	for _, id := range ids {
		c, err := show(id)
		if all && errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return errors.Join(fmt.Errorf("export %q: %w", id, err), buffered.Flush())
		}
		if err := encoder.Encode(Exported{ID: c.ID, Updated: c.Updated, State: c.State, Turns: c.Turns}); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
