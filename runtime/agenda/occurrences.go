package agenda

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-ical"
)

// This file says when events and tasks are, those that repeat too. Times without a zone, and those of a zone that has
// no IANA name, are the house's.

const (
	occurrencesMax = 2_000 // of one object within one query
	// expandedBytesMax bounds the single times of one object in an answer, each of which is as long as the object.
	expandedBytesMax = 2 << 20
	horizonYears     = 10 // that series are followed in a range without an end
	dateLayout       = "20060102"
	timeLayout       = "20060102T150405"
)

// span is a time range; its end is not part of it. A zero end is open.
type span struct{ start, end time.Time }

// overlaps follows RFC 4791, section 9.9: what has no length is within a span that begins with it.
func (s span) overlaps(start, end time.Time) bool {
	if !s.end.IsZero() && !start.Before(s.end) {
		return false
	}
	return end.After(s.start) || !end.After(start) && start.Equal(s.start)
}

// occurrence is one time of an event or a task.
type occurrence struct {
	span
	component *ical.Component
	id        time.Time // which of a series it is; zero for what does not repeat
}

// instant reads a date or a time.
func (e *effort) instant(prop *ical.Prop) (at time.Time, isDate bool, err error) {
	switch value := prop.Value; {
	case len(value) == len(dateLayout):
		at, err = time.ParseInLocation(dateLayout, value, e.house)
		return at, true, err
	case strings.HasSuffix(value, "Z"):
		at, err = time.ParseInLocation(timeLayout, strings.TrimSuffix(value, "Z"), time.UTC)
		return at, false, err
	default:
		zone, err := e.zone(prop.Params.Get(ical.ParamTimezoneID))
		if err != nil {
			return at, false, err
		}
		at, err = time.ParseInLocation(timeLayout, value, zone)
		return at, false, err
	}
}

// extent gives the first time of a component; ok is false for a task without one.
func (e *effort) extent(component *ical.Component) (_ span, ok bool, err error) {
	start, end := component.Props.Get(ical.PropDateTimeStart), component.Props.Get(ical.PropDateTimeEnd)
	if component.Name == ical.CompToDo {
		if end = component.Props.Get(ical.PropDue); start == nil {
			start = end
		}
	}
	if start == nil {
		return span{}, false, nil
	}
	from, isDate, err := e.instant(start)
	if err != nil {
		return span{}, false, fmt.Errorf("%s: %w", start.Name, err)
	}
	to := from
	switch duration := component.Props.Get(ical.PropDuration); {
	case end != nil:
		if to, _, err = e.instant(end); err != nil {
			return span{}, false, fmt.Errorf("%s: %w", end.Name, err)
		}
	case duration != nil:
		length, err := duration.Duration()
		if err != nil {
			return span{}, false, err
		}
		to = from.Add(length)
	case isDate:
		to = from.AddDate(0, 0, 1)
	}
	if to.Before(from) {
		to = from
	}
	return span{from, to}, true, nil
}

// occurrences gives what of a calendar object lies in within, series in single times. A task without a time lies
// everywhere.
func (e *effort) occurrences(calendar *ical.Calendar, within span) ([]occurrence, error) {
	var found []occurrence
	moved := map[int64]bool{} // times of a series that stand as components of their own
	for _, component := range calendar.Children {
		if id := component.Props.Get(ical.PropRecurrenceID); id != nil {
			at, _, err := e.instant(id)
			if err != nil {
				return nil, fmt.Errorf("RECURRENCE-ID: %w", err)
			}
			moved[at.Unix()] = true
		}
	}
	for _, component := range calendar.Children {
		if component.Name == ical.CompTimezone {
			continue
		}
		when, ok, err := e.extent(component)
		if err != nil {
			return nil, err
		}
		var times []time.Time
		id := component.Props.Get(ical.PropRecurrenceID)
		switch {
		case !ok:
			found = append(found, occurrence{component: component})
			continue
		case id != nil:
			at, _, err := e.instant(id)
			if err != nil {
				return nil, err
			}
			if within.overlaps(when.start, when.end) {
				found = append(found, occurrence{when, component, at})
			}
			continue
		case !repeats(component):
			if within.overlaps(when.start, when.end) {
				found = append(found, occurrence{span: when, component: component})
			}
			continue
		}
		length := when.end.Sub(when.start)
		if times, err = e.series(component, when.start, span{within.start.Add(-length), within.end}); err != nil {
			return nil, err
		}
		for _, start := range times {
			o := occurrence{span{start, start.Add(length)}, component, start}
			if !moved[start.Unix()] && within.overlaps(o.start, o.end) {
				found = append(found, o)
			}
		}
	}
	return found, nil
}

