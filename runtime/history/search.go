package history

import (
	"context"
	"database/sql"
	"strings"
	"time"
	"unicode"
)

// The search index is made from the turns when somebody searches, not when a turn is stored: a turn pays neither bytes
// nor time for it. store.searched is the last turn in it, 0 while there is no index. What is deleted leaves it in the
// same commit.

const (
	// indexBatch is how many turns are indexed in one commit, so that turns do not wait long behind it.
	indexBatch = "200"
	// unindexMax is how many turns are taken out of the index in one commit. Each costs a millisecond and more; to
	// empty the index and make it again at the next search keeps turns waiting less.
	unindexMax = 64
	// wordsMax and searchMax bound a search.
	wordsMax  = 32
	searchMax = 1000
)

// createIndex keeps no second copy of the text. secure-delete removes the words of deleted turns at once.
const createIndex = `CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5(
	user, assistant, content='turn', content_rowid='seq', tokenize='unicode61 remove_diacritics 2');
INSERT INTO search (search, rank) VALUES ('secure-delete', 1)`

// Match is a turn that a search found.
type Match struct {
	Conversation string    `json:"conversation"`
	Turn         string    `json:"turn"`
	At           time.Time `json:"at"`
	User         string    `json:"user"`
	Assistant    string    `json:"assistant"`
	Excerpt      string    `json:"excerpt"` // of the text where the words are
}

// Search returns the turns that contain all words of the query, the best first, at most limit of them and at most
// 1,000; a limit of 0 is that. Capitals and accents do not count; words in double quotes must follow one another; a
// word that ends in * is the beginning of one. Nothing in a query is an error. The first search of many turns takes a
// while.
func (s *SQLite) Search(ctx context.Context, query string, limit int) ([]Match, error) {
	expression := matchExpression(query)
	if expression == "" {
		return []Match{}, nil
	}
	if limit <= 0 || limit > searchMax {
		limit = searchMax
	}
	for {
		if any, err := s.updateIndex(ctx); err != nil || !any {
			return []Match{}, s.failure("search", err)
		}
		if matches, err := s.matches(ctx, expression, limit); err != nil || matches != nil {
			return matches, s.failure("search", err)
		}
	}
}

// matches is nil when the index was dropped since it was made.
func (s *SQLite) matches(ctx context.Context, expression string, limit int) ([]Match, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // nothing to keep
	var searched int64
	if err := tx.QueryRowContext(ctx, `SELECT searched FROM store`).Scan(&searched); err != nil || searched == 0 {
		return nil, err
	}
	const text = `SELECT c.id, t.id, t.at, t.user, t.assistant, snippet(search, -1, '', '', '…', 24)
		FROM search JOIN turn t ON t.seq = search.rowid JOIN conversation c ON c.number = t.conversation
		WHERE search MATCH ? AND c.deleted = 0 AND c.updated >= ? ORDER BY search.rank, t.seq DESC LIMIT ?`
	rows, err := tx.QueryContext(ctx, text, expression, s.since(), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	matches := []Match{}
	for rows.Next() {
		var m Match
		var at int64
		if err := rows.Scan(&m.Conversation, &m.Turn, &at, &m.User, &m.Assistant, &m.Excerpt); err != nil {
			return nil, err
		}
		m.At = time.UnixMicro(at).UTC()
		matches = append(matches, m)
	}
	return matches, rows.Err()
}

// matchExpression makes of what a person typed an expression in which nothing but words has a meaning.
func matchExpression(query string) string {
	var terms []string
	inQuotes := false
	for part := range strings.SplitSeq(query, `"`) {
		groups := []string{part}
		if !inQuotes {
			groups = strings.Fields(part)
		}
		for _, group := range groups {
			words := strings.FieldsFunc(group, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
			})
			if len(words) == 0 || len(terms) == wordsMax {
				continue
			}
			term := `"` + strings.Join(words, " ") + `"`
			if !inQuotes && strings.HasSuffix(group, "*") {
				term += "*"
			}
			terms = append(terms, term)
		}
		inQuotes = !inQuotes
	}
	return strings.Join(terms, " ")
}

// updateIndex brings the turns into the index that are not in it yet. It reports false when there are no turns at all,
// and then maybe no index.
func (s *SQLite) updateIndex(ctx context.Context) (bool, error) {
	for {
		var searched, newest int64
		const query = `SELECT searched, (SELECT coalesce(max(seq), 0) FROM turn) FROM store`
		if err := s.read.QueryRowContext(ctx, query).Scan(&searched, &newest); err != nil {
			return false, err
		}
		if newest <= searched {
			return newest > 0, nil
		}
		if err := s.submit(ctx, func(ctx context.Context, tx *writeTx) error { return tx.indexBatch(ctx) }); err != nil {
			return false, err
		}
	}
}

func (tx *writeTx) indexBatch(ctx context.Context) error {
	return tx.script(ctx, createIndex, `INSERT INTO search (rowid, user, assistant)
			SELECT seq, user, assistant FROM turn WHERE seq > (SELECT searched FROM store) ORDER BY seq LIMIT `+indexBatch,
		// Another search in the same commit may have left nothing to do.
		`UPDATE store SET searched = (SELECT coalesce(max(seq), searched) FROM
			(SELECT seq FROM turn WHERE seq > (SELECT searched FROM store) ORDER BY seq LIMIT `+indexBatch+`))`)
}

// removeFromIndex takes a conversation's turns out of the index. It comes before they are deleted, because the index
// takes their words from there.
func (tx *writeTx) removeFromIndex(ctx context.Context, number int64) error {
	var searched int64
	if err := tx.conn.QueryRowContext(ctx, `SELECT searched FROM store`).Scan(&searched); err != nil || searched == 0 {
		return err
	}
	var count int
	const indexed = `SELECT count(*) FROM turn WHERE conversation = ? AND seq <= ?`
	if err := tx.conn.QueryRowContext(ctx, indexed, number, searched).Scan(&count); err != nil {
		return err
	}
	if tx.unindexed += count; tx.unindexed > unindexMax {
		return tx.emptyIndex(ctx)
	}
	_, err := tx.conn.ExecContext(ctx, `INSERT INTO search (search, rowid, user, assistant)
		SELECT 'delete', seq, user, assistant FROM turn WHERE conversation = ? AND seq <= ?`, number, searched)
	return err
}

// emptyIndex takes everything out of the index; the next search makes it again.
func (tx *writeTx) emptyIndex(ctx context.Context) error {
	var searched int64
	if err := tx.conn.QueryRowContext(ctx, `SELECT searched FROM store`).Scan(&searched); err != nil || searched == 0 {
		return err
	}
	return tx.script(ctx, `INSERT INTO search (search) VALUES ('delete-all')`, `UPDATE store SET searched = 0`)
}

func (tx *writeTx) script(ctx context.Context, statements ...string) error {
	for _, text := range statements {
		if _, err := tx.conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
