package extract

import (
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
		return s.scan(s.language.recurrenceRules, s.rawEmails(), s.rawAddresses())
	})
}

func recurring(parts ...string) (found, bool) {
	return found{value: strings.Join(parts, ";")}, true
}

var frequencies = map[unit]string{minute: "MINUTELY", hour: "HOURLY", day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY"}

// everyUnit is "every two weeks"; fixed stands for a number that was not said.
func everyUnit(fixed int, of unit) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		n, u := fixed, of
		if n == 0 {
			n = int(c.numbers[0])
			if n < 1 || n > intervalMax || float64(n) != c.numbers[0] {
				return found{}, false
			}
		}
		if u == noUnit {
			u = c.unit
		}
		frequency, ok := frequencies[u]
		if !ok {
			return found{}, false
		}
		if n == 1 {
			return recurring("FREQ=" + frequency)
		}
		return recurring("FREQ="+frequency, "INTERVAL="+strconv.Itoa(n))
	}
}

const intervalMax = 1000

// everyWeekday is "every monday and thursday"; fixed days stand for those that were not named. An interval of 0 is the one
// that was said.
func everyWeekday(interval int, fixed uint8) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		weeks := interval
		if weeks == 0 {
			weeks = int(c.numbers[0])
		}
		days := fixed
		if days == 0 {
			days = c.weekdays
		}
		if days == 0 && c.weekday > 0 {
			days = 1 << (c.weekday - 1)
		}
		var names []string
		for i, code := range codes {
			if days&(1<<i) != 0 {
				names = append(names, code)
			}
		}
		by := "BYDAY=" + strings.Join(names, ",")
		if weeks > 1 {
			return recurring("FREQ=WEEKLY", "INTERVAL="+strconv.Itoa(weeks), by)
		}
		return recurring("FREQ=WEEKLY", by)
	}
}

// everyDayBut is "every day except sunday", of those days.
func everyDayBut(days uint8) func(*speech, *capture) (found, bool) {
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
	if s.language.frames.span[s.at(c.from-1)] {
		return found{}, false
	}
	return everyWeekday(1, workdays)(s, c)
}

// everyMonth is "on the 15th of every month".
func everyMonth(_ *speech, c *capture) (found, bool) {
	return recurring("FREQ=MONTHLY", "BYMONTHDAY="+strconv.Itoa(c.day))
}

// onMonthDay is everyMonth for a day that has a name; -1 is the last.
func onMonthDay(n int) func(*speech, *capture) (found, bool) {
	return func(*speech, *capture) (found, bool) { return recurring("FREQ=MONTHLY", "BYMONTHDAY="+strconv.Itoa(n)) }
}

// everyMonthWeekday is "the first monday of every month", -1 for the last.
func everyMonthWeekday(nth int) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		n := nth
		if n == 0 {
			n = c.day
		}
		return found{value: "FREQ=MONTHLY;BYDAY=" + strconv.Itoa(n) + codes[c.weekday-1]}, n <= 5 && c.weekday > 0
	}
}

// everyYear is "every year on june 5".
func everyYear(_ *speech, c *capture) (found, bool) {
	if date(2028, c.month, c.day).Day() != c.day {
		return found{}, false
	}
	return recurring("FREQ=YEARLY", "BYMONTH="+strconv.Itoa(c.month), "BYMONTHDAY="+strconv.Itoa(c.day))
}

// everyDay is "everyday" where it is no adjective.
func everyDay(s *speech, c *capture) (found, bool) {
	if s.joined(c.to) && !s.is(c.to, lead|filler|polite) {
		return found{}, false
	}
	return recurring("FREQ=DAILY")
}

// everyPart is "every morning".
func everyPart(_ *speech, _ *capture) (found, bool) { return recurring("FREQ=DAILY") }

// field is one part of a rule, empty if it has none.
func field(rule, name string) string {
	for part := range strings.SplitSeq(rule, ";") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			return value
		}
	}
	return ""
}

// yearsAhead is how far the first day of a recurrence may lie: that of a leap day.
const yearsAhead = 8

// first is the first day from today on which a rule holds; today only if the time is still ahead.
func (s *speech) first(rule string, minute int) (time.Time, bool) {
	today := s.midnight()
	start := today
	if minute <= s.clockMinute() {
		start = start.AddDate(0, 0, 1)
	}
	for day := start; day.Before(today.AddDate(yearsAhead, 0, 1)); day = day.AddDate(0, 0, 1) {
		if holds(rule, day) {
			return day, true
		}
	}
	return time.Time{}, false
}

func (s *speech) clockMinute() int { return s.context.Now.Hour()*60 + s.context.Now.Minute() }

// holds says whether a rule may begin on a day.
func holds(rule string, day time.Time) bool {
	if by := field(rule, "BYMONTH"); by != "" && by != strconv.Itoa(int(day.Month())) {
		return false
	}
	if by := field(rule, "BYMONTHDAY"); by == "-1" && day.AddDate(0, 0, 1).Day() != 1 || by != "" && by != "-1" && by != strconv.Itoa(day.Day()) {
		return false
	}
	by := field(rule, "BYDAY")
	if by == "" {
		return true
	}
	code := codes[isoWeekday(day)-1]
	nth := strings.TrimRight(by, "MOTUWEHFRSA")
	switch {
	case nth == "" || strings.Contains(by, ","):
		return strings.Contains(by, code)
	case nth == "-1":
		return strings.HasSuffix(by, code) && day.AddDate(0, 0, 7).Month() != day.Month()
	default:
		return strings.HasSuffix(by, code) && strconv.Itoa((day.Day()+6)/7) == nth
	}
}
