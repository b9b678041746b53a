package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

func unheardBy([]agenda.Due) error { return nil }

// TestADeliveredReminderIsNotSpokenAgain holds that once is enough in a house: by a channel, or else in a conversation.
func TestADeliveredReminderIsNotSpokenAgain(t *testing.T) {
	down := errors.New("down")
	for name, c := range map[string]struct {
		channels []toolbox.Sender
		spoken   bool
	}{
		"no channel":                  {nil, true},
		"one that delivers":           {[]toolbox.Sender{&outbox{}}, false},
		"one that is down":            {[]toolbox.Sender{&outbox{err: down}}, true},
		"one of two that is down":     {[]toolbox.Sender{&outbox{err: down}, &outbox{}}, false},
		"one that asks while it does": {[]toolbox.Sender{asking{}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			kept, err := openAgenda(config.Config{Data: t.TempDir()}, time.UTC, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequest("PUT", agenda.RemindersPath+"1.ics", strings.NewReader("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n"+
				"BEGIN:VTODO\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nDUE:20260220T080000Z\r\nSUMMARY:tea\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"))
			request.Header.Set("Content-Type", "text/calendar")
			kept.Handler().ServeHTTP(httptest.NewRecorder(), request)
			tells, err := (&app{log: slog.New(slog.DiscardHandler)}).teller(kept.Heard)
			if err != nil {
				t.Fatal(err)
			}
			for i, sender := range c.channels {
				if ask, ok := sender.(asking); ok {
					ask.t, ask.unheard = t, unheard{kept}
					sender = ask
				}
				tells.channels = append(tells.channels, channel{fmt.Sprint(i), "ann", sender})
			}
			kept.Look(t.Context(), tells.telling())
			if found, err := (unheard{kept}).Unheard(); err != nil || (len(found) == 1) != c.spoken {
				t.Errorf("a conversation tells %v, %v", found, err)
			}
		})
	}
}

// asking delivers while a conversation asks what there is to tell.
type asking struct {
	t       *testing.T
	unheard unheard
}

func (a asking) Send(context.Context, string, string, string) error {
	if found, err := a.unheard.Unheard(); err != nil || len(found) > 0 {
		a.t.Errorf("while it is sent, a conversation tells %v, %v", found, err)
	}
	return nil
}

// TestRemindersAreToldOnceOverEachChannel holds that a channel which is down costs the others nothing.
func TestRemindersAreToldOnceOverEachChannel(t *testing.T) {
	mail, broker := &outbox{}, &outbox{err: errors.New("down")}
	tells := teller{&app{log: slog.New(slog.DiscardHandler)}, []channel{{"mail", "ann@example.org", mail}, {"mqtt", "house/say", broker}}, map[string]time.Time{}, unheardBy}
	due := agenda.Due{ID: "1", Message: "water the plants", At: time.Date(2026, 2, 20, 9, 0, 0, 0, time.UTC)}
	other := agenda.Due{ID: "2", Message: "call mom", At: due.At}
	for range 2 {
		for _, d := range []agenda.Due{due, other} {
			if err := tells.tell(t.Context(), d); err == nil || !strings.Contains(err.Error(), "mqtt: down") {
				t.Errorf("%s: %v", d.Message, err)
			}
		}
	}
	broker.err = nil
	if err := tells.tell(t.Context(), due); err != nil {
		t.Error(err)
	}
	later := due
	later.At = due.At.Add(24 * time.Hour)
	for _, d := range []agenda.Due{other, later} {
		if err := tells.tell(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
	const first, second, third = "Reminder|water the plants (2026-02-20 09:00)", "Reminder|call mom (2026-02-20 09:00)", "Reminder|water the plants (2026-02-21 09:00)"
	for to, box := range map[string]*outbox{"ann@example.org|": mail, "house/say|": broker} {
		if got, want := strings.Join(box.sent, "\n"), to+first+"\n"+to+second+"\n"+to+third; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	if len(tells.taken) > 0 {
		t.Errorf("%v is kept", tells.taken)
	}
}

func TestRemindersGoWhereTheyAreSetUp(t *testing.T) {
	settings := config.Default()
	settings.Deliver.Notification.URL, settings.Deliver.Notification.Reminders = "https://ntfy.example.org", "ann"
	settings.Deliver.MQTT = config.DeliverMQTT{URL: "mqtt://broker.example.org", Reminders: "house/say"}
	settings.Deliver.Mail.Reminders = "ann@example.org" // without a server
	made, err := (&app{settings: settings}).teller(unheardBy)
	got := map[string]string{}
	for _, c := range made.channels {
		got[c.name] = c.to
	}
	if err != nil || len(got) != 2 || got["mqtt"] != "house/say" || got["notification"] != "ann" {
		t.Errorf("%v, %v", got, err)
	}
}
