package agenda

import (
	"errors"
	"fmt"
	"time"

	"github.com/teambition/rrule-go"
)

// This file follows recurrence rules, day by day. The rules are:
//
//   - every day that is looked at is counted, and so is every month that is left out at once: see effort;
//   - a rule without COUNT is followed from the range that is asked for, and not from its start;
//   - nothing that a rule says makes looking at one day take longer: its lists become sets of bits.

const (
	yearMax     = 9999
	intervalMax = 366 * yearMax // days: whatever is longer comes once
)

// numbers are those of a part of a rule, counted from the start, and those counted from the end.
type numbers struct {
	fromStart, fromEnd [6]uint64
	any                bool
}

func (n *numbers) add(values ...int) {
	for _, v := range values {
		n.any = true
		if v < 0 {
			n.fromEnd[-v>>6] |= 1 << (-v & 63)
		} else {
			n.fromStart[v>>6] |= 1 << (v & 63)
		}
	}
}

// has looks for what is the one number counted from the start, and the other from the end. Both are below 384.
func (n *numbers) has(fromStart, fromEnd int) bool {
	return n.fromStart[fromStart>>6]&(1<<(fromStart&63)) != 0 || n.fromEnd[fromEnd>>6]&(1<<(fromEnd&63)) != 0
}

// recurrence is a rule that is ready to be followed. Weekdays begin with Monday, as 0.
type recurrence struct {
	frequency       rrule.Frequency
	interval, count int // no count is 0
	start, until    time.Time
	weekStart       int

	months, monthDays, yearDays, weeks, weekdays, positions numbers
	nth                                                     [7]numbers // by weekday: which one of the month or the year
	anyNth                                                  bool
}

// newRecurrence reads a rule. Those that repeat within a day are not for calendars.
func newRecurrence(text string, start time.Time) (*recurrence, error) {
	option, err := rrule.StrToROptionInLocation(text, start.Location())
	if err != nil {
		return nil, fmt.Errorf("RRULE: %w", err)
	}
	within := len(option.Byhour) + len(option.Byminute) + len(option.Bysecond)
	if option.Freq > rrule.DAILY || within+len(option.Byeaster) > 0 {
		return nil, errors.New("RRULE: only rules that repeat daily, weekly, monthly or yearly are taken")
	}
	option.Dtstart = start
	if _, err := rrule.NewRRule(*option); err != nil { // says which number is out of range
		return nil, fmt.Errorf("RRULE: %w", err)
	}
	r := &recurrence{
		frequency: option.Freq, interval: min(max(option.Interval, 1), intervalMax), count: max(option.Count, 0),
		start: start, until: option.Until, weekStart: option.Wkst.Day(),
	}
	r.months.add(option.Bymonth...)
	r.monthDays.add(option.Bymonthday...)
	r.yearDays.add(option.Byyearday...)
	r.weeks.add(option.Byweekno...)
	r.positions.add(option.Bysetpos...)
	for _, day := range option.Byweekday {
		if day.N() == 0 || r.frequency > rrule.MONTHLY {
			r.weekdays.add(day.Day())
		} else {
			r.nth[day.Day()].add(day.N())
			r.anyNth = true
		}
	}
	r.fillIn()
	return r, nil
}

// fillIn takes from the start what the rule leaves open.
func (r *recurrence) fillIn() {
	if r.monthDays.any || r.yearDays.any || r.weeks.any || r.weekdays.any || r.anyNth {
		return
	}
	switch r.frequency {
	case rrule.YEARLY:
		if !r.months.any {
			r.months.add(int(r.start.Month()))
		}
		r.monthDays.add(r.start.Day())
	case rrule.MONTHLY:
		r.monthDays.add(r.start.Day())
	case rrule.WEEKLY:
		r.weekdays.add(weekdayOf(numberOf(r.start.Date())))
	}
}

