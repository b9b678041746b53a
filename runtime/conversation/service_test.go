package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestATurnIsStoredAndRemembered(t *testing.T) {
	store, model := new(historytest.Memory), script(t, "It is cold.", "Yes, a coat.")
	s := conversation.New(options(store, model, nil))
	first := say(t, s, "sess-1", "Is it cold?")
	if first.ResponseText != "It is cold." || *first.ConversationID != "sess-1" || first.Extra.Error != nil {
		t.Errorf("reply %+v", first)
	}
	say(t, s, "sess-1", "Should I wear a coat?")

	asked := model.asked[1].Messages
	if len(asked) != 4 || asked[1].Content != "Is it cold?" || asked[2].Content != "It is cold." ||
		asked[3].Content != "Should I wear a coat?" {
		t.Errorf("the second prompt is %+v", asked)
	}
	if asked[0].Content != model.asked[0].Messages[0].Content {
		t.Error("the system message changed between turns")
	}
	turns := turnsOf(t, store, "sess-1").Turns
	if len(turns) != 2 || turns[1].User != "Should I wear a coat?" || turns[1].Assistant != "Yes, a coat." ||
		turns[1].Language != "en" || turns[1].Mode != "AUTO" || !json.Valid(turns[1].Trace) {
		t.Errorf("stored %+v", turns)
	}
}

func TestWithoutAnID(t *testing.T) {
	store := new(historytest.Memory)
	s := conversation.New(options(store, script(t, "One.", "Two."), nil))
	first, second := say(t, s, "", "Count."), say(t, s, "", "Count.")
	if first.ConversationID == nil || conversation.ValidateID(*first.ConversationID) != nil ||
		*first.ConversationID == *second.ConversationID {
		t.Errorf("ids %v and %v, want two new ones", first.ConversationID, second.ConversationID)
	}
	opts := options(store, script(t, "Three."), nil)
	opts.AutoCreateID = false
	if reply := say(t, conversation.New(opts), "", "Count."); reply.ConversationID != nil {
		t.Errorf("a stateless turn has id %q", *reply.ConversationID)
	}
	if n, err := store.DeleteAll(t.Context()); n != 2 || err != nil {
		t.Errorf("%d conversations are stored (%v), want the two with an id", n, err)
	}
}

func TestWhatOnlyTheCallerCanRepair(t *testing.T) {
	s := conversation.New(options(new(historytest.Memory), script(t), nil))
	tests := map[string]struct {
		request conversation.Request
		field   string
	}{
		"no text":             {conversation.Request{}, "text"},
		"blank text":          {conversation.Request{Text: " \n\t"}, "text"},
		"text not in UTF-8":   {conversation.Request{Text: "\xff"}, "text"},
		"an id with a space":  {conversation.Request{Text: "x", ConversationID: "a b"}, "conversation_id"},
		"an id with a slash":  {conversation.Request{Text: "x", ConversationID: "../a"}, "conversation_id"},
		"an id too long":      {conversation.Request{Text: "x", ConversationID: strings.Repeat("a", 129)}, "conversation_id"},
		"no language tag":     {conversation.Request{Text: "x", Language: "en_US"}, "language"},
		"a mode not known":    {conversation.Request{Text: "x", Mode: "PARTY"}, "mode"},
		"an id not in ASCII":  {conversation.Request{Text: "x", ConversationID: "ä"}, "conversation_id"},
		"a language too long": {conversation.Request{Text: "x", Language: strings.Repeat("a", 36)}, "language"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := s.Converse(t.Context(), tt.request, nil)
			var refused *conversation.RequestError
			if !errors.As(err, &refused) || refused.Field != tt.field {
				t.Errorf("got %v, want a RequestError of field %s", err, tt.field)
			}
		})
	}
	longest := conversation.Request{Text: "x", ConversationID: strings.Repeat("aZ0._:-9", 16), Language: "de-AT", Mode: "auto"}
	if err := longest.Validate(); err != nil {
		t.Errorf("a good request was refused: %v", err)
	}
}

func TestAFailedTurnIsSpokenAndLeavesNothing(t *testing.T) {
	const (
		stuck   = "I'm sorry, I got stuck trying to answer that. Please try again."
		rate    = "I'm sorry, I'm receiving too many requests right now. Please try again in a moment."
		connect = "I'm sorry, I can't reach my language model right now. Please check the connection and try again."
		api     = "I'm sorry, my language model returned an error. Please try again."
		other   = "I'm sorry, I encountered an error. Please try again."
	)
	tests := map[loop.Kind]string{
		loop.KindRateLimit: rate, loop.KindQuota: api, loop.KindAuthentication: api, loop.KindContextLength: api,
		loop.KindConnection: connect, loop.KindAPI: api, loop.KindIterationLimit: stuck, loop.KindRepeatedCall: stuck,
		loop.KindBudget: other, loop.KindInternal: other, "a kind from elsewhere": other,
	}
	for kind, sentence := range tests {
		t.Run(string(kind), func(t *testing.T) {
			store := new(historytest.Memory)
			failure := &loop.Error{Kind: kind, Message: "broken", RetryAfter: 1500 * time.Millisecond}
			s := conversation.New(options(store, script(t, failure), nil))
			reply := say(t, s, "a", "Hello?")
			if reply.ResponseText != sentence {
				t.Errorf("spoke %q, want %q", reply.ResponseText, sentence)
			}
			if e := reply.Extra.Error; e == nil || e.Kind != kind || e.RetryAfter != 2 {
				t.Errorf("extra.error is %+v", e)
			}
			if turns := turnsOf(t, store, "a").Turns; len(turns) != 0 {
				t.Errorf("a failed turn left %+v", turns)
			}
		})
	}
}

