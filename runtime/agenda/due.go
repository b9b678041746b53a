package agenda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/emersion/go-ical"

	"chatterbox/runtime/internal/files"
)

// This file sends reminders when their time comes. The rules are:
//
//   - what is being sent is on the disk before it is sent, and that it was sent after it: a process that ends between
//     the two leaves a reminder that may have been sent, and is sent again as such;
//   - with the first of the two it also becomes pending, so that it is heard at least once even where nobody can be
//     notified; while it is being sent it is not given, since whoever sends it may acknowledge it;
//   - a time that was sent is not sent again, however the clock is set;
//   - a reminder that was missed is sent however late; of a series that was missed several times the last time is,
//     within lateMax.

const (
	lookInterval  = 30 * time.Second   // how soon a change of the clock, or by another process, is seen
	lateAfter     = 2 * time.Minute    // a reminder is late then
	lateMax       = 7 * 24 * time.Hour // and a time of a series is not sent any more then
	sendTime      = time.Minute        // how long sending may take, and how soon it is tried again
	patience      = 1000               // of how late it is: what was late by a week is tried again after ten minutes
	marksFile     = ".told.json"
	marksBytesMax = 4 << 20
)

// Due is a reminder whose time has come.
type Due struct {
	ID, Message string
	At          time.Time
	Late        bool // its time passed while nobody watched
	Again       bool // it may have been sent before

	Notification bool // it is a message for whoever talks next, and no reminder
}

// mark is how far a reminder is.
type mark struct {
	At      int64 `json:"at"`                // the time that was sent last
	Since   int64 `json:"since,omitempty"`   // since when it is being sent; 0 is that it was
	Failed  bool  `json:"failed,omitempty"`  // it could not be sent
	Pending bool  `json:"unheard,omitempty"` // it waits to be heard
	Late    bool  `json:"late,omitempty"`    // for whoever hears it

	Message string `json:"message,omitempty"` // of a notification, which has no object beside its mark
}

// leftBehind says whether it could not be sent, or whoever was sending it must have ended.
func (m mark) leftBehind(now time.Time) bool {
	since := time.Unix(m.Since, 0)
	wait := max(sendTime, since.Sub(time.Unix(m.At, 0))/patience)
	return m.Since != 0 && now.Sub(since).Abs() >= wait
}

// beingSent says whether somebody is sending it at this moment.
func (m mark) beingSent(now time.Time) bool {
	return m.Since != 0 && !m.Failed && now.Sub(time.Unix(m.Since, 0)).Abs() < sendTime
}

