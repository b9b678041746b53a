package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// span is a length of time. Months and days are not seconds: their length depends on where they begin.
type span struct{ monthCount, dayCount, seconds int }

// spanMax bounds each part of a span: no one means a million days.
const spanMax = 100_000

func (p span) days() bool { return p.seconds == 0 && (p.dayCount > 0 || p.monthCount > 0) }

// from is the day that lies a span after (1) or before (-1) another. A month after January 31 is the last of February.
func (p span) from(start time.Time, sign int) time.Time {
	y, m, d := start.Date()
	first := date(y, int(m)+sign*p.monthCount, 1)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d, last)-1+sign*p.dayCount)
}

// add counts n units to a span.
func (p *span) add(n float64, u unit) bool {
	if n <= 0 || n > spanMax {
		return false
	}
	switch u {
	case second, minute, hour:
		p.seconds += int(n*[]float64{second: 1, minute: 60, hour: 3600}[u] + .5)
	case day, week:
		days := n * []float64{day: 1, week: 7}[u]
		p.dayCount += int(days)
		p.seconds += int((days - float64(int(days))) * 86400)
	case month, year:
		months := n * []float64{month: 1, year: 12}[u]
		p.monthCount += int(months)
		return months == float64(int(months))
	default:
		return false
	}
	return true
}

// iso is the form of ISO 8601.
func (p span) iso() string {
	var t strings.Builder
	t.WriteByte('P')
	part := func(n int, letter byte) {
		if n > 0 {
			t.WriteString(strconv.Itoa(n))
			t.WriteByte(letter)
		}
	}
	part(p.monthCount/12, 'Y')
	part(p.monthCount%12, 'M')
	if p.dayCount%7 == 0 && p.dayCount > 0 && p.monthCount == 0 && p.seconds == 0 {
		part(p.dayCount/7, 'W')
	} else {
		part(p.dayCount, 'D')
	}
	if p.seconds > 0 {
		t.WriteByte('T')
		part(p.seconds/3600, 'H')
		part(p.seconds/60%60, 'M')
		part(p.seconds%60, 'S')
	}
	return t.String()
}

// span reads a length of time from a token on: "an hour and a half", "one hour and twenty minutes".
func (s *speech) span(at int, taken ...[]found) found {
	total := s.longest(s.durationRules, at, taken)
	for total.to > at {
		next := total.to + b(s.is(total.to, numeral) && s.tokens[total.to].entry.number == wordAnd)
		if !s.joined(total.to) || !s.joined(next) {
			break
		}
		more := s.longest(s.durationRules, next, taken)
		least, _ := s.unitsOf(total)
		if _, most := s.unitsOf(more); more.to <= next || least <= most {
			break
		}
		total.span, total.to = total.span.plus(more.span), more.to
	}
	return total
}

func (p span) plus(o span) span {
	return span{p.monthCount + o.monthCount, p.dayCount + o.dayCount, p.seconds + o.seconds}
}

// length is the meaning of a rule for spans: its numbers, each of the unit; without one, of the unit that was said.
func length(u unit, numbers ...float64) meaning {
	return func(_ *speech, c *capture) (found, bool) {
		var p span
		ok := true
		for i, n := range slices.Concat(numbers, c.numbers[:c.count]) {
			of := cmp.Or(u, c.unit)
			if i > 0 && u == hour { // an hour thirty
				of = minute
			}
			ok = ok && p.add(n, of)
		}
		return found{span: p}, ok
	}
}

// hoursAnd is "one hour thirty", when nothing follows that thirty could count.
func hoursAnd(s *speech, c *capture) (found, bool) {
	if s.joined(c.to) && !s.is(c.to, polite|lead|filler) || c.numbers[1] >= 60 {
		return found{}, false
	}
	return length(hour)(s, c)
}

// durations are lengths of time, but no "in two hours" (a moment) and no "every two hours" (a recurrence).
func (s *speech) durations() []found {
	var all []found
	for _, f := range s.rawDurations() {
		if s.certain(f) {
			all = append(all, f)
		}
	}
	return s.settled(all)
}

func (s *speech) rawDurations() []found { return s.once(keptDurations, s.findDurations) }

func (s *speech) findDurations() []found {
	taken := s.before(keptDurations)
	var all []found
	for at := 0; at < len(s.tokens); {
		f := s.span(at, taken...)
		if f.to > at {
			f.value = s.iso(f)
			all = append(all, f)
		}
		at = max(f.to, at+1)
	}
	return all
}

// iso is a duration in the unit that was said alone, 90 minutes, or in all.
func (s *speech) iso(f found) string {
	switch least, most := s.unitsOf(f); {
	case least == minute && most == minute && f.span.seconds%60 == 0:
		return "PT" + strconv.Itoa(f.span.seconds/60) + "M"
	case least == second && most == second:
		return "PT" + strconv.Itoa(f.span.seconds) + "S"
	}
	return f.span.iso()
}

// unitsOf are the smallest and the largest unit that were said.
func (s *speech) unitsOf(f found) (least, most unit) {
	least = year
	for _, t := range s.tokens[f.from:f.to] {
		if u := t.entry.unit; u != noUnit {
			least, most = min(least, u), max(most, u)
		}
	}
	return least, most
}

// certain says whether a span is meant as one: "a week" may be part of anything.
func (s *speech) certain(f found) bool {
	if s.joined(f.to) && (s.frames.ago[s.at(f.to)] || s.frames.travel[s.at(f.to)]) {
		return false
	}
	if s.frames.agoLead[s.at(f.from-1)] {
		return false
	}
	a := s.frames.per[s.at(f.from)] && f.span.seconds != 3600
	one := (f.span == span{dayCount: 1} || f.span == span{seconds: 1}) && !s.figures(f.from)
	if f.to == f.from+2 && s.tokens[f.from+1].entry.unit != noUnit && (a || one) {
		return s.context.Expect == "duration" || s.frames.lasting[s.at(f.from-1)]
	}
	return true
}
