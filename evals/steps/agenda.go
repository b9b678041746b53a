package steps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// The product's own calendar and list of reminders, as a phone sees them.
const (
	calendarPath  = "/dav/calendars/home/"
	remindersPath = "/dav/calendars/reminders/"
)

// dueTime is how long a reminder that is due may take to come up, far beyond what it takes; dueLook is how often the log is
// looked at meanwhile.
const (
	dueTime = 30 * time.Second
	dueLook = 10 * time.Millisecond
)

// agendaSentences decide where the calendar is and whether it answers, and are what a phone does with it.
func (w *world) agendaSentences() bindings {
	return bindings{
		`the calendar is on another server`: func() error {
			return w.configure(func(*Settings) { w.calendarElsewhere = true })
		},
		`the calendar's server is out of order`: func() error { return w.breakCalendar(true) },
		`the calendar's server works again`:     func() error { return w.breakCalendar(false) },
		`a phone puts the reminder {text} into the list, due just now`: func(ctx context.Context, message string) error {
			return w.putReminder(ctx, message, 0)
		},
		`a phone puts the reminder {text} into the list, due {n} minutes ago`: w.putReminder,
	}
}

func (w *world) breakCalendar(broken bool) error {
	if !w.calendarElsewhere {
		return errors.New("only a calendar on another server can be out of order")
	}
	w.calendarIsBroken.Store(broken)
	return nil
}

// calendarDoor is another server with the calendar of the product itself behind it, unless it is out of order.
func (w *world) calendarDoor(out http.ResponseWriter, in *http.Request) {
	product, err := url.Parse(w.instance.URL)
	if err != nil || w.calendarIsBroken.Load() {
		http.Error(out, "out of order", http.StatusServiceUnavailable)
		return
	}
	door := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(product) }}
	door.ServeHTTP(out, in)
}

// putReminder puts a reminder there whose time has come, and waits until the product has noticed.
func (w *world) putReminder(ctx context.Context, message string, minutes int) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	at := time.Now().UTC().Add(-time.Duration(minutes) * time.Minute).Format("20060102T150405Z")
	id := "from-the-phone-" + at
	object := strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//phone//EN", "BEGIN:VTODO", "UID:" + id, "DTSTAMP:" + at, "DUE:" + at,
		"SUMMARY:" + message, "END:VTODO", "END:VCALENDAR", "",
	}, "\r\n")
	got, err := w.ask(ctx, http.MethodPut, remindersPath+id+".ics", map[string]string{"Content-Type": "text/calendar"}, []byte(object))
	if err != nil {
		return err
	}
	if got.status != http.StatusCreated && got.status != http.StatusNoContent {
		return fmt.Errorf("the product answered %d %s", got.status, got.body)
	}
	ctx, cancel := context.WithTimeout(ctx, dueTime)
	defer cancel()
	look := time.NewTicker(dueLook)
	defer look.Stop()
	for !strings.Contains(w.instance.Log(), "reminder="+id) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the reminder did not come up: %s", w.instance.Log())
		case <-look.C:
		}
	}
	return nil
}
