package historytest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatterbox/runtime/conversation"
)

// model is what a conversation must be after the calls so far.
type model struct {
	version int64
	alive   bool
	turns   []conversation.Turn
	mode    string
}

// testModel makes random sequences of calls and compares the store with the model after each. How many is rapid's
// -rapid.checks and -rapid.steps.
func testModel(t *testing.T, s conversation.Store) {
	ids := []string{"a", "b", "c:1"}
	rapid.Check(t, func(rt *rapid.T) {
		if _, err := s.DeleteAll(t.Context()); err != nil {
			rt.Fatal(err)
		}
		world := map[string]*model{}
		for _, id := range ids {
			world[id] = &model{version: load(t, s, id, 0).Version}
		}
		w := walk{t: t, store: s, ids: ids, world: world}
		rt.Repeat(map[string]func(*rapid.T){
			"append":       w.append,
			"append stale": w.appendStale,
			"append again": w.appendAgain,
			"set state":    w.setState,
			"delete":       w.delete,
			"delete all":   w.deleteAll,
			"":             w.compare,
		})
	})
}

type walk struct {
	t     *testing.T
	store conversation.Store
	ids   []string
	world map[string]*model
}

func (w walk) pick(rt *rapid.T) (string, *model) {
	id := rapid.SampledFrom(w.ids).Draw(rt, "id")
	return id, w.world[id]
}

var modes = rapid.SampledFrom([]string{"", "HOME", "CHAT"})

func (w walk) append(rt *rapid.T) {
	id, m := w.pick(rt)
	turn := turnOf(id, int(m.version))
	turn.User = rapid.String().Filter(storable).Draw(rt, "text")
	mode := modes.Draw(rt, "mode")
	if err := w.store.Append(w.t.Context(), id, m.version, turn, conversation.State{Mode: mode}); err != nil {
		rt.Fatal(err)
	}
	m.version++
	m.alive, m.mode, m.turns = true, mode, append(m.turns, turn)
}

// storable leaves out what a text column of some databases cannot hold.
func storable(text string) bool {
	return !strings.ContainsRune(text, 0)
}

func (w walk) appendStale(rt *rapid.T) {
	id, m := w.pick(rt)
	version := m.version + rapid.SampledFrom([]int64{-2, -1, 1, 2}).Draw(rt, "off by")
	turn := turnOf("stale", int(version))
	err := w.store.Append(w.t.Context(), id, version, turn, conversation.State{})
	if !errors.Is(err, conversation.ErrConflict) {
		rt.Fatalf("append at %d instead of %d: %v", version, m.version, err)
	}
}

func (w walk) appendAgain(rt *rapid.T) {
	id, m := w.pick(rt)
	if len(m.turns) == 0 {
		rt.Skip("nothing to repeat")
	}
	turn := rapid.SampledFrom(m.turns).Draw(rt, "turn")
	version := m.version + rapid.Int64Range(-1, 1).Draw(rt, "off by")
	if err := w.store.Append(w.t.Context(), id, version, turn, conversation.State{Mode: "never"}); err != nil {
		rt.Fatal(err)
	}
}

func (w walk) setState(rt *rapid.T) {
	id, m := w.pick(rt)
	version := m.version + rapid.SampledFrom([]int64{0, 0, 0, -1, 1}).Draw(rt, "off by")
	mode := modes.Draw(rt, "mode")
	err := w.store.SetState(w.t.Context(), id, version, conversation.State{Mode: mode})
	switch fits := version == m.version; {
	case fits && err == nil:
		m.version++
		m.alive, m.mode = true, mode
	case fits, !errors.Is(err, conversation.ErrConflict):
		rt.Fatalf("set state at %d, alive %v at %d: %v", version, m.alive, m.version, err)
	}
}

func (w walk) delete(rt *rapid.T) {
	id, m := w.pick(rt)
	if err := w.store.Delete(w.t.Context(), id); err != nil {
		rt.Fatal(err)
	}
	*m = model{version: m.version + 1}
}

func (w walk) deleteAll(rt *rapid.T) {
	want := 0
	for _, m := range w.world {
		if m.alive {
			want++
		}
	}
	if count, err := w.store.DeleteAll(w.t.Context()); err != nil || count != want {
		rt.Fatalf("deleted %d of %d: %v", count, want, err)
	}
	for id, m := range w.world {
		now := load(rt, w.store, id, 0).Version
		if now <= m.version {
			rt.Fatalf("%s: version %d after %d", id, now, m.version)
		}
		*m = model{version: now}
	}
}

func (w walk) compare(rt *rapid.T) {
	turnsMax := rapid.IntRange(0, 8).Draw(rt, "at most")
	for _, id := range w.ids {
		m, c := w.world[id], load(rt, w.store, id, turnsMax)
		skipped := max(0, len(m.turns)-turnsMax)
		if got, want := fmt.Sprint(c.Version, c.Skipped, c.State.Mode, !c.Updated.IsZero()),
			fmt.Sprint(m.version, skipped, m.mode, m.alive); got != want {
			rt.Fatalf("%s: version, skipped, mode, alive: %s, want %s", id, got, want)
		}
		sameTurns(rt, c.Turns, m.turns[skipped:])
	}
}
