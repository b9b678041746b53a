package extract

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// dates are the days that count; rawDates also those that were taken back.
func (s *speech) dates() []found { return s.settled(s.rawDates()) }

func (s *speech) rawDates() []found { return s.once(keptDates, s.findDates) }

func (s *speech) findDates() []found {
	taken := s.before(keptDates)
	written := s.writtenDates(taken)
	all := append(s.scan(s.dateRules, append(taken, written)...), written...)
	for _, m := range s.rawMoments() {
		m.value, m.moment = m.day.Format(time.DateOnly), true
		all = append(all, m)
	}
	return ordered(all)
}

const yearMax = 9999 // the canonical form has four digits

func dated(day time.Time) (found, bool) {
	return found{day: day, value: day.Format(time.DateOnly)}, !day.IsZero() && day.Year() > 0 && day.Year() <= yearMax
}

// dayOf is what a rule for days means. The zero time is none.
type dayOf func(*speech, *capture) time.Time

// days gives several patterns, one a line, the same day.
func days(patterns string, day dayOf) rule {
	return on(patterns, func(s *speech, c *capture) (found, bool) { return dated(day(s, c)) })
}

// ahead is so many days from today.
func ahead(days int) dayOf {
	return func(s *speech, _ *capture) time.Time { return s.midnight().AddDate(0, 0, days) }
}

// weekdayIn is the weekday of this week (0) or one after it, where weeks begin on Monday.
func weekdayIn(weeks int) dayOf {
	return func(s *speech, c *capture) time.Time {
		return s.midnight().AddDate(0, 0, c.weekday-isoWeekday(s.midnight())+7*weeks)
	}
}

// coming is the next such weekday after today; least is 0 where today counts too.
func coming(least int) dayOf {
	return func(s *speech, c *capture) time.Time {
		if s.frames.noDay[s.at(c.from-1)] {
			return time.Time{}
		}
		return s.nextWeekday(c.weekday, least)
	}
}

func (s *speech) nextWeekday(weekday, least int) time.Time {
	first := s.midnight().AddDate(0, 0, least)
	return first.AddDate(0, 0, (weekday-isoWeekday(first)+7)%7)
}

func isoWeekday(day time.Time) int { return (int(day.Weekday())+6)%7 + 1 }

// past is the last such weekday before today.
func past(s *speech, c *capture) time.Time { return s.nextWeekday(c.weekday, 0).AddDate(0, 0, -7) }

// weekAfter is "friday week".
func weekAfter(s *speech, c *capture) time.Time { return s.nextWeekday(c.weekday, 1).AddDate(0, 0, 7) }