func TestStorageFailures(t *testing.T) {
	broken := errors.New("disk full")
	tests := map[string]struct {
		store   *brokenStore
		replies []any
		kind    loop.Kind
	}{
		"nothing can be read":     {&brokenStore{load: broken}, nil, conversation.KindStorage},
		"nothing can be stored":   {&brokenStore{append: broken}, []any{"Hi."}, conversation.KindStorage},
		"another writer is first": {&brokenStore{append: conversation.ErrConflict}, []any{"Hi."}, conversation.KindConflict},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.store.Memory = new(historytest.Memory)
			s := conversation.New(options(tt.store, script(t, append(tt.replies, "Fine.")...), nil))
			reply := say(t, s, "a", "Hello?")
			if e := reply.Extra.Error; e == nil || e.Kind != tt.kind ||
				reply.ResponseText != "I'm sorry, I encountered an error. Please try again." {
				t.Errorf("reply %+v, extra.error %+v", reply, e)
			}
			tt.store.load, tt.store.append = nil, nil
			if reply := say(t, s, "a", "And now?"); reply.ResponseText != "Fine." {
				t.Errorf("after the store recovered: %+v", reply)
			}
		})
	}
}

func TestDeletionDuringATurnIsAConflict(t *testing.T) {
	store := new(historytest.Memory)
	var s *conversation.Service
	model := modelFunc(func(ctx context.Context, _ loop.Request, _ func(string)) (loop.Completion, error) {
		if err := s.Delete(ctx, "a"); err != nil {
			t.Error(err)
		}
		return loop.Completion{Content: "Hi.", FinishReason: "stop"}, nil
	})
	s = conversation.New(options(store, model, nil))
	if e := say(t, s, "a", "Hello?").Extra.Error; e == nil || e.Kind != conversation.KindConflict {
		t.Errorf("extra.error is %+v, want a conflict", e)
	}
	if turns := turnsOf(t, store, "a").Turns; len(turns) != 0 {
		t.Errorf("the turn came back after the deletion: %+v", turns)
	}
}

func TestWithoutAModel(t *testing.T) {
	opts := options(new(historytest.Memory), nil, nil)
	const hint = "I'm sorry, I can't answer that without a language model. Please set llm.base_url in my configuration."
	var heard strings.Builder
	reply, err := conversation.New(opts).Converse(t.Context(), conversation.Request{Text: "Tell me a joke.", Trace: true},
		func(e loop.Emission) { heard.WriteString(e.Text) })
	if err != nil || reply.ResponseText != hint || heard.String() != hint || reply.Extra.Error != nil {
		t.Errorf("reply %+v, heard %q, error %v", reply, heard.String(), err)
	}
	if reply.Trace.LLMCalls != 0 || reply.Trace.Route.Stage != "none" {
		t.Errorf("trace %+v", reply.Trace)
	}
}

