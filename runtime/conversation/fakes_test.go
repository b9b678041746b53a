package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// modelFunc is a model that is a function.
type modelFunc func(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error)

func (f modelFunc) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	return f(ctx, request, onDelta)
}

// scripted is a model that gives its replies one after the other, and fails the test when it is asked for more or when
// some are left over.
type scripted struct {
	t       *testing.T
	mu      sync.Mutex
	replies []any // string: text; loop.Call: a call; loop.Completion: itself; error
	asked   []loop.Request
}

func script(t *testing.T, replies ...any) *scripted {
	s := &scripted{t: t, replies: replies}
	t.Cleanup(func() {
		if len(s.replies) > 0 {
			t.Errorf("the model's script has %d replies left: %v", len(s.replies), s.replies)
		}
	})
	return s
}

func (s *scripted) Complete(_ context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request)
	if len(s.replies) == 0 {
		s.t.Errorf("the model's script has run out; it was asked %+v", request.Messages)
		return loop.Completion{}, errors.New("script has run out")
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	usage := loop.Usage{PromptTokens: 10, CompletionTokens: 5}
	switch reply := reply.(type) {
	case string:
		onDelta(reply)
		return loop.Completion{Content: reply, FinishReason: "stop", Usage: usage}, nil
	case loop.Call:
		return loop.Completion{ToolCalls: []loop.Call{reply}, FinishReason: "tool_calls", Usage: usage}, nil
	case loop.Completion:
		onDelta(reply.Content)
		return reply, nil
	case error:
		return loop.Completion{}, reply
	default:
		panic("the script has a reply that is none")
	}
}

// toolbox is a set of tools that answer {"ok":true} and remember what ran.
type toolbox struct {
	mu     sync.Mutex
	ran    []loop.Call
	asks   string // name of the tool that needs a yes
	result string // empty is {"ok":true}
}

func (b *toolbox) Check(_ context.Context, call loop.Call) loop.Verdict {
	if call.Name == b.asks {
		return loop.Verdict{Decision: loop.Ask, Question: "Really?", Tool: "sha256:1"}
	}
	return loop.Verdict{Decision: loop.Run, Tool: "sha256:1"}
}

func (b *toolbox) Call(_ context.Context, call loop.Call, _ loop.Verdict) loop.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, call)
	if b.result != "" {
		return loop.Result{Content: b.result}
	}
	return loop.Result{Content: `{"ok":true}`}
}

// offered are the tools that the tests offer.
func offered() []loop.Tool {
	return []loop.Tool{
		{Name: "book", Description: "Books.", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "get_current_datetime", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object"}`)},
	}
}

// brokenStore is a store of which one method fails.
type brokenStore struct {
	*historytest.Memory
	load, append error
}

func (b *brokenStore) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	if b.load != nil {
		return conversation.Conversation{}, b.load
	}
	return b.Memory.Load(ctx, id, turnsMax)
}

func (b *brokenStore) Append(
	ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State,
) error {
	if b.append != nil {
		return b.append
	}
	return b.Memory.Append(ctx, id, version, turn, state)
}

// options are those of a service with store and model.
func options(store conversation.Store, model loop.Model, tools loop.Tools) conversation.Options {
	return conversation.Options{
		Store: store, Model: func(string) loop.Model { return model }, Tools: tools, Offered: offered, Workflows: noFlows,
		Limits: loop.DefaultLimits(), MaxHistoryTurns: 20, QueueMax: 4, AutoCreateID: true,
	}
}

// say asks service and fails the test when the request is refused.
func say(t *testing.T, s *conversation.Service, id, text string) conversation.Reply {
	t.Helper()
	reply, err := s.Converse(t.Context(), conversation.Request{Text: text, ConversationID: id, Trace: true}, nil)
	if err != nil {
		t.Fatalf("%q was refused: %v", text, err)
	}
	return reply
}

// turnsOf returns what is stored of a conversation.
func turnsOf(t *testing.T, store conversation.Store, id string) conversation.Conversation {
	t.Helper()
	c, err := store.Load(t.Context(), id, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
