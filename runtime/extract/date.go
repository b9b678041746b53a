package extract

import (
	"slices"
	"strings"
	"time"
)

// dates are the days that count; rawDates also those that were taken back.
func (s *speech) dates() []found { return s.settled(s.rawDates()) }

func (s *speech) rawDates() []found { return s.once(keptDates, s.findDates) }

func (s *speech) findDates() []found {
	taken := [][]found{s.rawEmails(), s.rawPhones(), s.rawAddresses(), s.rawRecurrences(), s.rawMoments()}
	written := s.writtenDates(taken)
	all := append(s.scan(s.language.dateRules, append(taken, written)...), written...)
	for _, m := range s.rawMoments() {
		m.value, m.moment = m.day.Format(time.DateOnly), true
		all = append(all, m)
	}
	return ordered(all)
}

func dated(day time.Time) (found, bool) {
	return found{day: day, value: day.Format(time.DateOnly)}, !day.IsZero() && day.Year() > 0 && day.Year() <= yearMax
}

const yearMax = 9999 // the canonical form has four digits

// today, tomorrow: so many days from now.
func ahead(days int) func(*speech, *capture) (found, bool) {
	return func(s *speech, _ *capture) (found, bool) { return dated(s.midnight().AddDate(0, 0, days)) }
}

// weekdayIn is the weekday of this week (0) or one after it, where weeks begin on Monday.
func weekdayIn(weeks int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		today := s.midnight()
		return dated(today.AddDate(0, 0, c.weekday-isoWeekday(today)+7*weeks))
	}
}

// coming is the next such weekday after today; least is 0 where today counts too.
func coming(least int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		if s.language.frames.noDay[s.at(c.from-1)] {
			return found{}, false
		}
		return dated(s.nextWeekday(c.weekday, least))
	}
}

func (s *speech) nextWeekday(weekday, least int) time.Time {
	today := s.midnight()
	days := (weekday - isoWeekday(today) + 7) % 7
	if days < least {
		days += 7
	}
	return today.AddDate(0, 0, days)
}

func isoWeekday(day time.Time) int { return (int(day.Weekday())+6)%7 + 1 }

// past is the last such weekday before today.
func past(s *speech, c *capture) (found, bool) {
	return dated(s.nextWeekday(c.weekday, 1).AddDate(0, 0, -7-7*b(c.weekday == isoWeekday(s.midnight()))))
}

