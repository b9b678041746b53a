package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"chatterbox/loop"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/conversation"
)

// killWishes is the file in the data folder that says where the server ends itself.
const killWishes = "kill-at"

// killPoints are where it ends: what the server does itself, in killing, or the requests that reach the calendar.
func killPoints() []string {
	var points []string
	for _, at := range []string{"state 1", "state 2", "turn 1", "call 1", "request 1", "request 2", "request 3", "request 4"} {
		points = append(points, at+" before", at+" after")
	}
	return append(points, "at random", "never")
}

// mortal are decorations that end the process at the point that the file in its data folder names. Where it is careless, what
// is noted before a call is not stored.
func mortal(careless bool) decorations {
	wishes := wishes{file: filepath.Join(os.Getenv("CHATTERBOX_DATA"), killWishes)}
	return decorations{
		Store:  func(inner conversation.Store) conversation.Store { return mortalStore{inner, &wishes, careless} },
		Guests: func(inner loop.Tools) loop.Tools { return mortalTools{inner, &wishes} },
	}
}

const (
	diesOnWish     = "it ends where the test wants it to"
	diesCarelessly = "it ends so, and has noted nothing"
)

type wishes struct {
	file  string
	mu    sync.Mutex
	count map[string]int // guarded by mu, since the wish was made
}

// pass ends the process where that is wished for.
func (w *wishes) pass(what string) {
	wish, err := os.ReadFile(w.file)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count == nil {
		w.count = map[string]int{}
	}
	if strings.HasSuffix(what, "before") {
		w.count[strings.Fields(what)[0]]++
	}
	kind, when, _ := strings.Cut(what, " ")
	if string(wish) == fmt.Sprintf("%s %d %s", kind, w.count[kind], when) {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
}

type mortalStore struct {
	conversation.Store
	wishes   *wishes
	careless bool
}

func (s mortalStore) SetState(ctx context.Context, id string, version int64, state conversation.State) error {
	s.wishes.pass("state before")
	defer s.wishes.pass("state after")
	if s.careless {
		state.Effects = nil
		var dialogue workflow.State
		if json.Unmarshal(state.Workflow, &dialogue) == nil {
			dialogue.Pending = nil
			state.Workflow, _ = json.Marshal(dialogue)
		}
	}
	return s.Store.SetState(ctx, id, version, state)
}

func (s mortalStore) Append(ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State) error {
	s.wishes.pass("turn before")
	defer s.wishes.pass("turn after")
	return s.Store.Append(ctx, id, version, turn, state)
}

type mortalTools struct {
	loop.Tools
	wishes *wishes
}

func (m mortalTools) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	m.wishes.pass("call before")
	defer m.wishes.pass("call after")
	return m.Tools.Call(ctx, call, verdict)
}
