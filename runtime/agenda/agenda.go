// Package agenda is the calendar and the list of reminders of a house that has no other: iCalendar objects in a folder,
// served as CalDAV.
package agenda

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/emersion/go-webdav/caldav"
)

// Where things stand below the server's address.
const (
	Prefix        = "/dav/"
	homeSet       = Prefix + "calendars/"
	HomePath      = homeSet + home + "/"
	RemindersPath = homeSet + reminders + "/"

	home      = "home"
	reminders = "reminders"
)

// Options are what an Agenda needs.
type Options struct {
	Dir  string         // made where it is not there
	Zone *time.Location // of times that name no zone [UTC]
	Log  *slog.Logger   // [none]
}

// Agenda serves the calendars of a folder. Several of one folder may be open at once, also in different processes. All
// its methods may be called by several goroutines at once.
type Agenda struct {
	store *store
	zone  *time.Location
	log   *slog.Logger
	dav   caldav.Handler

	changed chan struct{} // has one when a reminder was changed
	silence silence
}

// Open makes the folder with its two calendars, where they are not there yet.
func Open(options Options) (*Agenda, error) {
	if options.Dir == "" {
		return nil, errors.New("open the agenda: no folder")
	}
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	for name, title := range map[string]string{home: "Home", reminders: "Reminders"} {
		if err := makeCalendar(filepath.Join(options.Dir, name), title); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("open the agenda: %w", err)
		}
	}
	a := &Agenda{store: newStore(options.Dir), zone: options.Zone, log: options.Log, changed: make(chan struct{}, 1)}
	a.dav = caldav.Handler{Backend: backend{a}}
	return a, nil
}

// Handler serves CalDAV under [Prefix], and the way there from /.well-known/caldav. Who may ask is decided before.
func (a *Agenda) Handler() http.Handler { return http.HandlerFunc(a.serve) }
