package agenda

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Channel is one recipient over one channel.
type Channel struct {
	Name, To string
	Sender   interface {
		Send(ctx context.Context, to, title, text string) error
	}
}

func (c Channel) sent(due Due) string { return c.Name + " " + due.ID }

// notifier sends a reminder whose time has come over channels. Conversations hear of it by themselves, unless a
// channel was first.
type notifier struct {
	agenda   *Agenda
	channels []Channel
	say      func(sentence string) string
	// taken is by channel and reminder the time that was sent, while another channel was not to be had.
	taken map[string]time.Time
}

// Notifier is what [Agenda.Watch] calls to send reminders over the channels, nil where there is none. It returns when
// every channel has taken the reminder. Where one has not, only that one is tried again. One that has is enough for the
// house: no conversation says it then. It is not for several goroutines at once. Say gives the sentences of the
// catalogue reminder_title, which is the title of a message, and reminder_again, that it may have been sent before.
func (a *Agenda) Notifier(channels []Channel, say func(sentence string) string) func(context.Context, Due) error {
	if len(channels) == 0 {
		return nil
	}
	return (&notifier{a, channels, say, map[string]time.Time{}}).send
}

func (n *notifier) send(ctx context.Context, due Due) error {
	text := fmt.Sprintf("%s (%s)", due.Message, due.At.Format("2006-01-02 15:04"))
	if due.Again {
		text += " - " + n.say("reminder_again")
	}
	var errs []error
	delivered := false
	for _, c := range n.channels {
		if n.taken[c.sent(due)].Equal(due.At) {
			continue
		}
		if err := c.Sender.Send(ctx, c.To, n.say("reminder_title"), text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
			continue
		}
		n.taken[c.sent(due)] = due.At
		delivered = true
	}
	if delivered {
		if err := n.agenda.Acknowledge([]Due{due}); err != nil {
			n.agenda.log.ErrorContext(ctx, "a reminder that was sent will be said again", "reminder", due.ID, "error", err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, c := range n.channels {
		delete(n.taken, c.sent(due))
	}
	return nil
}
