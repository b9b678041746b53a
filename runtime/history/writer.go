package history

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/runtime/conversation"
)

// One goroutine at a time writes. What is queued while a commit waits for the disk becomes the next commit, so that
// many turns share one sync. Where turns come from many sides but so fast that each would still get a commit of its
// own, the writer waits a moment for others; a lone caller never waits, and writes on its own goroutine.
const (
	queueMax = 256
	batchMax = 256
	// The longest wait for others: so long for each that was there last time, and never longer than lingerMax.
	lingerEach = 2 * time.Millisecond
	lingerMax  = 10 * time.Millisecond
)

// The states of a request.
const (
	queued int32 = iota
	taken        // by the writer: its outcome decides
	abandoned
)

// request is a change that waits for the writer.
type request struct {
	// change makes the change in a transaction that others share. It returns conversation.ErrConflict before it has
	// written anything; after any other error all is rolled back and it may be called again.
	change func(ctx context.Context, tx *writeTx) error
	state  atomic.Int32
	err    error
	done   chan struct{}
}

// submit queues a change and returns when it is durable or has failed. When ctx ends first, the change is not made, or,
// where the writer already has it, its own outcome is returned.
func (s *SQLite) submit(ctx context.Context, change func(context.Context, *writeTx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{change: change, done: make(chan struct{})}
	select {
	case <-s.stopping:
		return ErrClosed
	default:
	}
	if s.writer.writeSingle(r) {
		return r.err
	}
	select {
	case s.queue <- r:
	case <-s.stopping:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		if r.state.CompareAndSwap(queued, abandoned) {
			return ctx.Err()
		}
	case <-s.stopped:
		// The writer emptied the queue before it went, unless this request came after that.
		if r.state.CompareAndSwap(queued, abandoned) {
			return ErrClosed
		}
	}
	<-r.done
	return r.err
}

// writer writes, one goroutine at a time.
type writer struct {
	store *SQLite
	next  atomic.Int32  // requests out of the queue that wait for busy
	erase chan struct{} // gets one when something was erased that the log still holds
	busy  sync.Mutex    // held by the goroutine that writes; guards what follows
	conn  *sql.Conn
	tx    *writeTx
	begin, commit,
	rollback *sql.Stmt
	prepared []*sql.Stmt // all of them, tx's too

	batchSize int // how many requests were in the store at once, around the last commit
}

func newWriter(ctx context.Context, s *SQLite, conn *sql.Conn) (*writer, error) {
	w := &writer{store: s, conn: conn, tx: &writeTx{store: s, conn: conn}, batchSize: 1, erase: make(chan struct{}, 1)}
	texts := w.tx.statements()
	texts["BEGIN IMMEDIATE"], texts["COMMIT"], texts["ROLLBACK"] = &w.begin, &w.commit, &w.rollback
	for text, statement := range texts {
		var err error
		if *statement, err = conn.PrepareContext(ctx, text); err != nil {
			return nil, errors.Join(err, w.close())
		}
		w.prepared = append(w.prepared, *statement)
	}
	return w, nil
}

// close closes the statements, which do not close with their connection, and gives that back.
func (w *writer) close() error {
	var errs []error
	for _, statement := range w.prepared {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// writeSingle makes the change on its caller's goroutine and reports true, where nobody else writes, waits, or came
// with the change before.
func (w *writer) writeSingle(r *request) bool {
	if len(w.store.queue) > 0 || !w.busy.TryLock() {
		return false
	}
	defer w.busy.Unlock()
	select {
	case <-w.store.stopping:
		return false
	default:
	}
	if w.batchSize > 1 {
		return false
	}
	w.write([]*request{r})
	return true
}

// run writes until the store stops, then what is still queued.
func (w *writer) run() {
	defer close(w.store.stopped)
	defer func() {
		w.busy.Lock()
		defer w.busy.Unlock()
		if err := w.close(); err != nil {
			w.store.log.Warn("history: closing the writer", "path", w.store.path, "error", err)
		}
	}()
	sweep := time.NewTimer(0)
	defer sweep.Stop()
	for {
		select {
		case first := <-w.store.queue:
			w.writeBatch(first)
		case <-w.erase:
			sweep.Reset(sweepMin)
		case <-sweep.C:
			w.busy.Lock()
			sweep.Reset(w.sweep(context.Background()))
			w.busy.Unlock()
		case <-w.store.stopping:
			for {
				select {
				case first := <-w.store.queue:
					w.writeBatch(first)
				default:
					return
				}
			}
		}
	}
}

// writeBatch makes the change with all that waits.
func (w *writer) writeBatch(first *request) {
	w.next.Add(1)
	w.busy.Lock()
	defer w.busy.Unlock()
	w.next.Add(-1)
	w.write(w.gather(first))
}

// gather takes what is queued, and waits for as many as were here at once around the last commit.
func (w *writer) gather(first *request) []*request {
	batch := []*request{first}
	var waited <-chan time.Time
	for len(batch) < batchMax {
		select {
		case r := <-w.store.queue:
			batch = append(batch, r)
			continue
		default:
		}
		if len(batch) >= w.batchSize {
			break
		}
		if waited == nil {
			timer := time.NewTimer(min(time.Duration(w.batchSize)*lingerEach, lingerMax))
			defer timer.Stop()
			waited = timer.C
		}
		select {
		case r := <-w.store.queue:
			batch = append(batch, r)
		case <-waited:
			return batch
		case <-w.store.stopping:
			return batch
		}
	}
	return batch
}

// write commits the batch and tells everybody the outcome.
func (w *writer) write(batch []*request) {
	live := batch[:0]
	for _, r := range batch {
		if r.state.CompareAndSwap(queued, taken) {
			live = append(live, r)
		}
	}
	if len(live) == 0 {
		return
	}
	began, err := w.transact(live)
	switch {
	case err == nil:
	case !began || len(live) == 1:
		for _, r := range live {
			r.err = err
		}
	default:
		// One that cannot be stored must not fail its neighbours: each gets a commit of its own.
		for _, r := range live {
			_, r.err = w.transact([]*request{r})
			err = errors.Join(err, r.err)
		}
	}
	w.note(err)
	w.batchSize = len(live) + w.waiting()
	if w.tx.erased {
		w.emptyLog() // before anybody is told that it is deleted
	}
	if w.tx.erased {
		select {
		case w.erase <- struct{}{}:
		default:
		}
	}
	for _, r := range live {
		close(r.done)
	}
}

// waiting is how many requests wait to be written.
func (w *writer) waiting() int { return len(w.store.queue) + int(w.next.Load()) }

// transact makes the changes in one transaction. After an error nothing of them is stored. A conflict is the request's
// own and no error.
func (w *writer) transact(batch []*request) (began bool, err error) {
	ctx := context.Background()
	if _, err := w.begin.ExecContext(ctx); err != nil {
		return false, err
	}
	stored := false
	defer func() {
		if !stored { // also after a panic
			w.rollback.ExecContext(ctx) // fails where SQLite rolled back by itself, which is as good
		}
	}()
	w.tx.unindexed = 0
	for _, r := range batch {
		r.err = r.change(ctx, w.tx)
		if r.err != nil && !errors.Is(r.err, conversation.ErrConflict) {
			return true, r.err
		}
	}
	if _, err := w.commit.ExecContext(ctx); err != nil {
		return true, err
	}
	stored = true
	w.store.commits.Add(1)
	return true, nil
}

// note logs when storing begins to fail and when it works again, once each.
func (w *writer) note(err error) {
	s := w.store
	switch failing := err != nil; {
	case failing == s.failing.Load():
	case failing:
		s.failing.Store(true)
		s.log.Error("history: cannot store", "path", s.path, "error", err, "hint", s.hint(err))
	default:
		s.failing.Store(false)
		s.log.Info("history: stores again", "path", s.path)
	}
}

// emptyLog carries the log over into the file and empties it, so that what was deleted is in neither. It gives way to
// readers of an older state; then the next commit or sweep tries again.
func (w *writer) emptyLog() {
	ctx := context.Background()
	w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0")
	defer w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 5000")
	var busy, logged, moved int
	err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &logged, &moved)
	w.tx.erased = err != nil || busy != 0
}
