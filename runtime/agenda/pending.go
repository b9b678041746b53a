package agenda

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-ical"
)

const (
	pendingMax           = 5 // reminders and notifications that are given at once
	notificationsMax     = 100
	notificationBytesMax = 2 << 10
)

// silence remembers the file of marks in which nothing was pending.
type silence struct {
	mu   sync.Mutex
	file os.FileInfo // guarded by mu
}

// ErrNotKept is that a notification is none, or that too many wait.
var ErrNotKept = fmt.Errorf("a notification must have 1 to %d bytes, and at most %d can wait to be heard",
	notificationBytesMax, notificationsMax)

// Notify keeps a message until somebody has heard it, as if it were a reminder that came due. It returns when that is
// durable. The error is ErrNotKept, or of the disk.
func (a *Agenda) Notify(message string) error {
	if message == "" || len(message) > notificationBytesMax {
		return ErrNotKept
	}
	var refused error
	err := a.changeMarks(func(marks map[string]mark) {
		waiting := 0
		for _, m := range marks {
			if m.Message != "" {
				waiting++
			}
		}
		if waiting >= notificationsMax {
			refused = ErrNotKept
			return
		}
		now := time.Now()
		id := fmt.Sprintf("notification-%d-%s", now.UnixNano(), rand.Text())
		marks[id] = mark{At: now.Unix(), Pending: true, Message: message}
	})
	return errors.Join(err, refused)
}

// Pending gives notifications, and reminders that came due, that nobody has heard, the oldest first and at most five;
// of a series the last one. Reminders that are completed, deleted or being sent just now are not among them.
func (a *Agenda) Pending() ([]Due, error) {
	info, err := os.Stat(filepath.Join(a.store.dir, marksFile))
	if err != nil || a.silence.is(info) {
		return nil, ignoreAbsent(err)
	}
	marks, err := a.marks()
	if err != nil {
		return nil, err
	}
	objects, err := a.store.list(reminders)
	if err != nil {
		return nil, err
	}
	var found []Due
	waiting, now := false, time.Now()
	for _, o := range objects {
		m := marks[o.uid]
		waiting = waiting || m.Pending
		if m.Pending && !m.beingSent(now) && !closed(o.data) {
			found = append(found, Due{ID: o.uid, Message: messageOf(o.data), At: time.Unix(m.At, 0).In(a.zone), Late: m.Late})
		}
	}
	for id, m := range marks {
		if m.Message != "" {
			waiting = true
			found = append(found, Due{ID: id, Message: m.Message, At: time.Unix(m.At, 0).In(a.zone), Notification: true})
		}
	}
	if !waiting {
		a.silence.keep(info)
	}
	slices.SortFunc(found, func(a, b Due) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return found[:min(len(found), pendingMax)], nil
}

// Acknowledge says that they were heard. It returns when that is durable.
func (a *Agenda) Acknowledge(due []Due) error {
	return a.changeMarks(func(marks map[string]mark) {
		for _, d := range due {
			if m, ok := marks[d.ID]; ok && m.At == d.At.Unix() {
				m.Pending, m.Late = false, false
				marks[d.ID] = m
			}
		}
	})
}

func ignoreAbsent(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// is says whether the file is the one in which nothing was pending.
func (s *silence) is(info os.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file != nil && os.SameFile(s.file, info) && s.file.Size() == info.Size() && s.file.ModTime().Equal(info.ModTime())
}

func (s *silence) keep(info os.FileInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file = info
}

// closed says whether a reminder is not open any more.
func closed(object []byte) bool {
	return bytes.Contains(object, []byte("\nSTATUS:COMPLETED")) || bytes.Contains(object, []byte("\nSTATUS:CANCELLED"))
}

// messageOf is what a reminder says; empty where it cannot be read.
func messageOf(object []byte) string {
	calendar, err := parse(object)
	if err != nil {
		return ""
	}
	for _, child := range calendar.Children {
		if child.Name == ical.CompToDo {
			message, err := child.Props.Text(ical.PropSummary)
			if err == nil {
				return message
			}
		}
	}
	return ""
}
