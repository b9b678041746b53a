package conversation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
)

// This file tells reminders that came due, and notifications, with the next reply in any conversation. The rules are:
//
//   - they stand before the answer, so that a question is what the person hears last;
//   - they count as heard when the turn is stored and its client is still there: at least once, and by one turn at a time;
//   - an apology tells them too: a model that is down keeps no reminder back.

const (
	reminderRunesMax = 200              // of a message, as it is spoken
	reminderFresh    = 10 * time.Minute // how long a reminder is told without its time
)

// Reminder is one that came due.
type Reminder struct {
	ID      string    `json:"id"`
	Message string    `json:"message"`
	At      time.Time `json:"at"`
	Late    bool      `json:"late"` // it came due while nobody watched

	Notification bool `json:"notification,omitempty"` // it is a message, and no reminder
}

// Reminders keeps what came due, and messages for whoever talks next, until it was heard. Its methods may be called by several goroutines at once.
type Reminders interface {
	// Unheard gives the oldest that nobody has heard, only a few at once.
	Unheard() ([]Reminder, error)
	// Heard says that they were heard, and returns when that is durable.
	Heard(heard []Reminder) error
}

// told are the reminders that turns are telling just now. The zero value is ready.
type told struct {
	mu  sync.Mutex
	ids map[string]bool // guarded by mu
}

// claim gives those that no other turn is telling. It asks for them while it holds the lock: what another turn has released
// was heard, and is not among them.
func (t *told) claim(from Reminders) (own []Reminder, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, err := from.Unheard()
	if t.ids == nil {
		t.ids = map[string]bool{}
	}
	for _, r := range found {
		if !t.ids[r.ID] {
			t.ids[r.ID] = true
			own = append(own, r)
		}
	}
	return own, err
}

func (t *told) release(own []Reminder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range own {
		delete(t.ids, r.ID)
	}
}

// takeReminders lets the turn tell what came due. The end releases what it took.
func (t *turn) takeReminders() (end func()) {
	if t.opts.Reminders == nil {
		return func() {}
	}
	var err error
	if t.reminders, err = t.told.claim(t.opts.Reminders); err != nil {
		t.opts.Log.Warn("the reminders cannot be read", "error", err)
	}
	if len(t.reminders) > 0 {
		t.speaker.first = t.reminding() + " "
	}
	return func() { t.told.release(t.reminders) }
}

// hearReminders is called when the turn is as durable as it gets.
func (t *turn) hearReminders(ctx context.Context) {
	if len(t.reminders) == 0 || ctx.Err() != nil {
		return
	}
	if err := t.opts.Reminders.Heard(t.reminders); err != nil {
		t.opts.Log.Error("reminders that were told will be told again", "error", err)
	}
}

// reminding are the sentences that tell the turn's reminders.
func (t *turn) reminding() string {
	sentences := make([]string, len(t.reminders))
	for i, r := range t.reminders {
		sentences[i] = t.sayReminder(r)
	}
	return strings.Join(sentences, " ")
}

func (t *turn) sayReminder(r Reminder) string {
	at := r.At.In(t.started.Location())
	layout, today := t.inLanguage("3:04 PM", "15:04 Uhr"), t.started.Format(time.DateOnly)
	switch {
	case at.Year() != t.started.Year():
		layout = t.inLanguage("January 2, 2006, ", "2.1.2006, ") + layout
	case at.Format(time.DateOnly) != today:
		layout = t.inLanguage("January 2, ", "2.1., ") + layout
	}
	message, when, kind := spokenMessage(r.Message), at.Format(layout), t.inLanguage("Reminder", "Erinnerung")
	if r.Notification {
		kind = t.inLanguage("Notification", "Mitteilung")
	}
	if message == "" {
		message = t.inLanguage("it has no words", "sie hat keine Worte")
	}
	switch {
	case r.Late:
		return fmt.Sprintf(t.inLanguage("While I was away, a reminder was due (%s): %s.", "Während ich aus war, kam eine Erinnerung (%s): %s."), when, message)
	case t.started.Sub(at).Abs() < reminderFresh:
		return fmt.Sprintf("%s: %s.", kind, message)
	}
	return fmt.Sprintf("%s (%s): %s.", kind, when, message)
}

// spokenMessage is a message as one short line without a full stop.
func spokenMessage(message string) string {
	message = strings.Join(strings.FieldsFunc(message, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }), " ")
	if runes := []rune(message); len(runes) > reminderRunesMax {
		message = string(runes[:reminderRunesMax]) + "…"
	}
	return strings.TrimRight(message, ". ")
}
