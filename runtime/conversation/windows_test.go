package conversation

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
)

func TestWindowsRememberAModelsCut(t *testing.T) {
	now := time.Now()
	cut := loop.Cut{Model: "m", Estimated: 6000, Counted: 4000, Window: 4096}
	var w windows
	told := 0
	tell := func(string) { told++ }
	if got := w.of(loop.Window{Model: "m", Tokens: 8192}, now); got.Tokens != 8192 {
		t.Errorf("before anything is known the window is %+v", got)
	}
	if !w.note(cut, now, tell) {
		t.Error("the first cut is not worth asking again")
	}
	w.learn(cut, true, now)
	if got := w.of(loop.Window{Model: "m", Tokens: 8192}, now); got.Tokens != 4096 {
		t.Errorf("the window is %+v after a cut at 4096", got)
	}
	if got := w.of(loop.Window{Model: "m", Tokens: 2048}, now); got.Tokens != 2048 {
		t.Errorf("a configured window of 2048 became %+v", got)
	}
	if got := w.of(loop.Window{Model: "other"}, now); got.PromptTokens() != 0 {
		t.Errorf("another model's window is %+v", got)
	}
	if got := w.of(loop.Window{Model: "m"}, now.Add(learnedFor)); got.PromptTokens() != 0 {
		t.Errorf("the window is still %+v when what was learned is old", got)
	}
	w.learn(cut, false, now)
	if w.note(cut, now, tell) {
		t.Error("asking again is worth trying although it did not help")
	}
	if !w.note(cut, now.Add(learnedFor), tell) {
		t.Error("asking again is given up for ever")
	}
	if told != 1 || w.cuts[0].Times != 3 {
		t.Errorf("told %d times of %d cuts", told, w.cuts[0].Times)
	}
}

// TestHammerWindows has many turns learn of more models than are remembered.
func TestHammerWindows(t *testing.T) {
	var w windows
	var group sync.WaitGroup
	for i := range 4 * cutsMax {
		group.Go(func() {
			cut := loop.Cut{Model: fmt.Sprint("m", i), Estimated: 6000, Counted: 4000, Window: 4096}
			w.note(cut, time.Now(), func(string) {})
			w.learn(cut, true, time.Now())
			w.of(loop.Window{Model: cut.Model}, time.Now())
		})
	}
	group.Wait()
	if len(w.cuts) != cutsMax {
		t.Errorf("%d cuts are remembered, want %d", len(w.cuts), cutsMax)
	}
}

func TestIndexesAreKeptBySet(t *testing.T) {
	var x indexes
	set := func(i int) []loop.Tool { return []loop.Tool{{Name: "a"}, {Name: fmt.Sprint("b", i)}} }
	first := x.of(set(0))
	if x.of(set(0)) != first {
		t.Error("the same set is looked at twice")
	}
	changed := set(0)
	changed[0].Description = "another"
	if x.of(changed) == first {
		t.Error("a tool that describes itself anew is not looked at again")
	}
	for i := range 3 * indexesMax {
		x.of(set(i))
	}
	if len(x.kept) != indexesMax {
		t.Errorf("%d sets are kept, want %d", len(x.kept), indexesMax)
	}
}