func repeats(component *ical.Component) bool {
	return component.Props.Get(ical.PropRecurrenceRule) != nil || component.Props.Get(ical.PropRecurrenceDates) != nil
}

// series gives the starts within a span, in order.
func (e *effort) series(component *ical.Component, start time.Time, within span) ([]time.Time, error) {
	if within.end.IsZero() {
		within.end = within.start.AddDate(horizonYears, 0, 0)
		if start.After(within.start) {
			within.end = start.AddDate(horizonYears, 0, 0)
		}
	}
	added, err := e.listed(component, ical.PropRecurrenceDates, start)
	if err != nil {
		return nil, err
	}
	excepted, err := e.listed(component, ical.PropExceptionDates, start)
	if err != nil {
		return nil, err
	}
	times := append(added, start)
	if prop := component.Props.Get(ical.PropRecurrenceRule); prop != nil {
		rule, err := newRecurrence(prop.Value, start)
		if err != nil {
			return nil, err
		}
		ruled, err := rule.times(e, within)
		if err != nil {
			return nil, err
		}
		times = append(times, ruled...)
	}
	left := make(map[int64]bool, len(excepted))
	for _, at := range excepted {
		left[at.Unix()] = true
	}
	times = slices.DeleteFunc(times, func(at time.Time) bool {
		return left[at.Unix()] || at.Before(within.start) || !at.Before(within.end)
	})
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	return times[:min(len(times), occurrencesMax)], nil
}

// listed gives the times that a component lists under a name.
func (e *effort) listed(component *ical.Component, name string, start time.Time) ([]time.Time, error) {
	var found []time.Time
	for _, prop := range component.Props[name] {
		for value := range strings.SplitSeq(prop.Value, ",") {
			at, isDate, err := e.instant(&ical.Prop{Name: name, Params: prop.Params, Value: value})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if isDate { // of a series with a time of day, that day's
				hour, minute, second := start.Clock()
				at = time.Date(at.Year(), at.Month(), at.Day(), hour, minute, second, 0, start.Location())
			}
			found = append(found, at.In(start.Location()))
		}
	}
	return found, nil
}

// expanded gives the occurrences as a calendar without series, in UTC, as RFC 4791, section 9.6.5 wants it.
func expanded(calendar *ical.Calendar, found []occurrence) *ical.Calendar {
	result := ical.NewCalendar()
	for _, name := range []string{ical.PropProductID, ical.PropVersion} {
		if prop := calendar.Props.Get(name); prop != nil {
			result.Props.Set(prop)
		}
	}
	for _, o := range found {
		single := &ical.Component{Name: o.component.Name, Props: ical.Props{}, Children: o.component.Children}
		for name, props := range o.component.Props {
			switch name {
			case ical.PropRecurrenceRule, ical.PropRecurrenceDates, ical.PropExceptionDates, "EXRULE", ical.PropRecurrenceID:
			default:
				single.Props[name] = props
			}
		}
		start := o.component.Props.Get(ical.PropDateTimeStart)
		isDate := start != nil && len(start.Value) == len(dateLayout)
		if start != nil {
			single.Props.Set(timeProp(ical.PropDateTimeStart, o.start, isDate))
			if o.component.Props.Get(ical.PropDateTimeEnd) != nil {
				single.Props.Set(timeProp(ical.PropDateTimeEnd, o.end, isDate))
			}
		}
		if due := o.component.Props.Get(ical.PropDue); due != nil {
			single.Props.Set(timeProp(ical.PropDue, o.end, len(due.Value) == len(dateLayout)))
		}
		if !o.id.IsZero() {
			single.Props.Set(timeProp(ical.PropRecurrenceID, o.id, isDate))
		}
		result.Children = append(result.Children, single)
	}
	return result
}

func timeProp(name string, at time.Time, isDate bool) *ical.Prop {
	prop := ical.NewProp(name)
	if isDate {
		prop.SetDate(at)
	} else {
		prop.SetDateTime(at.UTC())
	}
	return prop
}
