package conversation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// pendingList is reminders that wait until they are heard.
type pendingList struct {
	mu      sync.Mutex
	waiting []conversation.Reminder // guarded by mu
	err     error
}

func (s *pendingList) Pending() ([]conversation.Reminder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.waiting), s.err
}

func (s *pendingList) Acknowledge(heard []conversation.Reminder) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(r conversation.Reminder) bool { return slices.Contains(heard, r) })
	return nil
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func withWaiting(model loop.Model, waiting ...conversation.Reminder) (*pendingList, conversation.Options) {
	s := &pendingList{waiting: waiting}
	opts := options(&historytest.Memory{}, model, &toolbox{})
	opts.Reminders, opts.Now = s, func() time.Time { return noon }
	return s, opts
}

func TestAReminderIsToldOnceBeforeTheAnswer(t *testing.T) {
	waits, opts := withWaiting(script(t, "Hello.", "Hello again."), conversation.Reminder{ID: "1", Message: "call mom", At: noon.Add(-time.Minute)})
	service := conversation.New(opts)
	var heard strings.Builder
	reply, err := service.Converse(t.Context(), conversation.Request{Text: "hi", ConversationID: "a"}, func(e loop.Emission) {
		if e.Kind == loop.EmitInterim {
			heard.Reset()
		}
		heard.WriteString(e.Text)
	})
	const want = "Reminder: call mom. Hello."
	if err != nil || reply.ResponseText != want || heard.String() != want || len(reply.Extra.Reminders) != 1 {
		t.Errorf("%v: %+v, heard %q", err, reply, heard.String())
	}
	if c := turnsOf(t, opts.Store, "a"); c.Turns[0].Assistant != want {
		t.Errorf("stored is %q", c.Turns[0].Assistant)
	}
	if again := say(t, service, "b", "hi"); again.ResponseText != "Hello again." || again.Extra.Reminders != nil || len(waits.waiting) != 0 {
		t.Errorf("again: %+v", again)
	}
}

func TestHowAReminderIsSaid(t *testing.T) {
	for want, c := range map[string]struct {
		language string
		reminder conversation.Reminder
	}{
		"Reminder (9:00 AM): call mom. ":                                             {"en", conversation.Reminder{Message: "call\nmom.", At: noon.Add(-3 * time.Hour)}},
		"Reminder (March 3, 12:00 PM): call mom. ":                                   {"en", conversation.Reminder{Message: "call mom", At: noon.Add(-24 * time.Hour)}},
		"While I was away, a reminder was due (9:00 AM): call mom. ":                 {"en", conversation.Reminder{Message: "call mom", At: noon.Add(-3 * time.Hour), Late: true}},
		"While I was away, a reminder was due (March 4, 2025, 12:00 PM): call mom. ": {"en", conversation.Reminder{Message: "call mom", At: noon.AddDate(-1, 0, 0), Late: true}},
		"Während ich aus war, kam eine Erinnerung (4.3.2025, 12:00 Uhr): Müll. ":     {"de", conversation.Reminder{Message: "Müll", At: noon.AddDate(-1, 0, 0), Late: true}},
		"Erinnerung: Mama anrufen. ":                                                 {"de-AT", conversation.Reminder{Message: "Mama anrufen", At: noon}},
		"Erinnerung (3.3., 12:00 Uhr): Müll. ":                                       {"de", conversation.Reminder{Message: "Müll", At: noon.Add(-24 * time.Hour)}},
		"Während ich aus war, kam eine Erinnerung (09:00 Uhr): Müll. ":               {"de", conversation.Reminder{Message: "Müll", At: noon.Add(-3 * time.Hour), Late: true}},
		"Notification: Ann: dinner is ready. ":                                       {"en", conversation.Reminder{Message: "Ann: dinner is ready", At: noon, Notification: true}},
		"Mitteilung (09:00 Uhr): Essen. ":                                            {"de", conversation.Reminder{Message: "Essen", At: noon.Add(-3 * time.Hour), Notification: true}},
		"Reminder: it has no words. ":                                                {"en", conversation.Reminder{At: noon}},
		"Reminder: " + strings.Repeat("ä", 200) + "…. ":                              {"en", conversation.Reminder{Message: strings.Repeat("ä", 201), At: noon}},
	} {
		_, opts := withWaiting(script(t, "Hello."), c.reminder)
		reply, err := conversation.New(opts).Converse(t.Context(), conversation.Request{Text: "hi", Language: c.language}, nil)
		if err != nil || reply.ResponseText != want+"Hello." {
			t.Errorf("%v: %q, want %q", err, reply.ResponseText, want)
		}
	}
}

// A model that is down, or a client that has left, loses no reminder.
func TestAReminderIsNotLost(t *testing.T) {
	waits, opts := withWaiting(modelFunc(func(ctx context.Context, _ loop.Request, _ func(string)) (loop.Completion, error) {
		<-ctx.Done()
		return loop.Completion{}, ctx.Err()
	}), conversation.Reminder{ID: "1", Message: "call mom", At: noon})
	service := conversation.New(opts)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := service.Converse(ctx, conversation.Request{Text: "hi", ConversationID: "a"}, nil); !errors.Is(err, conversation.ErrClientGone) || len(waits.waiting) != 1 {
		t.Errorf("%v; waiting %v", err, waits.waiting)
	}
	_, opts = withWaiting(script(t, &loop.Error{Kind: loop.KindConnection}), waits.waiting...)
	opts.Reminders = waits
	reply := say(t, conversation.New(opts), "a", "hi")
	if !strings.HasPrefix(reply.ResponseText, "Reminder: call mom. I'm sorry") || reply.Extra.Error == nil || len(waits.waiting) != 0 {
		t.Errorf("%+v", reply)
	}
	// A list that cannot be read stops no turn.
	broken, opts := withWaiting(script(t, "Hello."))
	broken.err = errors.New("the disk is broken")
	if reply := say(t, conversation.New(opts), "a", "hi"); reply.ResponseText != "Hello." {
		t.Errorf("%+v", reply)
	}
}

// Turns beside each other tell a reminder once between them.
func TestHammerRemindersAreToldByOneTurn(t *testing.T) {
	waits, opts := withWaiting(modelFunc(func(context.Context, loop.Request, func(string)) (loop.Completion, error) {
		return loop.Completion{Content: "Hello.", FinishReason: "stop"}, nil
	}))
	for i := range 20 {
		waits.waiting = append(waits.waiting, conversation.Reminder{ID: string(rune('a' + i)), Message: "tea", At: noon})
	}
	service := conversation.New(opts)
	var mu sync.Mutex
	count := 0
	var turns sync.WaitGroup
	for range 8 {
		turns.Go(func() {
			reply, err := service.Converse(t.Context(), conversation.Request{Text: "hi"}, nil)
			mu.Lock()
			defer mu.Unlock()
			if count += len(reply.Extra.Reminders); err != nil {
				t.Error(err)
			}
		})
	}
	turns.Wait()
	if count != 20 || len(waits.waiting) != 0 {
		t.Errorf("%d were told, %d wait", count, len(waits.waiting))
	}
}
