package agenda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/emersion/go-ical"
)

// This file bounds what one object may cost. Objects come from phones, from tools and from whoever writes into the
// folder, and a few bytes of them can ask for years of looking.

const (
	stepsMax = 20_000 // days that are looked at of one object, within one request or one look at the reminders
	zonesMax = 16     // that one object names; finding one means reading a file
	askEvery = 1 << 10
)

var (
	// errEffort is that following a series took all steps before the range that was asked for was reached.
	errEffort = fmt.Errorf(
		"RRULE: counting its times takes more than %d steps; UNTIL in place of COUNT does not", stepsMax)
	errZones = fmt.Errorf("it names more than %d time zones", zonesMax)
)

// effort is what one object may still cost. It is not for several goroutines at once.
type effort struct {
	ctx   context.Context
	house *time.Location            // of times that name no zone
	left  int                       // steps
	zones map[string]*time.Location // that were looked for
}

func newEffort(ctx context.Context, house *time.Location) *effort {
	return &effort{ctx: ctx, house: house, left: stepsMax, zones: map[string]*time.Location{}}
}

// step is errEffort when nothing is left, and the context's error when nobody waits any more.
func (e *effort) step() error {
	if e.left <= 0 {
		return errEffort
	}
	if e.left--; e.left%askEvery == 0 {
		return e.ctx.Err()
	}
	return nil
}

// zone is the one of that name, and the house's where there is none.
func (e *effort) zone(name string) (*time.Location, error) {
	if name == "" {
		return e.house, nil
	}
	if zone, ok := e.zones[name]; ok {
		return zone, nil
	}
	if len(e.zones) == zonesMax {
		return nil, errZones
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = e.house
	}
	e.zones[name] = zone
	return zone, nil
}

// oneSeries says that beside single times of a series there is only one of its kind: what a UID stands for.
func oneSeries(calendar *ical.Calendar) error {
	masters := 0
	for _, component := range calendar.Children {
		if component.Name != ical.CompTimezone && component.Props.Get(ical.PropRecurrenceID) == nil {
			masters++
		}
	}
	if masters > 1 {
		return errors.New("an object holds one event or task, and beside it only those with a RECURRENCE-ID")
	}
	return nil
}
