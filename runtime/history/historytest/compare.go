package historytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"chatterbox/runtime/conversation"
)

// turnOf makes a turn that differs from those of other names and numbers in every field that matters.
func turnOf(name string, i int) conversation.Turn {
	return conversation.Turn{
		ID:        fmt.Sprintf("%s-%d", name, i),
		At:        time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC).Add(time.Duration(i) * time.Minute),
		User:      fmt.Sprintf("question %d of %s", i, name),
		Assistant: fmt.Sprintf("answer %d", i),
		Language:  "en",
		Mode:      "AUTO",
		Trace:     json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)),
	}
}

func load(t tester, s conversation.Store, id string, turnsMax int) conversation.Conversation {
	t.Helper()
	c, err := s.Load(t.Context(), id, turnsMax)
	if err != nil {
		t.Fatalf("load %s: %v", id, err)
	}
	return c
}

// mustAppend appends at the present version.
func mustAppend(t tester, s conversation.Store, id string, turn conversation.Turn, state conversation.State) {
	t.Helper()
	if err := s.Append(t.Context(), id, load(t, s, id, 0).Version, turn, state); err != nil {
		t.Fatalf("append %s to %s: %v", turn.ID, id, err)
	}
}

func wantConflict(t tester, err error) {
	t.Helper()
	if !errors.Is(err, conversation.ErrConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}

func sameTurns(t tester, got, want []conversation.Turn) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d turns, want %d", len(got), len(want))
		return
	}
	for i := range got {
		g, w := got[i], want[i]
		same := g.ID == w.ID && g.At.Equal(w.At) && g.User == w.User && g.Assistant == w.Assistant &&
			g.Language == w.Language && g.Mode == w.Mode && sameJSON(g.Trace, w.Trace)
		if !same {
			t.Errorf("turn %d is %.300v\nwant %.300v", i, g, w)
		}
	}
}

func sameState(t tester, got, want conversation.State) {
	t.Helper()
	g, errG := json.Marshal(got)
	w, errW := json.Marshal(want)
	if errG != nil || errW != nil || !sameJSON(g, w) {
		t.Errorf("state is %.300s\nwant %.300s (%v, %v)", g, w, errG, errW)
	}
}

// sameJSON compares values: a store may write them with other spaces or another order of keys.
func sameJSON(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return bytes.Equal(canonical(a), canonical(b))
}

func canonical(data []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return data
	}
	out, err := json.Marshal(value)
	if err != nil {
		return data
	}
	return out
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
