package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
)

// clockMoves is the file in the data folder that says how a server's clock was moved on: a line for each move, with the
// moment when it was made and how far it went. So what was stored before a move stays as old as it was, also over a restart.
const clockMoves = "clock-moves"

// movedClock is the clock by which conversations tell the time. Everything else in the product keeps the machine's.
type movedClock struct{ file string }

// at is what the clock shows at a moment of the machine's: later by every move that was made until then.
func (c movedClock) at(moment time.Time) time.Time {
	moves, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return moment
	} else if err != nil {
		panic(err)
	}
	shown := moment
	for line := range strings.Lines(string(moves)) {
		made, far, _ := strings.Cut(strings.TrimSpace(line), " ")
		when, err := time.Parse(time.RFC3339Nano, made)
		by, errBy := time.ParseDuration(far)
		if err := errors.Join(err, errBy); err != nil {
			panic(err)
		}
		if !moment.Before(when) {
			shown = shown.Add(by)
		}
	}
	return shown
}

// move moves the clock on, from now.
func (c movedClock) move(by time.Duration) error {
	file, err := os.OpenFile(c.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s %s\n", time.Now().UTC().Format(time.RFC3339Nano), by)
	return errors.Join(err, file.Close())
}

// keptBy makes the conversations of a product follow the clock, below what else changes their store.
func (c movedClock) keptBy(with decorations) decorations {
	with.Now = func(now func() time.Time) func() time.Time {
		return func() time.Time { return c.at(now()) }
	}
	change := with.Store
	with.Store = func(inner conversation.Store) conversation.Store {
		return decorate[conversation.Store](clockedStore{inner, c}, change)
	}
	return with
}

// clockedStore says by the moved clock when a conversation was last changed; the store itself goes by the machine's.
type clockedStore struct {
	conversation.Store
	clock movedClock
}

func (s clockedStore) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	loaded, err := s.Store.Load(ctx, id, turnsMax)
	loaded.Updated = s.clock.at(loaded.Updated)
	return loaded, err
}

func TestWhatWasBeforeAMoveStaysAsOldAsItWas(t *testing.T) {
	clock := movedClock{filepath.Join(t.TempDir(), clockMoves)}
	before := time.Now().Add(-time.Second)
	for _, by := range []time.Duration{time.Minute, time.Hour} {
		if err := clock.move(by); err != nil {
			t.Fatal(err)
		}
	}
	after := time.Now().Add(time.Second)
	if got := clock.at(before); !got.Equal(before) {
		t.Errorf("a moment before the moves is shown as %v, want %v", got, before)
	}
	if got, want := clock.at(after), after.Add(time.Hour+time.Minute); !got.Equal(want) {
		t.Errorf("a moment after the moves is shown as %v, want %v", got, want)
	}
	if got := clock.at(time.Time{}); !got.IsZero() {
		t.Errorf("no moment is shown as %v", got)
	}
}
