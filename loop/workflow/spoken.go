package workflow

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The layouts of values.
const (
	layoutDate     = "2006-01-02"
	layoutTime     = "15:04"
	layoutDatetime = "2006-01-02T15:04"
)

// formats are the forms of a field that a template may ask for.
var formats = []string{
	"minutes", // of a duration, a number
	"value",   // as it is stored
	"said",    // in the person's words
	"title",   // as it is stored, beginning with a capital
}

var dateNames = []string{"weekday", "month", "day", "year"}

// spoken is a field as it is said.
func (v *voice) spoken(kind string, value Value, now time.Time) string {
	switch kind {
	case "date":
		return v.day(value.Value, now)
	case "time":
		return v.clock(value.Value)
	case "datetime":
		date, clock, _ := strings.Cut(value.Value, "T")
		text, _ := v.offerTime.write(v.moment(date, clock, now))
		return text
	case "recurrence", "duration", "number":
		if value.Text != "" {
			return value.Text
		}
	case "phone":
		return strings.TrimSpace(value.Value)
	}
	return value.Value
}

func (v *voice) moment(date, clock string, now time.Time) lookup {
	return func(name, _ string) (string, bool) {
		if name == "date" {
			return v.day(date, now), true
		}
		return v.clock(clock), true
	}
}

// day is a date as it is said: today, a weekday within a week, the date otherwise.
func (v *voice) day(date string, now time.Time) string {
	day, err := time.Parse(layoutDate, date)
	if err != nil {
		return date
	}
	year, month, today := now.Date()
	away := int(day.Sub(time.Date(year, month, today, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
	t := v.date
	switch {
	case away == 0:
		return v.Today
	case away == 1:
		return v.Tomorrow
	case away > 1 && away < 7:
		t = v.weekday
	case day.Year() != year:
		t = v.dateYear
	}
	text, _ := t.write(func(name, _ string) (string, bool) {
		switch name {
		case "weekday":
			return v.Weekdays[day.Weekday()], true
		case "month":
			return v.Months[day.Month()-1], true
		case "year":
			return strconv.Itoa(day.Year()), true
		default:
			return strconv.Itoa(day.Day()), true
		}
	})
	return text
}

// clock is a time as it is said.
func (v *voice) clock(clock string) string {
	at, err := time.Parse(layoutTime, clock)
	if err != nil {
		return clock
	}
	layout := v.HourMinute
	if at.Minute() == 0 {
		layout = v.Hour
	}
	return strings.TrimPrefix(at.Format(layout), "0")
}

// minutes are those of a duration such as PT1H30M, or nothing.
func minutes(duration string) (string, bool) {
	rest, found := strings.CutPrefix(duration, "PT")
	length, err := time.ParseDuration(strings.ToLower(rest))
	return strconv.Itoa(int(math.Ceil(length.Minutes()))), found && err == nil && length > 0
}

// oneLine is a tool's text as it may be spoken: one line, without markup, bounded.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>{}[]|*_`#\\", r) {
			return ' '
		}
		return r
	}, text)), " ")
	if len(text) > spokenMax {
		text = strings.ToValidUTF8(text[:spokenMax], "")
	}
	return strings.TrimRight(text, ". ")
}