func b(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// monthDay is "june 5" with or without a year; without one it is the next such day.
func monthDay(s *speech, c *capture) (found, bool) {
	if s.counted(c.to) {
		return found{}, false
	}
	return dated(s.resolve(c.year, c.month, c.day))
}

// monthByNumber is "am dritten sechsten", the third of June, behind a word that leads to it or where a date was asked for.
func monthByNumber(s *speech, c *capture) (found, bool) {
	at := c.from
	if s.tokens[at].entry.is(lead) {
		at++
	} else if s.context.Expect != "date" && s.context.Expect != "datetime" {
		return found{}, false
	}
	day, next := s.ordinal(at)
	month, _ := s.ordinal(next)
	if s.counted(c.to) {
		return found{}, false
	}
	return dated(s.resolve(c.year, month, day))
}

// counted says whether something that a number counts stands at a token.
func (s *speech) counted(at int) bool {
	return s.joined(at) && s.is(at, measure|timed)
}

// resolve is a day of a month; without a year the next one, today included. The zero time means that there is none.
func (s *speech) resolve(y, m, d int) time.Time {
	if y != 0 {
		if day := date(y, m, d); day.Day() == d && int(day.Month()) == m {
			return day
		}
		return time.Time{}
	}
	today := s.midnight()
	for y := today.Year(); y <= today.Year()+8; y++ { // a leap day may be eight years away
		if day := date(y, m, d); day.Day() == d && int(day.Month()) == m && !day.Before(today) {
			return day
		}
	}
	return time.Time{}
}

// weekdayOfMonth is "the second tuesday in june", with or without a year; without one it is the next such day.
func weekdayOfMonth(s *speech, c *capture) (found, bool) {
	return s.nthWeekday(c, func(first time.Time) time.Time { return first.AddDate(0, 0, 7*(c.day-1)) })
}

// lastWeekdayOfMonth is "the last friday in june".
func lastWeekdayOfMonth(s *speech, c *capture) (found, bool) {
	return s.nthWeekday(c, func(first time.Time) time.Time {
		if fifth := first.AddDate(0, 0, 28); fifth.Month() == first.Month() {
			return fifth
		}
		return first.AddDate(0, 0, 21)
	})
}

// nthWeekday gives the day that of finds from the first such weekday of the month. Where the month has none it is no date.
func (s *speech) nthWeekday(c *capture, of func(first time.Time) time.Time) (found, bool) {
	years := []int{c.year}
	if c.year == 0 {
		years = []int{s.midnight().Year(), s.midnight().Year() + 1}
	}
	for _, year := range years {
		first := date(year, c.month, 1)
		day := of(first.AddDate(0, 0, (c.weekday-isoWeekday(first)+7)%7))
		if int(day.Month()) == c.month && (c.year != 0 || !day.Before(s.midnight())) {
			return dated(day)
		}
	}
	return found{}, false
}

// monthsMax is how many months one has to look ahead for a day that not every month has.
const monthsMax = 3

// dayOfMonth is "the 3rd": the next one, today included.
func dayOfMonth(s *speech, c *capture) (found, bool) {
	y, m, _ := s.midnight().Date()
	for i := range monthsMax {
		day := date(y, int(m)+i, c.day)
		if day.Day() == c.day && !day.Before(s.midnight()) {
			return dated(day)
		}
	}
	return found{}, false
}

// weekdayOnDay is "friday the 13th": the next day that is both, today included.
func weekdayOnDay(s *speech, c *capture) (found, bool) {
	y, m, _ := s.midnight().Date()
	for i := range weekdayMonthsMax {
		day := date(y, int(m)+i, c.day)
		if day.Day() == c.day && isoWeekday(day) == c.weekday && !day.Before(s.midnight()) {
			return dated(day)
		}
	}
	return found{}, false
}

// weekdayMonthsMax is how many months one has to look ahead for a weekday on a day of the month: a 31st that is a Friday
// may be two and a half years away.
const weekdayMonthsMax = 48

// bareDay is dayOfMonth where nothing but the words around say that a day is meant: not "the second one".
func bareDay(s *speech, c *capture) (found, bool) {
	if s.counted(c.to) {
		return found{}, false
	}
	if s.joined(c.to) && !s.is(c.to, lead|filler|polite|negation|correction) && s.tokens[c.to].entry.part == 0 && !s.language.frames.afterDay[s.at(c.to)] {
		return found{}, false
	}
	if c.day < 5 && !s.tokens[c.to-1].digits && !s.tokens[max(c.to-2, c.from)].digits && s.context.Expect != "date" && !s.language.frames.dayLead[s.at(c.from-1)] {
		return found{}, false
	}
	return dayOfMonth(s, c)
}

// suggestedDay is "let's say the second", where nothing follows that the number counts.
func suggestedDay(s *speech, c *capture) (found, bool) {
	if s.joined(c.to) && !s.is(c.to, lead|filler|polite|negation|correction) && !s.language.frames.afterDay[s.at(c.to)] {
		return found{}, false
	}
	return dayOfMonth(s, c)
}

// lastOfMonth is the last day of the month that is so many months ahead.
func lastOfMonth(months int) func(*speech, *capture) (found, bool) {
	return func(s *speech, _ *capture) (found, bool) {
		y, m, _ := s.midnight().Date()
		return dated(date(y, int(m)+months+1, 0))
	}
}

// yearly is a day with a name: the next one, today included.
func yearly(month, day int) func(*speech, *capture) (found, bool) {
	return func(s *speech, _ *capture) (found, bool) { return dated(s.resolve(0, month, day)) }
}

// bareAsked is a day of a month where a date was asked for.
func bareAsked(s *speech, c *capture) (found, bool) {
	if s.context.Expect != "date" && s.context.Expect != "datetime" && !s.language.frames.dayLead[s.at(c.from-1)] {
		return found{}, false
	}
	return bareDay(s, c)
}

// askedDay is a number where a date was asked for and nothing else was said.
func askedDay(s *speech, c *capture) (found, bool) {
	if s.context.Expect != "date" || !s.bare(c.from, c.to) {
		return found{}, false
	}
	return dayOfMonth(s, c)
}

// nextMonthDay is "the 5th of next month".
func nextMonthDay(s *speech, c *capture) (found, bool) {
	y, m, _ := s.midnight().Date()
	day := date(y, int(m)+1, c.day)
	if day.Day() != c.day {
		return found{}, false
	}
	return dated(day)
}

// after is a span of days from today: "in two weeks".
func after(s *speech, c *capture) (found, bool) {
	if !c.span.days() {
		return found{}, false
	}
	return dated(c.span.from(s.midnight(), 1))
}

// before is a span of days until today: "two weeks ago".
func before(s *speech, c *capture) (found, bool) {
	if !c.span.days() {
		return found{}, false
	}
	return dated(c.span.from(s.midnight(), -1))
}

// afterDays is a span from another day than today: "a week from tomorrow".
func afterDays(days int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		if !c.span.days() {
			return found{}, false
		}
		return dated(c.span.from(s.midnight().AddDate(0, 0, days), 1))
	}
}