// times gives the starts within a span that has an end, in order and at most occurrencesMax.
func (r *recurrence) times(e *effort, within span) ([]time.Time, error) {
	var found []time.Time
	last := numberOf(within.end.In(r.start.Location()).Date()) + 1
	hour, minute, second := r.start.Clock()
	counted, reached := 0, r.count == 0
	var period int
	if reached {
		period = r.periodOf(numberOf(within.start.In(r.start.Location()).Date()) - 1)
	}
	for ; ; period++ {
		from, to, ok := r.period(period)
		if !ok || from > last {
			return found, nil
		}
		days, err := r.days(e, from, to)
		if errors.Is(err, errEffort) && reached {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		for _, day := range days {
			at := time.Date(day.year, day.month, day.day, hour, minute, second, 0, r.start.Location())
			if at.Before(r.start) {
				continue
			}
			if !at.Before(within.end) || !r.until.IsZero() && at.After(r.until) {
				return found, nil
			}
			if counted++; !at.Before(within.start) {
				reached = true
				found = append(found, at)
			}
			if counted == r.count || len(found) == occurrencesMax {
				return found, nil
			}
		}
	}
}

// periodOf gives the last period that begins no later than a day, or the first one.
func (r *recurrence) periodOf(number int) int {
	begin := numberOf(r.start.Date())
	if number <= begin {
		return 0
	}
	first, day := dayOf(begin), dayOf(number)
	switch r.frequency {
	case rrule.YEARLY:
		return (day.year - first.year) / r.interval
	case rrule.MONTHLY:
		return (12*(day.year-first.year) + int(day.month-first.month)) / r.interval
	case rrule.WEEKLY:
		return (number - r.weekOf(begin)) / (7 * r.interval)
	default:
		return (number - begin) / r.interval
	}
}

// period gives the first and the last day of a period; ok is false for those after all calendars' end.
func (r *recurrence) period(period int) (from, to int, ok bool) {
	year, month, _ := r.start.Date()
	steps := period * r.interval
	switch r.frequency {
	case rrule.YEARLY:
		year += steps
		from, to = numberOf(year, time.January, 1), numberOf(year+1, time.January, 1)-1
	case rrule.MONTHLY:
		steps += int(month) - 1
		year, month = year+steps/12, time.Month(steps%12+1)
		from = numberOf(year, month, 1)
		to = from + monthLength(year, month) - 1
	case rrule.WEEKLY:
		from = r.weekOf(numberOf(r.start.Date())) + 7*steps
		to = from + 6
	default:
		from = numberOf(r.start.Date()) + steps
		to = from
	}
	return from, to, from <= numberOf(yearMax, time.December, 31)
}

// weekOf gives the first day of the week that a day is in.
func (r *recurrence) weekOf(number int) int { return number - (weekdayOf(number)-r.weekStart+7)%7 }

// days gives those of a period on which the rule comes true.
func (r *recurrence) days(e *effort, from, to int) ([]day, error) {
	var found []day
	for d := dayOf(from); d.number <= to; {
		if err := e.step(); err != nil {
			return nil, err
		}
		length := monthLength(d.year, d.month)
		if r.months.any && !r.months.has(int(d.month), 0) {
			d = d.after(length - d.day + 1)
			continue
		}
		if r.comesTrue(d, length) {
			found = append(found, d)
		}
		d = d.after(1)
	}
	if !r.positions.any {
		return found, nil
	}
	var kept []day
	for i, d := range found {
		if r.positions.has(i+1, len(found)-i) {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// comesTrue says whether a day of a month that fits does.
func (r *recurrence) comesTrue(d day, monthLength int) bool {
	if r.monthDays.any && !r.monthDays.has(d.day, monthLength-d.day+1) {
		return false
	}
	weekday := weekdayOf(d.number)
	if (r.weekdays.any || r.anyNth) && !r.weekdays.has(weekday, 0) && !r.isNth(d, weekday, monthLength) {
		return false
	}
	if r.yearDays.any {
		yearDay, length := d.inYear()
		if !r.yearDays.has(yearDay, length-yearDay+1) {
			return false
		}
	}
	if r.weeks.any { // a week is of the year that has its fourth day
		yearDay, length := dayOf(r.weekOf(d.number) + 3).inYear()
		return r.weeks.has((yearDay-1)/7+1, (length-yearDay)/7+1)
	}
	return true
}

// isNth says whether a day is such a one as "the second Monday": of the month, or of the year in a yearly rule without
// months.
func (r *recurrence) isNth(d day, weekday, length int) bool {
	if !r.anyNth {
		return false
	}
	at := d.day
	if r.frequency == rrule.YEARLY && !r.months.any {
		at, length = d.inYear()
	}
	return r.nth[weekday].has((at-1)/7+1, (length-at)/7+1)
}

// day is one of the calendar; its number is that of days since 1970.
type day struct {
	number, year int
	month        time.Month
	day          int
}

const secondsOfDay = 24 * 60 * 60

func dayOf(number int) day {
	year, month, of := time.Unix(int64(number)*secondsOfDay, 0).UTC().Date()
	return day{number, year, month, of}
}

func numberOf(year int, month time.Month, of int) int {
	return int(time.Date(year, month, of, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay)
}

func weekdayOf(number int) int { return ((number+3)%7 + 7) % 7 }

func monthLength(year int, month time.Month) int {
	switch month {
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case time.April, time.June, time.September, time.November:
		return 30
	}
	return 31
}

// after gives the day that comes a number of days later: of the same month, or the first of the next.
func (d day) after(days int) day {
	d.number, d.day = d.number+days, d.day+days
	if d.day <= 28 || d.day <= monthLength(d.year, d.month) {
		return d
	}
	if d.day, d.month = 1, d.month+1; d.month > time.December {
		d.month, d.year = time.January, d.year+1
	}
	return d
}

// inYear gives which day of its year it is, and how many that has.
func (d day) inYear() (at, length int) {
	first := numberOf(d.year, time.January, 1)
	return d.number - first + 1, 337 + monthLength(d.year, time.February)
}
