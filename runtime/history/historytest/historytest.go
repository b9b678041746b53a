// Package historytest has the tests that every [conversation.Store] passes, and a store in memory.
package historytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
)

// Run tests the store that open returns. open is called once for each test, gives an empty store, and closes it with
// t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) conversation.Store) {
	for name, test := range map[string]func(*testing.T, conversation.Store){
		"an absent conversation is no error":                          testAbsent,
		"turns come back in order and whole":                          testOrder,
		"an append must name the version":                             testVersion,
		"a turn that is already stored succeeds without effect":       testSameTurn,
		"load gives the newest turns and counts the others":           testWindow,
		"state comes back and is replaced by each append":             testState,
		"state alone can be set":                                      testSetState,
		"texts of any language and length come back":                  testTexts,
		"a deleted conversation is absent and its version has risen":  testDelete,
		"deletion during a turn makes its append conflict":            testDeleteDuringTurn,
		"deletion during a first turn makes its append conflict":      testDeleteDuringFirstTurn,
		"deletion of all conflicts with every turn under way":         testDeleteAllDuringTurn,
		"versions rise over many deletions":                           testVersionsRise,
		"deleting all says how many there were":                       testDeleteAllCounts,
		"what the caller does with a loaded conversation stays there": testNoSharing,
		"a context that has ended stores nothing":                     testContext,
		"of many writers of one conversation one wins each version":   testHammerOneConversation,
		"conversations do not disturb each other":                     testHammerManyConversations,
		"a sequence of calls behaves like the model":                  testModel,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testAbsent(t *testing.T, s conversation.Store) {
	c := load(t, s, "nobody", 20)
	if c.ID != "nobody" || len(c.Turns) != 0 || c.Skipped != 0 || !c.Updated.IsZero() {
		t.Errorf("an absent conversation is %+v", c)
	}
	if again := load(t, s, "nobody", 20); again.Version != c.Version {
		t.Errorf("loading changed the version from %d to %d", c.Version, again.Version)
	}
}

func testOrder(t *testing.T, s conversation.Store) {
	before := time.Now().Add(-time.Second)
	var want []conversation.Turn
	for i := range 5 {
		turn := turnOf("a", i)
		mustAppend(t, s, "a", turn, conversation.State{})
		want = append(want, turn)
	}
	c := load(t, s, "a", 20)
	sameTurns(t, c.Turns, want)
	if c.Updated.Before(before) || c.Updated.After(time.Now().Add(time.Second)) {
		t.Errorf("updated at %v, want about now", c.Updated)
	}
}

func testVersion(t *testing.T, s conversation.Store) {
	ctx := t.Context()
	first := load(t, s, "a", 20).Version
	for _, version := range []int64{first + 1, first - 1, first + 1000} {
		wantConflict(t, s.Append(ctx, "a", version, turnOf("wrong", int(version)), conversation.State{}))
	}
	mustAppend(t, s, "a", turnOf("a", 0), conversation.State{Mode: "HOME"})
	if got := load(t, s, "a", 20).Version; got != first+1 {
		t.Errorf("version %d after the first append at %d", got, first)
	}
	for _, version := range []int64{first, first + 2} {
		wantConflict(t, s.Append(ctx, "a", version, turnOf("wrong", int(version)), conversation.State{Mode: "CHAT"}))
	}
	c := load(t, s, "a", 20)
	if len(c.Turns) != 1 || c.State.Mode != "HOME" || c.Version != first+1 {
		t.Errorf("a refused append left %+v", c)
	}
}

func testSameTurn(t *testing.T, s conversation.Store) {
	ctx := t.Context()
	first := load(t, s, "a", 20).Version
	turn := turnOf("a", 0)
	mustAppend(t, s, "a", turn, conversation.State{Mode: "HOME"})
	mustAppend(t, s, "a", turnOf("a", 1), conversation.State{Mode: "CHAT"})
	other := turn
	other.User = "something else"
	for _, version := range []int64{first, first + 1, first + 2} {
		if err := s.Append(ctx, "a", version, other, conversation.State{Mode: "SECURITY"}); err != nil {
			t.Errorf("append of a stored turn at version %d: %v", version, err)
		}
	}
	c := load(t, s, "a", 20)
	sameTurns(t, c.Turns, []conversation.Turn{turn, turnOf("a", 1)})
	if c.Version != first+2 || c.State.Mode != "CHAT" {
		t.Errorf("a repeated append changed the version to %d, the mode to %s", c.Version, c.State.Mode)
	}
	// The same id in another conversation is another turn.
	mustAppend(t, s, "b", turn, conversation.State{})
	sameTurns(t, load(t, s, "b", 20).Turns, []conversation.Turn{turn})
}

func testWindow(t *testing.T, s conversation.Store) {
	var all []conversation.Turn
	for i := range 30 {
		all = append(all, turnOf("a", i))
		mustAppend(t, s, "a", all[i], conversation.State{})
	}
	for _, turnsMax := range []int{-1, 0, 1, 20, 29, 30, 31, math.MaxInt} {
		c := load(t, s, "a", turnsMax)
		want := min(max(turnsMax, 0), 30)
		if c.Skipped != 30-want {
			t.Errorf("at most %d turns: skipped %d, want %d", turnsMax, c.Skipped, 30-want)
		}
		sameTurns(t, c.Turns, all[30-want:])
	}
}

func testState(t *testing.T, s conversation.Store) {
	full := conversation.State{
		Mode:      "RECEPTIONIST",
		LastMatch: "get_weather",
		Workflow:  json.RawMessage(`{"phase": "CONFIRMING", "fields": {"name": "Sarah <Johnson>", "n": 9007199254740993}}`),
		Approval: &conversation.Approval{
			Tool:      "book_appointment",
			Arguments: json.RawMessage(`{"when":"tomorrow & later"}`),
			Question:  "Book “Free Estimate”?",
			Expires:   time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC),
			Machine:   json.RawMessage(`{"state":"AWAITING_APPROVAL"}`),
		},
	}
	for i, state := range []conversation.State{{}, full, {Mode: "HOME"}, full, {}} {
		mustAppend(t, s, "a", turnOf("a", i), state)
		sameState(t, load(t, s, "a", 1).State, state)
	}
}

