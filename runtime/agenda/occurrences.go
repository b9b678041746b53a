package agenda

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emersion/go-ical"
	"github.com/teambition/rrule-go"
)

// This file says when events and tasks are, those that repeat too. Times without a zone, and those of a zone that has no
// IANA name, are the house's.

const (
	occurrencesMax = 2_000 // of one object within one query
	horizonYears   = 10    // that series are followed in a range without an end
	dateLayout     = "20060102"
	timeLayout     = "20060102T150405"
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
func instant(prop *ical.Prop, zone *time.Location) (at time.Time, isDate bool, err error) {
	switch value := prop.Value; {
	case len(value) == len(dateLayout):
		at, err = time.ParseInLocation(dateLayout, value, zone)
		return at, true, err
	case strings.HasSuffix(value, "Z"):
		at, err = time.ParseInLocation(timeLayout, strings.TrimSuffix(value, "Z"), time.UTC)
		return at, false, err
	default:
		if named, err := time.LoadLocation(prop.Params.Get(ical.ParamTimezoneID)); err == nil && prop.Params.Get(ical.ParamTimezoneID) != "" {
			zone = named
		}
		at, err = time.ParseInLocation(timeLayout, value, zone)
		return at, false, err
	}
}

// extent gives the first time of a component; ok is false for a task without one.
func extent(component *ical.Component, zone *time.Location) (_ span, ok bool, err error) {
	start, end := component.Props.Get(ical.PropDateTimeStart), component.Props.Get(ical.PropDateTimeEnd)
	if component.Name == ical.CompToDo {
		if end = component.Props.Get(ical.PropDue); start == nil {
			start = end
		}
	}
	if start == nil {
		return span{}, false, nil
	}
	from, isDate, err := instant(start, zone)
	if err != nil {
		return span{}, false, fmt.Errorf("%s: %w", start.Name, err)
	}
	to := from
	switch duration := component.Props.Get(ical.PropDuration); {
	case end != nil:
		if to, _, err = instant(end, zone); err != nil {
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

// occurrences gives what of a calendar object lies in within, series in single times. A task without a time lies everywhere.
func occurrences(calendar *ical.Calendar, zone *time.Location, within span) ([]occurrence, error) {
	var found []occurrence
	moved := map[int64]bool{} // times of a series that stand as components of their own
	for _, component := range calendar.Children {
		if id := component.Props.Get(ical.PropRecurrenceID); id != nil {
			at, _, err := instant(id, zone)
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
		when, ok, err := extent(component, zone)
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
			at, _, err := instant(id, zone)
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
		if times, err = series(component, when.start, zone, span{within.start.Add(-length), within.end}); err != nil {
			return nil, err
		}
		for _, start := range times {
			if o := (occurrence{span{start, start.Add(length)}, component, start}); !moved[start.Unix()] && within.overlaps(o.start, o.end) {
				found = append(found, o)
			}
		}
	}
	return found, nil
}

func repeats(component *ical.Component) bool {
	return component.Props.Get(ical.PropRecurrenceRule) != nil || component.Props.Get(ical.PropRecurrenceDates) != nil
}

// series gives the starts within a span, in order. The rule is cut at the span's end: a rule that never comes true would
// be followed to the year 9999.
func series(component *ical.Component, start time.Time, zone *time.Location, within span) ([]time.Time, error) {
	if within.end.IsZero() {
		within.end = within.start.AddDate(horizonYears, 0, 0)
		if start.After(within.start) {
			within.end = start.AddDate(horizonYears, 0, 0)
		}
	}
	set := rrule.Set{}
	set.DTStart(start)
	set.RDate(start)
	if prop := component.Props.Get(ical.PropRecurrenceRule); prop != nil {
		option, err := ruleOf(prop.Value, start)
		if err != nil {
			return nil, err
		}
		if option.Until.IsZero() || option.Until.After(within.end) {
			option.Until = within.end
		}
		rule, err := rrule.NewRRule(*option)
		if err != nil {
			return nil, fmt.Errorf("RRULE: %w", err)
		}
		set.RRule(rule)
	}
	for name, add := range map[string]func(time.Time){ical.PropRecurrenceDates: set.RDate, ical.PropExceptionDates: set.ExDate} {
		for _, prop := range component.Props[name] {
			for value := range strings.SplitSeq(prop.Value, ",") {
				at, isDate, err := instant(&ical.Prop{Name: name, Params: prop.Params, Value: value}, zone)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				if isDate { // of a series with a time of day, that day's
					at = time.Date(at.Year(), at.Month(), at.Day(), start.Hour(), start.Minute(), start.Second(), 0, start.Location())
				}
				add(at.In(start.Location()))
			}
		}
	}
	var found []time.Time
	next := set.Iterator()
	for at, ok := next(); ok && at.Before(within.end); at, ok = next() {
		if at.Before(within.start) {
			continue
		}
		if found = append(found, at); len(found) == occurrencesMax {
			break
		}
	}
	return found, nil
}

// ruleOf reads a recurrence rule. Rules that repeat within a day are not for calendars, and following one takes long.
func ruleOf(text string, start time.Time) (*rrule.ROption, error) {
	option, err := rrule.StrToROptionInLocation(text, start.Location())
	if err != nil {
		return nil, fmt.Errorf("RRULE: %w", err)
	}
	if option.Freq > rrule.DAILY || len(option.Byhour)+len(option.Byminute)+len(option.Bysecond) > 0 {
		return nil, errors.New("RRULE: only rules that repeat daily, weekly, monthly or yearly are taken")
	}
	option.Dtstart = start
	return option, nil
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
