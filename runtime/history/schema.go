package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// applicationID marks the file as ours.
const applicationID = 0x63686174 // "chat"

// migrations bring a file from version i to i+1. A step that was released is never changed. Each runs in one
// transaction with the new version number.
var migrations = []string{`
CREATE TABLE store (
	floor    INTEGER NOT NULL, -- version of every conversation that has no row
	searched INTEGER NOT NULL  -- turns up to this seq are in the search index
);
INSERT INTO store VALUES (0, 0);

CREATE TABLE conversation (
	number  INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	version INTEGER NOT NULL,
	turns   INTEGER NOT NULL, -- how many
	updated INTEGER NOT NULL, -- microseconds since 1970
	deleted INTEGER NOT NULL, -- microseconds since 1970, 0 when it lives; else the row only keeps the version
	state   TEXT NOT NULL
);

CREATE TABLE turn (
	seq          INTEGER PRIMARY KEY, -- in the order of storing
	conversation INTEGER NOT NULL,
	id           TEXT NOT NULL,
	at           INTEGER NOT NULL, -- microseconds since 1970
	user         TEXT NOT NULL,
	assistant    TEXT NOT NULL,
	language     TEXT NOT NULL,
	mode         TEXT NOT NULL,
	trace        BLOB
);
CREATE INDEX turn_order ON turn (conversation);
CREATE UNIQUE INDEX turn_id ON turn (conversation, id);
`}

// writerPragmas in the order they need: the size of pages counts only before the file's first write.
//
// Small pages, because a turn changes four of them and a commit writes whole ones. The log is carried over into the
// file every 1,000 pages and keeps its length, so that most commits change no metadata of the file system.
var writerPragmas = []string{
	"page_size = 1024",
	"journal_mode = WAL",
	"synchronous = FULL",
	"wal_autocheckpoint = 1000",
	"journal_size_limit = 4194304",
	"cache_size = -1024",
	"temp_store = MEMORY",
	"secure_delete = ON", // what was deleted is not left in the file
	"trusted_schema = OFF",
}

// migrate prepares the writer's connection and brings the file to the version that steps lead to.
func (s *SQLite) migrate(ctx context.Context, conn *sql.Conn, steps []string) error {
	version, err := s.fileVersion(ctx, conn, len(steps))
	if err != nil {
		return err
	}
	for _, pragma := range writerPragmas {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return err
		}
	}
	if version == len(steps) {
		return nil
	}
	if version > 0 {
		copyPath := fmt.Sprintf("%s.v%d", s.path, version)
		if err := s.copyTo(ctx, copyPath, os.Rename); err != nil {
			return fmt.Errorf("copy before changing the format: %w", err)
		}
		s.log.Info("history: changing the format", "from", version, "to", len(steps), "copy", copyPath)
	}
	// Another process may be at the same: whoever gets the lock second finds nothing left to do.
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := s.applySteps(ctx, conn, steps); err != nil {
		_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		return errors.Join(err, rollback)
	}
	return nil
}

// applySteps runs what is missing and commits.
func (s *SQLite) applySteps(ctx context.Context, conn *sql.Conn, steps []string) error {
	version, err := s.fileVersion(ctx, conn, len(steps))
	if err != nil {
		return err
	}
	for i := version; i < len(steps); i++ {
		if _, err := conn.ExecContext(ctx, steps[i]); err != nil {
			return fmt.Errorf("to version %d: %w", i+1, err)
		}
	}
	end := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", applicationID, len(steps))
	_, err = conn.ExecContext(ctx, end)
	return err
}

// fileVersion is 0 for an empty file.
func (s *SQLite) fileVersion(ctx context.Context, conn *sql.Conn, newest int) (int, error) {
	var version, application, tables int
	const query = `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`
	if err := conn.QueryRowContext(ctx, query).Scan(&version, &application, &tables); err != nil {
		return 0, err
	}
	switch {
	case application != applicationID && (version != 0 || tables != 0):
		return 0, ErrForeign
	case version > newest:
		return 0, fmt.Errorf("%w: its format is %d, this program knows up to %d", ErrNewer, version, newest)
	}
	return version, nil
}
