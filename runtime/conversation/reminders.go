package conversation

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode"
)

// This file tells reminders that came due, and notifications, with the next reply in any conversation. The rules are:
//
//   - they stand before the answer, so that a question is what the person hears last;
//   - they are acknowledged when the turn is stored and its client is still there: at least once, and by one turn at a
//     time;
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

// Reminders keeps what came due, and messages for whoever talks next, until somebody has heard it. Its methods may be
// called by several goroutines at once.
type Reminders interface {
	// Pending gives the oldest that nobody has heard, only a few at once.
	Pending() ([]Reminder, error)
	// Acknowledge says that they were heard, and returns when that is durable.
	Acknowledge([]Reminder) error
}

// claims are the reminders that turns are telling just now. The zero value is ready.
type claims struct {
	mu  sync.Mutex
	ids map[string]bool // guarded by mu
}

// claim gives those that no other turn is telling. It asks for them while it holds the lock: what another turn has
// released was acknowledged, and is not among them.
func (c *claims) claim(from Reminders) (own []Reminder, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, err := from.Pending()
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	for _, r := range found {
		if !c.ids[r.ID] {
			c.ids[r.ID] = true
			own = append(own, r)
		}
	}
	return own, err
}

func (c *claims) release(own []Reminder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range own {
		delete(c.ids, r.ID)
	}
}

// takeReminders gives the reminders that a turn tells. The end releases them.
func (s *Service) takeReminders() (own []Reminder, end func()) {
	if s.opts.Reminders == nil {
		return nil, func() {}
	}
	own, err := s.claims.claim(s.opts.Reminders)
	if err != nil {
		s.opts.Log.Warn("the reminders cannot be read", "error", err)
	}
	return own, func() { s.claims.release(own) }
}

// acknowledge is called when the turn that told them is as durable as it gets.
func (s *Service) acknowledge(ctx context.Context, told []Reminder) {
	if len(told) == 0 || ctx.Err() != nil {
		return
	}
	if err := s.opts.Reminders.Acknowledge(told); err != nil {
		s.opts.Log.Error("reminders that were told will be told again", "error", err)
	}
}

// sayReminders are the sentences that tell the turn's reminders.
func (t *turn) sayReminders() string {
	sentences := make([]string, len(t.reminders))
	for i, r := range t.reminders {
		sentences[i] = t.sayReminder(r)
	}
	return strings.Join(sentences, " ")
}

func (t *turn) sayReminder(r Reminder) string {
	now := t.started
	at := r.At.In(now.Location())
	when := "when_today"
	switch {
	case at.Year() != now.Year():
		when = "when_other_year"
	case at.YearDay() != now.YearDay():
		when = "when_year"
	}
	sentence := "reminder"
	if r.Notification {
		sentence = "notification"
	}
	switch {
	case r.Late:
		sentence = "reminder_late"
	case now.Sub(at).Abs() >= reminderFresh:
		sentence += "_at"
	}
	message := spokenMessage(r.Message)
	if message == "" {
		message = t.sentence("reminder_empty")
	}
	return t.sentence(sentence, "message", message, "when", t.opts.Workflows().SayTime(t.request.Language, when, at))
}

// spokenMessage is a message as one short line without a full stop.
func spokenMessage(message string) string {
	unspoken := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }
	message = strings.Join(strings.FieldsFunc(message, unspoken), " ")
	if runes := []rune(message); len(runes) > reminderRunesMax {
		message = string(runes[:reminderRunesMax]) + "…"
	}
	return strings.TrimRight(message, ". ")
}
