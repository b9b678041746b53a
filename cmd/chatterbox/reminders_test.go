package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
)

// TestRemindersAreToldOnceOverEachChannel holds that a channel which is down costs the others nothing.
func TestRemindersAreToldOnceOverEachChannel(t *testing.T) {
	mail, broker := &outbox{}, &outbox{err: errors.New("down")}
	tells := teller{&app{log: slog.New(slog.DiscardHandler)}, []channel{{"mail", "ann@example.org", mail}, {"mqtt", "house/say", broker}}, map[string]time.Time{}}
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
	made, err := (&app{settings: settings}).teller()
	got := map[string]string{}
	for _, c := range made.channels {
		got[c.name] = c.to
	}
	if err != nil || len(got) != 2 || got["mqtt"] != "house/say" || got["notification"] != "ann" {
		t.Errorf("%v, %v", got, err)
	}
}
