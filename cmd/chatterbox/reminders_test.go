package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

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
			kept, err := agenda.Open(agenda.Options{Dir: t.TempDir(), Zone: time.UTC})
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequest("PUT", agenda.RemindersPath+"1.ics", strings.NewReader("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\n"+
				"BEGIN:VTODO\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\nDUE:20260220T080000Z\r\nSUMMARY:tea\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"))
			request.Header.Set("Content-Type", "text/calendar")
			kept.Handler().ServeHTTP(httptest.NewRecorder(), request)
			var channels []agenda.Channel
			for i, sender := range c.channels {
				if ask, ok := sender.(asking); ok {
					ask.t, ask.reminders = t, houseReminders{kept}
					sender = ask
				}
				channels = append(channels, agenda.Channel{Name: fmt.Sprint(i), To: "ann", Sender: sender})
			}
			kept.Look(t.Context(), kept.Notifier(channels, func(sentence string) string { return sentence }))
			if found, err := (houseReminders{kept}).Pending(); err != nil || (len(found) == 1) != c.spoken {
				t.Errorf("a conversation tells %v, %v", found, err)
			}
		})
	}
}

// asking delivers while a conversation asks what there is to tell.
type asking struct {
	t         *testing.T
	reminders houseReminders
}

func (a asking) Send(context.Context, string, string, string) error {
	if found, err := a.reminders.Pending(); err != nil || len(found) > 0 {
		a.t.Errorf("while it is sent, a conversation tells %v, %v", found, err)
	}
	return nil
}

func TestRemindersGoWhereTheyAreSetUp(t *testing.T) {
	settings := config.Default()
	settings.Deliver.Notification.URL, settings.Deliver.Notification.Reminders = "https://ntfy.example.org", "ann"
	settings.Deliver.MQTT = config.DeliverMQTT{URL: "mqtt://broker.example.org", Reminders: "house/say"}
	settings.Deliver.Mail.Reminders = "ann@example.org" // without a server
	channels, err := reminderChannels(settings.Deliver)
	got := map[string]string{}
	for _, c := range channels {
		got[c.Name] = c.To
	}
	if err != nil || len(got) != 2 || got["mqtt"] != "house/say" || got["notification"] != "ann" {
		t.Errorf("%v, %v", got, err)
	}
}