// afterWeekday is "two weeks from friday".
func afterWeekday(s *speech, c *capture) (found, bool) {
	if !c.span.days() {
		return found{}, false
	}
	return dated(c.span.from(s.nextWeekday(c.weekday, 1), 1))
}

// weekAfter is "friday week".
func weekAfter(s *speech, c *capture) (found, bool) {
	return dated(s.nextWeekday(c.weekday, 1).AddDate(0, 0, 7))
}

// writtenDates are 2026-07-04, 7/4/26, 4.7.2026 and 24.12. as one writes them.
func (s *speech) writtenDates(taken [][]found) []found {
	var all []found
	for at := 0; at+1 < len(s.tokens); at++ {
		if !s.tokens[at].digits || !s.tokens[at+1].digits || s.glued(at) {
			continue
		}
		day, end := s.writtenDate(at)
		if day.IsZero() || !free(at, end, taken...) {
			continue
		}
		f, ok := dated(day)
		if f.from, f.to = at, end; ok {
			all = append(all, f)
			at = end - 1
		}
	}
	return all
}

func (s *speech) writtenDate(at int) (time.Time, int) {
	gap := s.between(at + 1)
	third := at+2 < len(s.tokens) && s.tokens[at+2].digits && s.between(at+2) == gap
	one, two := s.tokens[at].number, s.tokens[at+1].number
	y, end := 0, at+2
	if third {
		y, end = s.tokens[at+2].number, at+3
	}
	switch {
	case len(s.tokens[at].lower) == 4 && third && (gap == "-" || gap == "/" || gap == "."):
		return s.resolve(one, two, y), at + 3
	case len(s.tokens[at].lower) > 2 || len(s.tokens[at+1].lower) > 2 || third && !plausibleYear(&y, s.tokens[at+2].lower):
		return time.Time{}, at
	case gap == "/" && (third || !s.fraction(at, end)), gap == "-" && third:
		if monthFirst(s.country()) && one <= 12 || two > 12 {
			return s.resolve(y, one, two), end
		}
		return s.resolve(y, two, one), end
	case gap == "." && (third || strings.HasPrefix(s.text[s.tokens[at+1].end:], ".") && s.language.compounds || s.is(at-1, lead) && s.language.compounds && s.at(at-1) != "um"),
		gap == ". " && s.language.compounds && strings.HasPrefix(s.text[s.tokens[at+1].end:], "."):
		return s.resolve(y, two, one), end
	}
	return time.Time{}, at
}

// fraction says whether "3/4" is a part of something, or more than two numbers.
func (s *speech) fraction(at, end int) bool {
	return s.between(end) == "/" || s.between(at) == "/" || s.joined(end) && (s.is(end, measure|timed) || s.language.frames.ofWhole[s.at(end)])
}

func plausibleYear(y *int, digits string) bool {
	if len(digits) == 2 {
		*y += 2000
	}
	return (len(digits) == 2 || len(digits) == 4) && *y >= 1900 && *y < 2200
}

// monthFirst says whether a country writes 7/4 for July 4.
func monthFirst(country string) bool {
	return slices.Contains([]string{"US", "PH", "FM", "MH", "PW"}, country)
}

// yearAt reads 2026, "two thousand twenty six" or "twenty twenty six".
func (s *speech) yearAt(at int) (int, int) {
	if s.tokens[at].digits {
		y := s.tokens[at].number
		return y, at + b(len(s.tokens[at].lower) == 4 && y >= 1900 && y < 2200)
	}
	n, end := s.cardinal(at)
	switch {
	case n >= 1900 && n < 2200:
		return int(n), end
	case (n == 19 || n == 20 || n == 21) && end > at && s.joined(end):
		if m, last := s.cardinal(end); last > end && m >= 10 && m < 100 {
			return int(n)*100 + int(m), last
		}
	}
	return 0, at
}