func testSetState(t *testing.T, s conversation.Store) {
	ctx := t.Context()
	absent := load(t, s, "a", 20)
	wantConflict(t, s.SetState(ctx, "a", absent.Version+1, conversation.State{Mode: "HOME"}))
	mustAppend(t, s, "a", turnOf("a", 0), conversation.State{Mode: "HOME"})
	before := load(t, s, "a", 20)
	if err := s.SetState(ctx, "a", before.Version, conversation.State{Mode: "CHAT"}); err != nil {
		t.Fatal(err)
	}
	after := load(t, s, "a", 20)
	sameTurns(t, after.Turns, before.Turns)
	if after.State.Mode != "CHAT" || after.Version != before.Version+1 || !after.Updated.Equal(before.Updated) {
		t.Errorf("after setting the state: %+v", after)
	}
	wantConflict(t, s.SetState(ctx, "a", before.Version, conversation.State{}))
	wantConflict(t, s.Append(ctx, "a", before.Version, turnOf("a", 1), conversation.State{}))
	if err := s.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	deleted := load(t, s, "a", 20)
	wantConflict(t, s.SetState(ctx, "a", after.Version, conversation.State{Mode: "HOME"}))
	if c := load(t, s, "a", 20); c.Version != deleted.Version || c.State.Mode != "" {
		t.Errorf("setting the state of a deleted conversation left %+v", c)
	}
	// An absent one begins with its state.
	for _, id := range []string{"a", "new"} {
		before := load(t, s, id, 20)
		if err := s.SetState(ctx, id, before.Version, conversation.State{Mode: "HOME"}); err != nil {
			t.Fatal(err)
		}
		begun := load(t, s, id, 20)
		if begun.Version != before.Version+1 || begun.State.Mode != "HOME" ||
			len(begun.Turns) != 0 || begun.Updated.IsZero() {
			t.Errorf("a conversation that begins with its state: %+v", begun)
		}
		mustAppend(t, s, id, turnOf(id, 0), begun.State)
		sameTurns(t, load(t, s, id, 20).Turns, []conversation.Turn{turnOf(id, 0)})
	}
}

func testTexts(t *testing.T, s conversation.Store) {
	texts := map[string]string{
		"accents":            "Grüße aus Köln, ça va?",
		"right to left":      "مرحبا بالعالم",
		"no spaces":          "今日の天気はどうですか",
		"beyond 16 bits":     "👩‍👩‍👧‍👦 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
		"combining":          "e\u0301 \u200d \ufeff",
		"quotes and escapes": `'; DROP TABLE turn; -- " \ %s $1 ?1 :a`,
		"lines":              "one\ntwo\r\nthree\ttab",
		"empty":              "",
		"large":              strings.Repeat("ein langer Satz. ", 60_000),
	}
	for id, text := range texts {
		turn := turnOf("a", 0)
		turn.ID, turn.User, turn.Assistant = id, text, text
		trace, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		turn.Trace = trace
		mustAppend(t, s, "texts."+strings.ReplaceAll(id, " ", "-"), turn, conversation.State{LastMatch: text})
		c := load(t, s, "texts."+strings.ReplaceAll(id, " ", "-"), 20)
		sameTurns(t, c.Turns, []conversation.Turn{turn})
		sameState(t, c.State, conversation.State{LastMatch: text})
	}
}

