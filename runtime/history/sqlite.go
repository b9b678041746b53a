// Package history keeps conversations in one SQLite file.
//
// A turn that [SQLite.Append] acknowledged survives the end of the process and the loss of power. Turns that arrive
// while the disk is busy with others share one commit.
package history

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"chatterbox/runtime/conversation"
)

const (
	// turnBytesMax bounds one turn with its state, as stored.
	turnBytesMax = 16 << 20
	// tombstoneAge is how much longer than a turn a tombstone is kept.
	tombstoneAge = time.Hour
	turnMax      = 10 * time.Minute
	readers      = 4
)

// Options say where and for how long conversations are kept.
type Options struct {
	// Path is the database file; it and its folder are made when absent, readable by the own user only.
	Path string
	// TTL is how long after its last turn a conversation is kept; 0 is for ever.
	TTL time.Duration
	// TurnMax is the longest that a turn may last, 0 is ten minutes. What a deleted conversation leaves behind, so that
	// a turn under way cannot bring it back, is kept an hour longer than that.
	TurnMax time.Duration
	// Check looks through the file first where its last end was not clean. Damage is an *[Error] that wraps
	// [ErrDamaged].
	Check bool
	// Log gets what happens beside the calls: expiry, a disk that fails and works again. Nil is no log.
	Log *slog.Logger
}

// SQLite is a [conversation.Store] in one file, which several processes may use at once. All methods may be called by
// several goroutines at once. Failures of the storage are an *[Error]; the store goes on to work when their cause is
// gone.
type SQLite struct {
	options Options
	engine  engine
	path    string // absolute
	log     *slog.Logger

	write   *sql.DB // one connection, the writer's
	read    *sql.DB
	queries queries

	damagedOnly bool // see OpenDamaged: there is no writer, and there are no queries

	writer   *writer
	queue    chan *request
	stopping chan struct{} // closed by Close
	stopped  chan struct{} // closed by the writer when it is gone
	close    sync.Once
	closed   error // of close
	failing  atomic.Bool
	commits  atomic.Int64

	stats  statsCache
	recent *recent
}

var _ conversation.Store = (*SQLite)(nil)

// Open opens the file, makes it when it is absent, and brings an older one to the present format, after a copy of it
// was made beside it. A file that a newer chatterbox made is an *[Error]. The caller closes the store.
func Open(ctx context.Context, options Options) (*SQLite, error) {
	return open(ctx, options, modernc, migrations)
}

func open(ctx context.Context, options Options, engine engine, steps []string) (*SQLite, error) {
	s, err := prepare(options, engine)
	if err != nil {
		return nil, err
	}
	check := options.Check && uncleanEnd(s.path)
	if err := engine.create(s.path); err != nil {
		return nil, s.failure("open", err)
	}
	if err := s.start(ctx, steps, check); err != nil {
		return nil, errors.Join(s.failure("open", err), s.closeFiles())
	}
	return s, nil
}

func prepare(options Options, engine engine) (*SQLite, error) {
	s := &SQLite{
		options:  options,
		engine:   engine,
		log:      options.Log,
		queue:    make(chan *request, queueMax),
		stopping: make(chan struct{}),
		stopped:  make(chan struct{}),
		recent:   newRecent(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.options.TurnMax <= 0 {
		s.options.TurnMax = turnMax
	}
	var err error
	s.path, err = filepath.Abs(options.Path)
	return s, s.failure("open", err)
}

// OpenDamaged opens a file that Open refuses, to read what can be read of it: only Export, Show, Repair and Close are
// for such a store. The caller closes it.
func OpenDamaged(options Options) (*SQLite, error) {
	s, err := prepare(options, modernc)
	if err != nil {
		return nil, err
	}
	s.damagedOnly = true
	close(s.stopped)
	s.read, err = sql.Open(s.engine.driver, s.engine.dsn(s.path, readerPragmas))
	return s, s.failure("open", err)
}

// start opens the connections, looks for damage, migrates, and starts the writer.
func (s *SQLite) start(ctx context.Context, steps []string, check bool) error {
	var err error
	if s.write, err = sql.Open(s.engine.driver, s.engine.dsn(s.path, "")); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open(s.engine.driver, s.engine.dsn(s.path, readerPragmas)); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)

	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	if check {
		if err := s.checkAtStart(ctx, conn); err != nil {
			return errors.Join(err, conn.Close())
		}
	}
	if err := s.migrate(ctx, conn, steps); err != nil {
		return errors.Join(err, conn.Close())
	}
	if s.queries, err = prepareQueries(ctx, s.read); err != nil {
		return errors.Join(err, conn.Close())
	}
	if s.writer, err = newWriter(ctx, s, conn); err != nil {
		return err
	}
	go s.writer.run()
	return nil
}

// Close waits for what is being written and closes the file. Changes that come later fail with [ErrClosed], and reads
// fail too. Closing again does nothing and returns the same.
func (s *SQLite) Close() error {
	s.close.Do(func() {
		close(s.stopping)
		<-s.stopped
		if err := s.closeFiles(); err != nil {
			s.closed = s.failure("close", err)
		}
	})
	return s.closed
}

// closeFiles closes the readers first, so that the writer's connection is the last one and empties the log file.
func (s *SQLite) closeFiles() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// createPrivate makes the file and its folder for the own user only. What exists keeps its permissions.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}
