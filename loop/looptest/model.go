// Package looptest has doubles for the two interfaces of package loop, and a runner for transcripts of turns. A double
// does what its script says and fails the test when that runs out: it never invents anything.
package looptest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
)

// Reply is what a [Model] does when it is asked once.
type Reply struct {
	// Deltas are given first. Where there are none and the content is not empty, the content is given as one.
	Deltas []string
	// Broken are the deltas of an attempt before, which broke off. Where the answer may not begin anew, that is a
	// failed connection.
	Broken     []string
	Completion loop.Completion
	Err        error         // instead of the completion
	Takes      time.Duration // before the first delta, unless the context ends; for use with testing/synctest
	Hang       bool          // until the context ends, after the deltas
	Panic      string        // after the deltas
}

// Say is a reply that answers with text.
func Say(text string) Reply {
	return Reply{Completion: loop.Completion{Content: text, FinishReason: "stop"}}
}

// Ask is a reply that calls tools.
func Ask(calls ...loop.Call) Reply {
	return Reply{Completion: loop.Completion{ToolCalls: calls, FinishReason: "tool_calls"}}
}

// Fail is a reply that is an error of this kind.
func Fail(kind loop.Kind) Reply { return Reply{Err: &loop.Error{Kind: kind, Message: "scripted"}} }

// Model is a scripted [loop.Model]. It may be used by several goroutines at once, which then share the script.
type Model struct {
	t        testing.TB
	mu       sync.Mutex
	replies  []Reply        // guarded by mu: those not given yet
	requests []loop.Request // guarded by mu
}

// NewModel is a model that gives replies in their order. The test fails when it is asked more often, and when replies
// are left over at its end.
func NewModel(t testing.TB, replies ...Reply) *Model {
	m := &Model{t: t, replies: replies}
	t.Cleanup(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.replies) > 0 {
			t.Errorf("scripted model: %d replies were never asked for, the first of them %+v", len(m.replies), m.replies[0])
		}
	})
	return m
}

// Requests are the requests so far. Their messages are what the model saw then.
func (m *Model) Requests() []loop.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Complete implements [loop.Model].
func (m *Model) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	reply, scripted := m.next(request)
	if !scripted {
		m.t.Errorf("scripted model: asked %d times, which is once more than it has replies", len(m.Requests()))
		return loop.Completion{}, &loop.Error{Kind: loop.KindInternal, Message: "the script has run out"}
	}
	if err := wait(ctx, reply.Takes); err != nil {
		return loop.Completion{}, err
	}
	for _, delta := range reply.Broken {
		onDelta(delta)
	}
	if len(reply.Broken) > 0 && (request.Again == nil || !request.Again()) {
		return loop.Completion{}, &loop.Error{Kind: loop.KindConnection, Message: "broke off"}
	}
	deltas := reply.Deltas
	if len(deltas) == 0 && reply.Completion.Content != "" {
		deltas = []string{reply.Completion.Content}
	}
	for _, delta := range deltas {
		onDelta(delta)
	}
	switch {
	case reply.Panic != "":
		panic(reply.Panic)
	case reply.Hang:
		<-ctx.Done()
		return loop.Completion{}, ctx.Err()
	case reply.Err != nil:
		return loop.Completion{}, reply.Err
	}
	return reply.Completion, nil
}

func (m *Model) next(request loop.Request) (Reply, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	request.Messages = slices.Clone(request.Messages)
	m.requests = append(m.requests, request)
	if len(m.replies) == 0 {
		return Reply{}, false
	}
	reply := m.replies[0]
	m.replies = m.replies[1:]
	return reply, true
}

// wait returns after d, or with the context's error when that ends first.
func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