func testDelete(t *testing.T, s conversation.Store) {
	mustAppend(t, s, "a", turnOf("a", 0), conversation.State{Mode: "HOME"})
	mustAppend(t, s, "b", turnOf("b", 0), conversation.State{Mode: "HOME"})
	before := load(t, s, "a", 20).Version
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	c := load(t, s, "a", 20)
	if len(c.Turns) != 0 || c.State.Mode != "" || !c.Updated.IsZero() || c.Version != before+1 {
		t.Errorf("deleted at version %d: %+v", before, c)
	}
	sameTurns(t, load(t, s, "b", 20).Turns, []conversation.Turn{turnOf("b", 0)})
	// A turn of before is not remembered.
	mustAppend(t, s, "a", turnOf("a", 0), conversation.State{})
	sameTurns(t, load(t, s, "a", 20).Turns, []conversation.Turn{turnOf("a", 0)})
}

func testDeleteDuringTurn(t *testing.T, s conversation.Store) {
	mustAppend(t, s, "a", turnOf("a", 0), conversation.State{})
	version := load(t, s, "a", 20).Version
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	wantConflict(t, s.Append(t.Context(), "a", version, turnOf("a", 1), conversation.State{}))
	wantConflict(t, s.SetState(t.Context(), "a", version, conversation.State{}))
	if c := load(t, s, "a", 20); len(c.Turns) != 0 {
		t.Errorf("the deleted conversation is back: %+v", c)
	}
}

func testDeleteDuringFirstTurn(t *testing.T, s conversation.Store) {
	version := load(t, s, "new", 20).Version
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	wantConflict(t, s.Append(t.Context(), "new", version, turnOf("a", 0), conversation.State{}))
	if got := load(t, s, "new", 20).Version; got != version+1 {
		t.Errorf("version %d after deleting a conversation that was absent at %d", got, version)
	}
	mustAppend(t, s, "new", turnOf("a", 1), conversation.State{})
}

func testDeleteAllDuringTurn(t *testing.T, s conversation.Store) {
	mustAppend(t, s, "old", turnOf("a", 0), conversation.State{})
	mustAppend(t, s, "deleted", turnOf("a", 0), conversation.State{})
	if err := s.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	ids := []string{"old", "deleted", "new"}
	versions := map[string]int64{}
	for _, id := range ids {
		versions[id] = load(t, s, id, 20).Version
	}
	if _, err := s.DeleteAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		wantConflict(t, s.Append(t.Context(), id, versions[id], turnOf("a", 1), conversation.State{}))
		if c := load(t, s, id, 20); c.Version <= versions[id] || len(c.Turns) != 0 {
			t.Errorf("%s, at version %d before all were deleted: %+v", id, versions[id], c)
		}
		mustAppend(t, s, id, turnOf("a", 2), conversation.State{})
	}
}

func testVersionsRise(t *testing.T, s conversation.Store) {
	last := load(t, s, "a", 20).Version
	steps := []func() error{
		func() error { return s.Delete(t.Context(), "a") },
		func() error { return s.Append(t.Context(), "a", last, turnOf("a", int(last)), conversation.State{}) },
		func() error { return s.Delete(t.Context(), "a") },
		func() error { _, err := s.DeleteAll(t.Context()); return err },
	}
	for i := range 12 {
		if err := steps[i%len(steps)](); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		now := load(t, s, "a", 20).Version
		if now <= last {
			t.Fatalf("step %d: version %d after %d", i, now, last)
		}
		last = now
	}
}

func testDeleteAllCounts(t *testing.T, s conversation.Store) {
	for i := range 3 {
		mustAppend(t, s, fmt.Sprint("c", i), turnOf("a", i), conversation.State{})
		mustAppend(t, s, fmt.Sprint("c", i), turnOf("b", i), conversation.State{})
	}
	for _, id := range []string{"c0", "never"} {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		if count, err := s.DeleteAll(t.Context()); err != nil || count != want {
			t.Errorf("deleted %d conversations, want %d: %v", count, want, err)
		}
	}
}

func testNoSharing(t *testing.T, s conversation.Store) {
	turn := turnOf("a", 0)
	state := conversation.State{Workflow: json.RawMessage(`{"a":1}`)}
	mustAppend(t, s, "a", turn, state)
	state.Workflow[2] = 'x'
	turn.Trace[2] = 'x'
	first := load(t, s, "a", 20)
	first.Turns[0].User = "changed"
	first.Turns[0].Trace[2] = 'x'
	first.State.Workflow[2] = 'x'
	second := load(t, s, "a", 20)
	sameTurns(t, second.Turns, []conversation.Turn{turnOf("a", 0)})
	sameState(t, second.State, conversation.State{Workflow: json.RawMessage(`{"a":1}`)})
}

func testContext(t *testing.T, s conversation.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	version := load(t, s, "a", 20).Version
	if err := s.Append(ctx, "a", version, turnOf("a", 0), conversation.State{}); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v, want context canceled", err)
	}
	if _, err := s.Load(ctx, "a", 20); !errors.Is(err, context.Canceled) {
		t.Errorf("load: %v, want context canceled", err)
	}
	if c := load(t, s, "a", 20); len(c.Turns) != 0 || c.Version != version {
		t.Errorf("stored in spite of it: %+v", c)
	}
}
