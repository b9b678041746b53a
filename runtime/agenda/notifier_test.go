package agenda

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// outbox keeps what is sent, unless it is down.
type outbox struct {
	sent []string
	err  error
}

func (o *outbox) Send(_ context.Context, to, title, text string) error {
	if o.err == nil {
		o.sent = append(o.sent, to+"|"+title+"|"+text)
	}
	return o.err
}

// TestRemindersAreSentOnceOverEachChannel holds that a channel which is down costs the others nothing.
func TestRemindersAreSentOnceOverEachChannel(t *testing.T) {
	mail, broker := &outbox{}, &outbox{err: errors.New("down")}
	kept, err := Open(Options{Dir: t.TempDir(), Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	say := func(sentence string) string {
		return map[string]string{"reminder_title": "Reminder", "reminder_again": "this may have been sent before"}[sentence]
	}
	channels := []Channel{{"mail", "ann@example.org", mail}, {"mqtt", "house/say", broker}}
	sends := notifier{kept, channels, say, map[string]time.Time{}}
	due := Due{ID: "1", Message: "water the plants", At: time.Date(2026, 2, 20, 9, 0, 0, 0, time.UTC)}
	other := Due{ID: "2", Message: "call mom", At: due.At}
	for range 2 {
		for _, d := range []Due{due, other} {
			if err := sends.send(t.Context(), d); err == nil || !strings.Contains(err.Error(), "mqtt: down") {
				t.Errorf("%s: %v", d.Message, err)
			}
		}
	}
	broker.err = nil
	if err := sends.send(t.Context(), due); err != nil {
		t.Error(err)
	}
	later := due
	later.At = due.At.Add(24 * time.Hour)
	for _, d := range []Due{other, later} {
		if err := sends.send(t.Context(), d); err != nil {
			t.Error(err)
		}
	}
	const first, second, third = "Reminder|water the plants (2026-02-20 09:00)", "Reminder|call mom (2026-02-20 09:00)", "Reminder|water the plants (2026-02-21 09:00)"
	for to, box := range map[string]*outbox{"ann@example.org|": mail, "house/say|": broker} {
		if got, want := strings.Join(box.sent, "\n"), to+first+"\n"+to+second+"\n"+to+third; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	if len(sends.taken) > 0 {
		t.Errorf("%v is kept", sends.taken)
	}
}