// Watch calls notify for each reminder when its time comes, one after the other, until ctx ends. Where notify fails it
// is called again after a while. A notify that is nil reaches nobody: whoever talks next hears it. At most one Watch of
// a folder may run in a process; a second process sends nothing twice.
func (a *Agenda) Watch(ctx context.Context, notify func(ctx context.Context, due Due) error) {
	for {
		timer := time.NewTimer(max(a.Look(ctx, notify), time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		case <-a.changed:
			timer.Stop()
		}
	}
}

// Look is one look of Watch: it calls notify for each reminder that is due now, and returns how long to wait for the
// next look.
func (a *Agenda) Look(ctx context.Context, notify func(ctx context.Context, due Due) error) time.Duration {
	due, next, err := a.due(ctx, time.Now())
	if err != nil {
		a.log.ErrorContext(ctx, "the reminders cannot be read", "error", err)
	}
	for _, d := range due {
		if err := a.remind(ctx, d, notify); err != nil && ctx.Err() == nil {
			a.log.ErrorContext(ctx, "a reminder cannot be sent", "reminder", d.ID, "error", err)
		}
	}
	return next
}

// due gives the reminders to send at now, and how long nothing more will be due.
func (a *Agenda) due(ctx context.Context, now time.Time) (found []Due, next time.Duration, err error) {
	next = lookInterval
	marks, err := a.marks()
	if err != nil {
		return nil, next, err
	}
	objects, err := a.store.list(reminders)
	if err != nil {
		return nil, next, err
	}
	for _, o := range objects {
		if closed(o.data) {
			continue
		}
		calendar, err := parse(o.data)
		if err != nil {
			a.log.Warn("a reminder cannot be read", "object", o.name, "error", err)
			continue
		}
		last := marks[o.uid]
		within := span{end: now.Add(lookInterval)}
		if slices.ContainsFunc(calendar.Children, repeats) {
			within.start = now.Add(-lateMax)
		}
		times, err := newEffort(ctx, a.zone).occurrences(calendar, within)
		if err != nil {
			a.log.Warn("a reminder cannot be read", "object", o.name, "error", err)
			continue
		}
		var ready *Due
		for _, t := range times {
			at := t.end // a task is due at its end, which is where it starts when nothing else is said
			again := at.Unix() == last.At && last.leftBehind(now)
			switch {
			case at.IsZero() || at.Unix() < last.At || at.Unix() == last.At && !again:
			case at.After(now):
				next = min(next, at.Sub(now))
			case ready == nil || at.After(ready.At):
				message, err := t.component.Props.Text(ical.PropSummary)
				if err != nil {
					message = "" // a text that is escaped wrongly; the time counts
				}
				ready = &Due{ID: o.uid, Message: message, At: at, Late: now.Sub(at) > lateAfter, Again: again && !last.Failed}
			}
		}
		if ready != nil {
			found = append(found, *ready)
		}
	}
	return found, next, nil
}

// remind sends one reminder between its two marks.
func (a *Agenda) remind(ctx context.Context, due Due, notify func(ctx context.Context, due Due) error) error {
	taken := false
	err := a.changeMarks(func(marks map[string]mark) {
		before, now := marks[due.ID], time.Now()
		if before.At > due.At.Unix() || before.At == due.At.Unix() && !before.leftBehind(now) {
			taken = true // another process was faster
			return
		}
		if before.At != due.At.Unix() {
			before = mark{At: due.At.Unix(), Pending: true, Late: due.Late}
		}
		before.Since, before.Failed = now.Unix(), false
		if notify == nil {
			before.Since = 0
		}
		marks[due.ID] = before
	})
	if err != nil || taken {
		return err
	}
	a.log.InfoContext(ctx, "reminder", "reminder", due.ID, "at", due.At, "late", due.Late, "again", due.Again)
	if notify == nil {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	failed := notify(within, due)
	return errors.Join(failed, a.changeMarks(func(marks map[string]mark) {
		m := marks[due.ID]
		if m.At != due.At.Unix() {
			return // the next time of a series came meanwhile
		}
		if m.Failed = failed != nil; !m.Failed {
			m.Since = 0
		}
		marks[due.ID] = m
	}))
}

func (a *Agenda) marks() (map[string]mark, error) {
	marks := map[string]mark{}
	data, err := os.ReadFile(filepath.Join(a.store.dir, marksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return marks, nil
	} else if err != nil {
		return nil, err
	}
	if len(data) > marksBytesMax {
		return nil, fmt.Errorf("%s has more than %d bytes", marksFile, marksBytesMax)
	}
	if err := json.Unmarshal(data, &marks); err != nil {
		return nil, fmt.Errorf("%s is not what was written there; delete it: %w", marksFile, err)
	}
	return marks, nil
}

// changeMarks changes the marks, and forgets those of reminders that are gone and of notifications that were
// acknowledged.
func (a *Agenda) changeMarks(change func(marks map[string]mark)) error {
	return a.store.locked(func() error {
		marks, err := a.marks()
		if err != nil {
			return err
		}
		objects, err := a.store.list(reminders)
		if err != nil {
			return err
		}
		change(marks)
		kept := map[string]mark{}
		for _, o := range objects {
			if m, ok := marks[o.uid]; ok && m.At != 0 {
				kept[o.uid] = m
			}
		}
		for id, m := range marks {
			if m.Message != "" && m.Pending {
				kept[id] = m
			}
		}
		data, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		return files.Write(filepath.Join(a.store.dir, marksFile), data, 0o600)
	})
}

// wake lets Watch look at once.
func (a *Agenda) wake() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}
