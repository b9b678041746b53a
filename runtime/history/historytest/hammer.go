package historytest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"chatterbox/runtime/conversation"
)

const (
	hammerWriters = 8
	hammerTurns   = 25
)

// testHammerOneConversation lets many writers load and append: those that were told yes are in, in the order of
// their versions, and nobody else.
func testHammerOneConversation(t *testing.T, s conversation.Store) {
	var mu sync.Mutex
	won := map[int64]string{} // by the version that the append named
	first := load(t, s, "a", 0).Version
	inParallel(hammerWriters, func(writer int) {
		for i := range hammerTurns {
			c, err := s.Load(t.Context(), "a", 1)
			if err != nil {
				t.Error(err)
				return
			}
			turn := turnOf(fmt.Sprint("w", writer), i)
			switch err := s.Append(t.Context(), "a", c.Version, turn, conversation.State{LastMatch: turn.ID}); {
			case err == nil:
				mu.Lock()
				if other := won[c.Version]; other != "" {
					t.Errorf("both %s and %s were appended to version %d", other, turn.ID, c.Version)
				}
				won[c.Version] = turn.ID
				mu.Unlock()
			case !errors.Is(err, conversation.ErrConflict):
				t.Error(err)
			}
		}
	})
	c := load(t, s, "a", hammerWriters*hammerTurns)
	if len(won) == 0 || len(c.Turns) != len(won) || c.Version != first+int64(len(won)) {
		t.Fatalf("%d turns at version %d after %d successful appends from version %d",
			len(c.Turns), c.Version, len(won), first)
	}
	for i, turn := range c.Turns {
		if want := won[first+int64(i)]; turn.ID != want {
			t.Errorf("turn %d is %s, want %s", i, turn.ID, want)
		}
	}
	if last := c.Turns[len(c.Turns)-1].ID; c.State.LastMatch != last {
		t.Errorf("the state is of %s, the last turn is %s", c.State.LastMatch, last)
	}
}

// testHammerManyConversations writes to each conversation from one goroutine, while others load and delete elsewhere.
func testHammerManyConversations(t *testing.T, s conversation.Store) {
	inParallel(hammerWriters, func(writer int) {
		id := fmt.Sprint("c", writer)
		for i := range hammerTurns {
			c, err := s.Load(t.Context(), id, 3)
			if err == nil {
				err = s.Append(t.Context(), id, c.Version, turnOf(id, i), conversation.State{LastMatch: fmt.Sprint(i)})
			}
			if err == nil && i%5 == 0 {
				err = s.Delete(t.Context(), "elsewhere")
			}
			if err != nil {
				t.Errorf("%s, turn %d: %v", id, i, err)
				return
			}
			// What was just stored is what a load of any size sees.
			c, err = s.Load(t.Context(), id, 2)
			if err != nil || len(c.Turns)+c.Skipped != i+1 || c.Turns[len(c.Turns)-1].ID != turnOf(id, i).ID ||
				c.State.LastMatch != fmt.Sprint(i) {
				t.Errorf("%s after turn %d: %+v, %v", id, i, c, err)
			}
		}
	})
	for writer := range hammerWriters {
		id := fmt.Sprint("c", writer)
		var want []conversation.Turn
		for i := range hammerTurns {
			want = append(want, turnOf(id, i))
		}
		sameTurns(t, load(t, s, id, hammerTurns).Turns, want)
	}
}

// inParallel runs n goroutines and waits for them.
func inParallel(n int, run func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { run(i) })
	}
	group.Wait()
}
