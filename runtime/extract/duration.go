package extract

import (
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

// span reads a length of time from a token on: "an hour and a half".
func (s *speech) span(at int) (span, int) {
	f := s.longest(s.language.durationRules, at, nil)
	if f.to <= at {
		return span{}, at
	}
	total, end := f.span, f.to
	for {
		next := end + b(s.is(end, numeral) && end < len(s.tokens) && s.tokens[end].entry.number == wordAnd)
		if !s.joined(end) || !s.joined(next) {
			return total, end
		}
		more := s.longest(s.language.durationRules, next, nil)
		if more.from, f.to = next, end; more.to <= next || !s.sumsUp(f, more) {
			return total, end
		}
		total, end = total.plus(more.span), more.to
		f = more
	}
}

func (p span) plus(o span) span {
	return span{p.monthCount + o.monthCount, p.dayCount + o.dayCount, p.seconds + o.seconds}
}

// length is the meaning of a rule for spans: its numbers, each of the unit behind it. A rule without a number means one.
func length(u unit, numbers ...float64) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		var p span
		ok := true
		for i, each := range append(numbers, c.numbers[:c.count]...) {
			of := u
			if of == noUnit {
				of = c.unit
			}
			if i > 0 && of == hour {
				of = minute
			}
			ok = ok && p.add(each, of)
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

// counting is a number of units, and a fraction of one unit more: "two hours", "two and a half hours".
func counting(more float64) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		var p span
		ok := p.add(c.numbers[0]+more, c.unit)
		return found{span: p}, ok
	}
}

// several is a fixed number of units: "an hour", "half a day".
func several(n float64) func(*speech, *capture) (found, bool) {
	return func(_ *speech, c *capture) (found, bool) {
		var p span
		ok := p.add(n, c.unit)
		return found{span: p}, ok
	}
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

func (s *speech) rawDurations() []found {
	return s.once(keptDurations, func() []found {
		return s.sums(s.scan(s.language.durationRules, s.rawEmails(), s.rawPhones(), s.rawAddresses(), s.rawRecurrences(),
			s.rawMoments(), s.rawDates(), s.rawTimes()))
	})
}

// sums joins "one hour" and "and twenty minutes".
func (s *speech) sums(parts []found) []found {
	var all []found
	for _, f := range parts {
		if n := len(all); n > 0 && s.sumsUp(all[n-1], f) {
			before := &all[n-1]
			before.span = before.span.plus(f.span)
			before.to, before.value = f.to, before.span.iso()
			continue
		}
		f.value = f.span.iso()
		switch least, most := s.unitsOf(f); {
		case least == minute && most == minute && f.span.seconds%60 == 0: // 90 minutes stay that
			f.value = "PT" + strconv.Itoa(f.span.seconds/60) + "M"
		case least == second && most == second:
			f.value = "PT" + strconv.Itoa(f.span.seconds) + "S"
		}
		all = append(all, f)
	}
	return all
}

func (s *speech) sumsUp(a, b found) bool {
	gap := b.from - a.to
	least, _ := s.unitsOf(a)
	_, most := s.unitsOf(b)
	return least > most && (gap == 0 && s.joined(b.from) || gap == 1 && s.tokens[a.to].entry.number == wordAnd && s.is(a.to, numeral))
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
	if s.joined(f.to) && (s.language.frames.ago[s.at(f.to)] || s.language.frames.travel[s.at(f.to)]) {
		return false
	}
	if s.language.frames.agoLead[s.at(f.from-1)] {
		return false
	}
	if f.to == f.from+2 && s.tokens[f.from+1].entry.unit != noUnit && (s.language.frames.per[s.at(f.from)] && f.span.seconds != 3600 || (f.span == span{dayCount: 1} || f.span == span{seconds: 1}) && !s.tokens[f.from].digits) {
		return s.context.Expect == "duration" || s.language.frames.lasting[s.at(f.from-1)]
	}
	return true
}
