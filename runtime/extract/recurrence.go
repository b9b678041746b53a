package extract

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// codes are the names of weekdays in RFC 5545.
var codes = [7]string{"MO", "TU", "WE", "TH", "FR", "SA", "SU"}

const (
	workdays = 0b0011111
	weekend  = 0b1100000

	everyDays = workdays | weekend
)

// recurrences are rules like "every other monday".
func (s *speech) recurrences() []found { return s.settled(s.rawRecurrences()) }

func (s *speech) rawRecurrences() []found {
	return s.once(keptRecurrences, func() []found {
		return s.scan(s.recurrenceRules, s.rawEmails(), s.rawAddresses())
	})
}

// recurrence is a rule of RFC 5545.
type recurrence struct {
	every, month, monthDay int // of monthDay -1 is the last
	unit                   unit
	days                   uint8 // a bit for each weekday, Monday the lowest
	nth                    int   // such weekday of a month; -1 is the last
}

var frequencies = map[unit]string{minute: "MINUTELY", hour: "HOURLY", day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY"}

const everyMax = 1000

// found is the recurrence as a match.
func (r recurrence) found() (found, bool) {
	text := "FREQ=" + frequencies[r.unit]
	if r.every > 1 {
		text += ";INTERVAL=" + strconv.Itoa(r.every)
	}
	if r.month > 0 {
		text += ";BYMONTH=" + strconv.Itoa(r.month)
	}
	if r.monthDay != 0 {
		text += ";BYMONTHDAY=" + strconv.Itoa(r.monthDay)
	}
	var names []string
	for i, code := range codes {
		switch {
		case r.days&(1<<i) == 0:
		case r.nth != 0:
			names = append(names, strconv.Itoa(r.nth)+code)
		default:
			names = append(names, code)
		}
	}
	if names != nil {
		text += ";BYDAY=" + strings.Join(names, ",")
	}
	return found{value: text, repeats: r}, frequencies[r.unit] != "" && r.every >= 1 && r.every <= everyMax
}

// holds says whether the rule may begin on a day.
func (r recurrence) holds(day time.Time) bool {
	switch {
	case r.month != 0 && r.month != int(day.Month()),
		r.monthDay > 0 && r.monthDay != day.Day(),
		r.monthDay < 0 && day.AddDate(0, 0, 1).Day() != 1,
		r.days != 0 && r.days&(1<<(isoWeekday(day)-1)) == 0:
		return false
	}
	return r.nth == 0 || isNth(day, r.nth)
}

// interval is the number that a rule names, or the fixed one where that is not 0.
func (c *capture) interval(fixed int) int {
	if n := int(c.numbers[0]); fixed == 0 && float64(n) == c.numbers[0] {
		return n
	}
	return fixed
}

// everyUnit is "every two weeks"; every and of stand for what was not said.
func everyUnit(every int, of unit) meaning {
	return func(_ *speech, c *capture) (found, bool) {
		return recurrence{every: c.interval(every), unit: cmp.Or(of, c.unit)}.found()
	}
}

// everyWeekday is "every monday and thursday"; days stand for those that were not named, every for the weeks.
func everyWeekday(every int, days uint8) meaning {
	return func(_ *speech, c *capture) (found, bool) {
		return recurrence{every: c.interval(every), unit: week, days: cmp.Or(days, c.weekdays, 1<<c.weekday>>1)}.found()
	}
}

// everyDayBut is "every day except sunday", of those days.
func everyDayBut(days uint8) meaning {
	return func(s *speech, c *capture) (found, bool) {
		left := days &^ c.weekdays
		if left == 0 {
			return found{}, false
		}
		return everyWeekday(1, left)(s, c)
	}
}

// workweek is "monday to friday"; behind "from" it is a time that passes once.
func workweek(s *speech, c *capture) (found, bool) {
	if s.frames.span[s.at(c.from-1)] {
		return found{}, false
	}
	return everyWeekday(1, workdays)(s, c)
}

// everyMonth is "on the 15th of every month"; fixed is a day that has a name, -1 the last.
func everyMonth(fixed int) meaning {
	return func(_ *speech, c *capture) (found, bool) {
		return recurrence{every: 1, unit: month, monthDay: cmp.Or(fixed, c.day)}.found()
	}
}

// everyMonthWeekday is "the first monday of every month", -1 for the last.
func everyMonthWeekday(nth int) meaning {
	return func(_ *speech, c *capture) (found, bool) {
		if n := cmp.Or(nth, c.day); n <= 5 && c.weekday > 0 {
			return recurrence{every: 1, unit: month, nth: n, days: 1 << (c.weekday - 1)}.found()
		}
		return found{}, false
	}
}

// everyYear is "every year on june 5".
func everyYear(_ *speech, c *capture) (found, bool) {
	if date(2028, c.month, c.day).Day() != c.day {
		return found{}, false
	}
	return recurrence{every: 1, unit: year, month: c.month, monthDay: c.day}.found()
}

// everyDay is "everyday" where it is no adjective.
func everyDay(s *speech, c *capture) (found, bool) {
	if s.joined(c.to) && !s.is(c.to, lead|filler|polite) {
		return found{}, false
	}
	return everyUnit(1, day)(s, c)
}

// first is the first day from today on which a rule holds; today only if the time is still ahead.
func (s *speech) first(r recurrence, minute int) time.Time {
	today := s.midnight()
	return search(today.AddDate(0, 0, b(minute <= s.clockMinute())), today.AddDate(yearsAhead, 0, 1), r.holds)
}

func (s *speech) clockMinute() int { return s.context.Now.Hour()*60 + s.context.Now.Minute() }
