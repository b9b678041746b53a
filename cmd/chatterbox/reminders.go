package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/toolbox"
)

// reminderTitle is the title of a mail or a notification about a reminder.
const reminderTitle = "Reminder"

// teller tells a reminder whose time has come over the channels that are set up for it. Conversations hear of it by themselves,
// unless a channel was first.
type teller struct {
	app      *app
	channels []channel
	taken    map[string]time.Time // by channel and reminder: the time that it was told of, while another channel was not to be had
	heard    func([]agenda.Due) error
}

// channel is one recipient over one channel.
type channel struct {
	name, to string
	sender   toolbox.Sender
}

func (c channel) telling(due agenda.Due) string { return c.name + " " + due.ID }

// teller makes one that says to heard what somebody has heard by it.
func (a *app) teller(heard func([]agenda.Due) error) (teller, error) {
	set, err := senders(a.settings.Deliver)
	if err != nil {
		return teller{}, err
	}
	t := teller{a, nil, map[string]time.Time{}, heard}
	settings := a.settings.Deliver
	for name, to := range map[string]string{
		"mail": settings.Mail.Reminders, "notification": settings.Notification.Reminders, mqttChannel: settings.MQTT.Reminders,
	} {
		if to != "" && set[name] != nil {
			t.channels = append(t.channels, channel{name, to, set[name]})
		}
	}
	return t, nil
}

// telling is tell, or nil where no channel is set up.
func (t teller) telling() func(context.Context, agenda.Due) error {
	if len(t.channels) == 0 {
		return nil
	}
	return t.tell
}

// tell returns when every channel has taken the reminder. Where one has not, only that one is tried again. One that has is
// enough for the house: no conversation tells it then. It is not for several goroutines at once.
func (t teller) tell(ctx context.Context, due agenda.Due) error {
	at := due.At.Format("2006-01-02 15:04")
	text := fmt.Sprintf("%s (%s)", due.Message, at)
	if due.Again {
		text += " - this may have been sent before"
	}
	var errs []error
	delivered := false
	for _, c := range t.channels {
		if t.taken[c.telling(due)].Equal(due.At) {
			continue
		}
		if err := c.sender.Send(ctx, c.to, reminderTitle, text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
			continue
		}
		t.taken[c.telling(due)] = due.At
		delivered = true
	}
	if delivered {
		if err := t.heard([]agenda.Due{due}); err != nil {
			t.app.log.ErrorContext(ctx, "a reminder that was sent will be told again", "reminder", due.ID, "error", err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, c := range t.channels {
		delete(t.taken, c.telling(due))
	}
	return nil
}

// unheard are the agenda's reminders for conversations.
type unheard struct{ agenda *agenda.Agenda }

func (u unheard) Unheard() ([]conversation.Reminder, error) {
	found, err := u.agenda.Unheard()
	out := make([]conversation.Reminder, len(found))
	for i, due := range found {
		out[i] = conversation.Reminder{ID: due.ID, Message: due.Message, At: due.At, Late: due.Late, Notification: due.Notification}
	}
	return out, err
}

func (u unheard) Heard(heard []conversation.Reminder) error {
	list := make([]agenda.Due, len(heard))
	for i, r := range heard {
		list[i] = agenda.Due{ID: r.ID, At: r.At}
	}
	return u.agenda.Heard(list)
}