func TestReplyAsJSON(t *testing.T) {
	call := loop.Call{ID: "1", Name: "book", Arguments: `{"day":"friday"}`}
	s := conversation.New(options(new(historytest.Memory), script(t, call, "Booked <b>."), new(toolbox)))
	got, err := json.MarshalIndent(say(t, s, "a", "Book friday."), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
 "response_text": "Booked \u003cb\u003e.",
 "conversation_id": "a",
 "extra": {},
 "trace": {
  "states": [
   "RECEIVE_INPUT",
   "LLM_INFERENCE",
   "TOOL_DECISION",
   "TOOL_EXECUTION",
   "RESULT_AGGREGATION",
   "LLM_INFERENCE",
   "TOOL_DECISION",
   "RESPONSE_COMPOSITION",
   "OUTPUT"
  ],
  "llm_calls": 2,
  "tool_calls": [
   {
    "name": "book",
    "arguments": {
     "day": "friday"
    },
    "result": {
     "ok": true
    },
    "cached": false,
    "ms": 0
   }
  ],
  "usage": {
   "prompt_tokens": 20,
   "completion_tokens": 10,
   "estimated_cost_usd": null
  },
  "ms": 0,
  "route": {
   "stage": "loop",
   "reason": "no rule fits",
   "tools_offered": [
    "book",
    "get_current_datetime"
   ]
  },
  "mode": "AUTO"
 }
}`
	if got := regexp.MustCompile(`"ms": [0-9.e-]+`).ReplaceAllString(string(got), `"ms": 0`); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAClientThatLeavesLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(historytest.Memory)
		var cancelled error
		model := modelFunc(func(ctx context.Context, _ loop.Request, _ func(string)) (loop.Completion, error) {
			<-ctx.Done()
			cancelled = context.Cause(ctx)
			return loop.Completion{}, ctx.Err()
		})
		s := conversation.New(options(store, model, nil))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(loop.ErrClientGone) })
		if _, err := s.Converse(ctx, conversation.Request{Text: "x", ConversationID: "a"}, nil); !errors.Is(err, loop.ErrClientGone) {
			t.Errorf("got %v, want ErrClientGone", err)
		}
		if cancelled == nil {
			t.Error("the model call was not cancelled")
		}
		if turns := turnsOf(t, store, "a").Turns; len(turns) != 0 {
			t.Errorf("stored %+v", turns)
		}
	})
}

func TestShutdown(t *testing.T) {
	tests := map[string]struct {
		answer, patience time.Duration
		err              error
	}{
		"a turn that ends in time is finished": {2 * time.Second, 8 * time.Second, nil},
		"a turn that does not is abandoned":    {time.Hour, 8 * time.Second, conversation.ErrStopping},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := new(historytest.Memory)
				model := modelFunc(func(ctx context.Context, _ loop.Request, _ func(string)) (loop.Completion, error) {
					select {
					case <-time.After(tt.answer):
						return loop.Completion{Content: "Done.", FinishReason: "stop"}, nil
					case <-ctx.Done():
						return loop.Completion{}, ctx.Err()
					}
				})
				opts := options(store, model, nil)
				opts.Limits.Wall = 0
				s := conversation.New(opts)
				ended := make(chan error)
				go func() {
					_, err := s.Converse(t.Context(), conversation.Request{Text: "x", ConversationID: "a"}, nil)
					ended <- err
				}()
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				stopped := make(chan error)
				go func() { stopped <- s.Shutdown(ctx) }()
				synctest.Wait()
				if _, err := s.Converse(t.Context(), conversation.Request{Text: "x"}, nil); !errors.Is(err, conversation.ErrStopping) {
					t.Errorf("a turn while stopping got %v, want ErrStopping", err)
				}
				if err := <-ended; !errors.Is(err, tt.err) {
					t.Errorf("the turn ended with %v, want %v", err, tt.err)
				}
				if err := <-stopped; (err != nil) != (tt.err != nil) {
					t.Errorf("Shutdown returned %v", err)
				}
				if stored := len(turnsOf(t, store, "a").Turns); (stored == 1) != (tt.err == nil) {
					t.Errorf("%d turns are stored", stored)
				}
			})
		})
	}
}

func TestTurnsAtOnceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := modelFunc(func(context.Context, loop.Request, func(string)) (loop.Completion, error) {
			time.Sleep(time.Second)
			return loop.Completion{Content: "x", FinishReason: "stop"}, nil
		})
		opts := options(new(historytest.Memory), model, nil)
		opts.TurnsMax = 2
		s := conversation.New(opts)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { say(t, s, "", "x") })
		}
		synctest.Wait()
		if _, err := s.Converse(t.Context(), conversation.Request{Text: "x"}, nil); !errors.Is(err, conversation.ErrBusy) {
			t.Errorf("the third turn got %v, want ErrBusy", err)
		}
		group.Wait()
		say(t, s, "", "x")
	})
}

type panickingStore struct{ *historytest.Memory }

func (panickingStore) Load(context.Context, string, int) (conversation.Conversation, error) {
	panic("boom")
}

func TestAPanicIsAnApology(t *testing.T) {
	s := conversation.New(options(panickingStore{}, script(t), nil))
	for range 3 { // the conversation's turn is over each time
		if e := say(t, s, "a", "x").Extra.Error; e == nil || e.Kind != loop.KindInternal {
			t.Errorf("extra.error is %+v", e)
		}
	}
}

func TestHammerConversations(t *testing.T) {
	const speakers, conversations, rounds = 8, 3, 30
	store := new(historytest.Memory)
	model := modelFunc(func(_ context.Context, request loop.Request, _ func(string)) (loop.Completion, error) {
		return loop.Completion{Content: fmt.Sprint(len(request.Messages)/2 - 1), FinishReason: "stop"}, nil
	})
	opts := options(store, model, nil)
	opts.QueueMax, opts.MaxHistoryTurns = speakers, 1000
	s := conversation.New(opts)
	var group sync.WaitGroup
	for range speakers {
		group.Go(func() {
			for round := range rounds {
				if e := say(t, s, fmt.Sprint("c", round%conversations), "next").Extra.Error; e != nil {
					t.Errorf("extra.error is %+v", e)
				}
			}
		})
	}
	group.Wait()
	for i := range conversations {
		turns := turnsOf(t, store, fmt.Sprint("c", i)).Turns
		if len(turns) != speakers*rounds/conversations {
			t.Errorf("conversation %d has %d turns", i, len(turns))
		}
		for n, turn := range turns {
			if turn.Assistant != fmt.Sprint(n) {
				t.Fatalf("turn %d of conversation %d saw %s turns before it", n, i, turn.Assistant)
			}
		}
	}
}
