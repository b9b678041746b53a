package history

import (
	"context"
	"errors"
	"testing"
)

// Commits is how many transactions the writer has committed.
func (s *SQLite) Commits() int64 { return s.commits.Load() }

// Linger is the longest that a turn waits for others.
const Linger = lingerMax

// Version is the number of the present format.
var Version = len(migrations)

// MatchExpression is what a search makes of a query.
func MatchExpression(query string) string { return matchExpression(query) }

// OpenLater opens a file as a later chatterbox would, which has these further migrations.
func OpenLater(ctx context.Context, options Options, further ...string) (*SQLite, error) {
	return open(ctx, options, modernc, append(migrations[:len(migrations):len(migrations)], further...))
}

// OpenOn opens a store on another build of SQLite, with these further parameters of the data source name.
func OpenOn(ctx context.Context, options Options, driver, query string, code func(error) int) (*SQLite, error) {
	e := engine{driver: driver, query: query, code: code, create: func(string) error { return nil }}
	return open(ctx, options, e, migrations)
}

// Exec runs SQL where the writer runs its own, between its transactions.
func (s *SQLite) Exec(ctx context.Context, text string) error {
	return s.submit(ctx, func(ctx context.Context, tx *writeTx) error { return tx.script(ctx, text) })
}

// CheckAll has SQLite look through the whole file, and compare the indexes with the tables.
func (s *SQLite) CheckAll(ctx context.Context) error {
	var verdict string
	if err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	return nil
}

// Pause keeps the writer from writing until resume is called.
func (s *SQLite) Pause(ctx context.Context) (resume func()) {
	paused, resumed, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.submit(ctx, func(context.Context, *writeTx) error {
			close(paused)
			<-resumed
			return nil
		})
	}()
	<-paused
	return func() {
		close(resumed)
		<-done
	}
}

// Queued is how many changes wait for the writer.
func (s *SQLite) Queued() int { return s.writer.waiting() }

// Rows counts the rows of the tables.
func (s *SQLite) Rows(t testing.TB) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for _, table := range []string{"turn", "conversation"} {
		var count int
		if err := s.read.QueryRow("SELECT count(*) FROM " + table).Scan(&count); err != nil {
			t.Fatal(err)
		}
		rows[table] = count
	}
	return rows
}

// BeginRead opens a transaction that reads the present state, until end is called.
func (s *SQLite) BeginRead(t testing.TB) (end func()) {
	t.Helper()
	tx, err := s.read.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var count int
	if err := tx.QueryRow("SELECT count(*) FROM turn").Scan(&count); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// Kept is how many bytes of conversations are in memory.
func (s *SQLite) Kept() int {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	return s.recent.bytes
}