func b(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// yearsAhead is how far a day may lie that has no year: a leap day may be eight years away.
const yearsAhead = 8

// search is the first day that fits, of those before until.
func search(from, until time.Time, fits func(day time.Time) bool) time.Time {
	for day := from; day.Before(until); day = day.AddDate(0, 0, 1) {
		if fits(day) {
			return day
		}
	}
	return time.Time{}
}

// monthDay is "june 5" with or without a year; without one it is the next such day.
func monthDay(s *speech, c *capture) time.Time {
	if s.counted(c.to) {
		return time.Time{}
	}
	return s.resolve(c.year, c.month, c.day)
}

// monthByNumber is "am dritten sechsten", the third of June, behind a word that leads to it or where a date was asked
// for.
func monthByNumber(s *speech, c *capture) time.Time {
	at := c.from
	if s.is(at, lead) {
		at++
	} else if !s.expects("date", "datetime") {
		return time.Time{}
	}
	day, next := s.ordinal(at)
	c.month, _ = s.ordinal(next)
	c.day = day
	return monthDay(s, c)
}

// expects says whether one of the kinds was asked for.
func (s *speech) expects(kinds ...string) bool { return slices.Contains(kinds, s.context.Expect) }

// counted says whether something that a number counts stands at a token.
func (s *speech) counted(at int) bool {
	return s.joined(at) && s.is(at, measure|timed)
}

// resolve is a day of a month; without a year the next one, today included.
func (s *speech) resolve(y, m, d int) time.Time {
	from, years := s.midnight(), yearsAhead
	if y != 0 {
		from, years = date(y, 1, 1), 1
	}
	return search(from, from.AddDate(years, 0, 1), func(day time.Time) bool { return day.Day() == d && int(day.Month()) == m })
}

// weekdayOfMonth is "the second tuesday in june" or, for nth of -1, the last, with or without a year; without one it is
// the next such day.
func weekdayOfMonth(nth int) dayOf {
	return func(s *speech, c *capture) time.Time {
		from, until := s.midnight(), date(s.midnight().Year()+2, 1, 1)
		if c.year != 0 {
			from, until = date(c.year, 1, 1), date(c.year+1, 1, 1)
		}
		return search(from, until, func(day time.Time) bool {
			return int(day.Month()) == c.month && isoWeekday(day) == c.weekday && isNth(day, cmp.Or(nth, c.day))
		})
	}
}

// isNth says whether a day is the nth such weekday of its month, or for -1 the last.
func isNth(day time.Time, nth int) bool {
	if nth < 0 {
		return day.AddDate(0, 0, 7).Month() != day.Month()
	}
	return (day.Day()+6)/7 == nth
}

// dayOfMonth is "the 3rd": the next one, today included.
func dayOfMonth(s *speech, c *capture) time.Time {
	today := s.midnight()
	return search(today, today.AddDate(0, 3, 0), func(day time.Time) bool { return day.Day() == c.day })
}

// weekdayOnDay is "friday the 13th": the next day that is both, today included. A 31st that is a Friday may be two and
// a half years away.
func weekdayOnDay(s *speech, c *capture) time.Time {
	today := s.midnight()
	return search(today, today.AddDate(4, 0, 0), func(day time.Time) bool {
		return day.Day() == c.day && isoWeekday(day) == c.weekday
	})
}

// bareDay is dayOfMonth where nothing but the words around say that a day is meant: not "the second one".
func bareDay(s *speech, c *capture) time.Time {
	f := &s.frames
	more := s.joined(c.to) && !s.is(c.to, lead|filler|polite|negation|correction) && s.tokens[c.to].entry.part == 0
	word := c.day < 5 && !s.tokens[c.to-1].digits && !s.tokens[max(c.to-2, c.from)].digits
	if s.counted(c.to) || more && !f.afterDay[s.at(c.to)] || word && !s.expects("date") && !f.dayLead[s.at(c.from-1)] {
		return time.Time{}
	}
	return dayOfMonth(s, c)
}

// suggestedDay is "let's say the second", where nothing follows that the number counts.
func suggestedDay(s *speech, c *capture) time.Time {
	if s.joined(c.to) && !s.is(c.to, lead|filler|polite|negation|correction) && !s.frames.afterDay[s.at(c.to)] {
		return time.Time{}
	}
	return dayOfMonth(s, c)
}

// bareAsked is a day of a month where a date was asked for.
func bareAsked(s *speech, c *capture) time.Time {
	if !s.expects("date", "datetime") && !s.frames.dayLead[s.at(c.from-1)] {
		return time.Time{}
	}
	return bareDay(s, c)
}

// askedDay is a number where a date was asked for and nothing else was said.
func askedDay(s *speech, c *capture) time.Time {
	if !s.expects("date") || !s.bare(c.from, c.to) {
		return time.Time{}
	}
	return dayOfMonth(s, c)
}

// lastOfMonth is the last day of the month that is so many months ahead.
func lastOfMonth(months int) dayOf {
	return func(s *speech, _ *capture) time.Time {
		y, m, _ := s.midnight().Date()
		return date(y, int(m)+months+1, 0)
	}
}

// nextMonthDay is "the 5th of next month".
func nextMonthDay(s *speech, c *capture) time.Time {
	last := lastOfMonth(1)(s, c)
	if c.day > last.Day() {
		return time.Time{}
	}
	return date(last.Year(), int(last.Month()), c.day)
}

// yearly is a day with a name: the next one, today included.
func yearly(month, day int) dayOf {
	return func(s *speech, _ *capture) time.Time { return s.resolve(0, month, day) }
}

// after is a span of days behind (1) or before (-1) another day: "in two weeks", "a week from tomorrow".
func after(sign int, other dayOf) dayOf {
	return func(s *speech, c *capture) time.Time {
		if !c.span.days() {
			return time.Time{}
		}
		return c.span.from(other(s, c), sign)
	}
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
	third := s.figures(at+2) && s.between(at+2) == gap
	one, two := s.tokens[at].number, s.tokens[at+1].number
	y, end := 0, at+2
	if third {
		y, end = s.tokens[at+2].number, at+3
	}
	dotted := strings.HasPrefix(s.text[s.tokens[at+1].end:], ".")
	led := s.is(at-1, lead) && s.at(at-1) != "um"
	switch {
	case len(s.tokens[at].lower) == 4 && third && (gap == "-" || gap == "/" || gap == "."):
		return s.resolve(one, two, y), at + 3
	case len(s.at(at)) > 2 || len(s.at(at+1)) > 2 || third && !plausibleYear(&y, s.at(at+2)):
		return time.Time{}, at
	case gap == "/" && (third || !s.fraction(at, end)), gap == "-" && third:
		if monthFirst(s.country()) && one <= 12 || two > 12 {
			return s.resolve(y, one, two), end
		}
		return s.resolve(y, two, one), end
	case gap == "." && (third || s.compounds && (dotted || led)), gap == ". " && s.compounds && dotted:
		return s.resolve(y, two, one), end
	}
	return time.Time{}, at
}

// fraction says whether "3/4" is a part of something, or more than two numbers.
func (s *speech) fraction(at, end int) bool {
	part := s.joined(end) && (s.is(end, measure|timed) || s.frames.ofWhole[s.at(end)])
	return part || s.between(end) == "/" || s.between(at) == "/"
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
