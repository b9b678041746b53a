package extract

import (
	"fmt"
	"slices"
)

// Where nothing says morning or evening, an hour lies between these: "half past two" is 14:30.
const (
	usualFrom = 7 * 60
	usualTo   = 19 * 60
)

const dayMinutes = 24 * 60

// times are the times of day that count; rawTimes also those that were taken back.
func (s *speech) times() []found { return s.settled(s.rawTimes()) }

func (s *speech) rawTimes() []found { return s.once(keptTimes, s.findTimes) }

func (s *speech) findTimes() []found {
	taken := append(s.before(keptRecurrences), s.withoutParts(s.rawRecurrences()), s.rawMoments(), s.withoutParts(s.rawDates()),
		s.impossible())
	exact := s.secondHours(s.scan(s.timeRules, taken...))
	all := s.withParts(exact, s.dayParts(exact))
	for _, m := range s.rawMoments() {
		m.value, m.moment = clock(m.minute), true
		all = append(all, m)
	}
	return ordered(all)
}

// withoutParts are the dates or recurrences that hold no time: "tonight" is a date and a time.
func (s *speech) withoutParts(all []found) []found {
	return slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.moment || s.tokens[f.to-1].entry.part != 0 })
}

func clock(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

func at(minute int, halfOpen bool) (found, bool) {
	return found{minute: minute, halfOpen: halfOpen, value: clock(minute)}, minute >= 0 && minute < dayMinutes
}

// usual puts an hour of the twelve into the usual part of the day.
func usual(minute int) (found, bool) {
	if minute >= 13*60 || minute < 60 {
		return at(minute%dayMinutes, false)
	}
	minute %= 12 * 60
	if minute < usualFrom {
		minute += 12 * 60
	}
	return at(minute, true)
}

// fixed is noon or midnight.
func fixed(minute int) func(*speech, *capture) (found, bool) {
	return func(*speech, *capture) (found, bool) { return at(minute, false) }
}

// oclock is an hour with or without minutes, perhaps with am, pm or the part of the day behind it.
func oclock(s *speech, c *capture) (found, bool) {
	if c.hour > 24 || c.hour == 24 && c.minute > 0 {
		return found{}, false
	}
	return s.placed(c, c.hour*60+c.minute)
}

// placed finds the half of the day.
func (s *speech) placed(c *capture, minute int) (found, bool) {
	switch {
	case c.half != 0:
		if minute >= 13*60 || minute < 60 {
			return at(minute%dayMinutes, false)
		}
		return at(minute%(12*60)+(c.half-1)*12*60, false)
	case c.part != 0:
		return at(s.inPart(minute, c.part), false)
	case s.tokens[c.to-1].digits && s.leadingZero(c):
		return at(minute%dayMinutes, false)
	}
	return usual(minute)
}

// leadingZero says whether the hour was written as in 08:00.
func (s *speech) leadingZero(c *capture) bool {
	for _, t := range s.tokens[c.from:c.to] {
		if t.digits {
			return t.lower[0] == '0' && len(t.lower) > 1
		}
	}
	return false
}

// inPart moves an hour of the twelve into a part of the day: three in the afternoon.
func (s *speech) inPart(minute, part int) int {
	hour := minute / 60
	if hour > 12 || hour == 0 {
		return minute % dayMinutes
	}
	zone := s.language.parts[part-1].zone
	later := zone == afternoon || hour != 12 && (zone == evening || zone == nighttime && hour >= 6)
	return minute%(12*60) + b(later)*12*60
}

// sure is an hour whose words leave no doubt: "at five", "five o'clock"; not where something is counted.
func sure(s *speech, c *capture) (found, bool) {
	if s.goesOn(c.to) || s.amount(c.from) {
		return found{}, false
	}
	return oclock(s, c)
}

// amount says whether "by ten" says how much, not when: "turn it up by ten".
func (s *speech) amount(at int) bool {
	amounts := func(t token) bool { return s.frames.amounts[t.lower] }
	return s.frames.amountLead[s.at(at)] && slices.ContainsFunc(s.tokens[:at], amounts)
}

// openingHalf is the first hour of "eight to ten am".
func openingHalf(s *speech, c *capture) (found, bool) {
	var second capture
	if _, ok := s.match(&s.frames.bareHour, c.to+1, &second); !ok || second.half == 0 || !s.ranges(c.to) {
		return found{}, false
	}
	return oclock(s, c)
}

// ranges says whether a token leads on from the first of two hours: "to".
func (s *speech) ranges(at int) bool {
	return s.joined(at) && s.frames.until[s.at(at)] && s.joined(at+1)
}

// goesOn says whether a number or the name of what it counts follows, so that the one before is no hour.
func (s *speech) goesOn(at int) bool {
	if !s.joined(at) {
		return s.numeric(at) && s.between(at) != ", "
	}
	t := s.tokens[at]
	number := s.numeric(at) && t.entry.number != wordAnd && t.entry.number != wordA && !t.entry.is(filler|lead)
	return number || s.glued(at) || s.counted(at) || s.frames.plural != nil && s.frames.plural(t)
}

// asked is a bare hour, which counts when a time was asked for and nothing else was said.
func asked(s *speech, c *capture) (found, bool) {
	if !s.expects("time", "datetime") || s.goesOn(c.to) {
		return found{}, false
	}
	return oclock(s, c)
}

// opening is the first hour of "between two and four".
func opening(s *speech, c *capture) (found, bool) {
	_, end := s.cardinal(c.to + 1)
	number := end > c.to+1 && !s.goesOn(end)
	if !s.ranges(c.to) || !number && s.longest(s.timeRules, c.to+1, nil).to == 0 {
		return found{}, false
	}
	return oclock(s, c)
}

// small is an hour of the twelve, where the words would also fit another number.
func small(s *speech, c *capture) (found, bool) {
	if c.hour < 1 || c.hour > 12 {
		return found{}, false
	}
	return sure(s, c)
}

// usualMinutes are what people say behind an hour without more: "four thirty".
func usualMinutes(s *speech, c *capture) (found, bool) {
	whole := c.minute%5 == 0 || c.minute < 10
	if c.hour < 1 || c.hour > 12 || !whole || s.numeric(c.from-1) && s.joined(c.from) || s.frames.code[s.at(c.from-1)] {
		return found{}, false
	}
	return sure(s, c)
}

// relative is "ten to four" (-1) or "quarter past six" (1), of fixed minutes or those said.
func relative(sign, minutes int) func(*speech, *capture) (found, bool) {
	return func(s *speech, c *capture) (found, bool) {
		n := minutes
		if n == 0 {
			n = int(c.numbers[0])
			said := c.unit == minute
			if n <= 0 || n >= 30 || float64(n) != c.numbers[0] || !said && n%5 != 0 || s.frames.span[s.at(c.from-1)] {
				return found{}, false
			}
		}
		if c.hour > 24 || s.goesOn(c.to) {
			return found{}, false
		}
		of := c.hour*60 + sign*n
		if c.hour == 0 || c.hour == 24 {
			return at((of+dayMinutes)%dayMinutes, false)
		}
		if of < 60 { // ten to one
			of += 12 * 60
		}
		return s.placed(c, of)
	}
}

// secondHours adds hours that are hours only because of the one before them: "between two and four", "at three, no,
// four".
func (s *speech) secondHours(all []found) []found {
	var result []found
	for i, f := range all {
		result = append(result, f)
		at := s.on(f.to, reach, func(i int) bool { return s.is(i, correction|filler) })
		if !s.corrects(f.to, at) {
			either := s.frames.either[s.at(f.to)]
			between := s.frames.span[s.at(f.from)] && s.frames.until[s.at(f.to)]
			if !s.joined(f.to) || !either && !between {
				continue
			}
			at = s.on(f.to+1, reach*b(either), func(i int) bool { return s.is(i, filler) })
		}
		var c capture
		end, ok := s.match(&s.frames.bareHour, at, &c)
		if !ok || !s.joined(at) || i+1 < len(all) && all[i+1].from < end {
			continue
		}
		if next, ok := sure(s, &c); ok {
			next.from, next.to = at, end
			result = append(result, next)
		}
	}
	return sameHalf(result)
}

// sameHalf lets "from two to four pm" and "between eight and ten in the morning" tell of both hours.
func sameHalf(all []found) []found {
	for i := range len(all) - 1 {
		if f := &all[i]; all[i+1].from == f.to+1 && f.halfOpen && !all[i+1].halfOpen {
			f.minute, f.halfOpen = f.minute%(12*60), false
			if f.minute+12*60 < all[i+1].minute {
				f.minute += 12 * 60
			}
			f.value = clock(f.minute)
		}
	}
	return all
}

// dayParts are "in the afternoon" and the like, where no hour says it better.
func (s *speech) dayParts(exact []found) []found {
	var all []found
	for at := range s.tokens {
		part := int(s.tokens[at].entry.part)
		if part == 0 || !free(at, at+1, exact, s.rawEmails(), s.rawAddresses()) || s.frames.greeting(s, at) {
			continue
		}
		p := s.language.parts[part-1]
		from := at
		if first, ok := s.end(s.frames.beforePart, at); ok && s.joined(at) {
			from = first
		}
		all = append(all, found{from: from, to: at + 1, minute: p.minute, value: clock(p.minute), approximate: true})
	}
	return all
}

// partReach is how many words may stand between "in the evening" and its hour.
const partReach = 5

// withParts lets "tomorrow evening" tell which eight is meant, and keeps the parts that stand alone.
func (s *speech) withParts(exact, parts []found) []found {
	var all []found
	for _, p := range parts {
		part := int(s.tokens[p.to-1].entry.part)
		used := false
		for i := range exact {
			e := &exact[i]
			gap := max(p.from-e.to, e.from-p.to)
			if gap > partReach || s.corrects(e.to, p.from) {
				continue
			}
			if used = true; e.halfOpen {
				e.minute, e.halfOpen = s.inPart((e.minute+11*60)%(12*60)+60, part), false
				e.value = clock(e.minute)
			}
			if gap == 0 {
				e.from, e.to = min(e.from, p.from), max(e.to, p.to)
			}
		}
		if !used {
			all = append(all, p)
		}
	}
	return append(all, exact...)
}

// minuteAt reads the minutes behind an hour: "thirty", "05", "oh five".
func (s *speech) minuteAt(at int) (int, int) {
	t := s.tokens[at]
	switch {
	case t.digits:
		return t.number, at + b(len(t.lower) == 2 && t.number < 60)
	case (s.means(at, wordOh) || s.means(at, 0)) && s.joined(at+1):
		if n := s.tokens[at+1].entry.number; s.is(at+1, numeral) && n > 0 && n < 10 {
			return int(n), at + 2
		}
		return 0, at
	}
	return s.smallNumber(at, 10, 59)
}

// clockAt reads 10:30, 10:30:00 and, as dictation writes it, 1030.
func (s *speech) clockAt(at int) (h, m, end int) {
	t := s.tokens[at]
	if !t.digits {
		return 0, 0, at
	}
	if n := len(t.lower); n == 3 || n == 4 {
		h, m = t.number/100, t.number%100
		return h, m, at + b(h < 24 && m < 60 && !s.glued(at+1))
	}
	if at+1 >= len(s.tokens) || len(t.lower) > 2 || !s.tokens[at+1].digits || len(s.tokens[at+1].lower) != 2 {
		return 0, 0, at
	}
	gap := s.between(at + 1)
	if h, m = t.number, s.tokens[at+1].number; gap != ":" && gap != "." || h > 24 || m > 59 {
		return 0, 0, at
	}
	end = at + 2
	if end < len(s.tokens) && s.tokens[end].digits && s.between(end) == ":" {
		end++
	}
	return h, m, end
}

// colon is a clock as it is written with a colon; it needs no other word.
func colon(s *speech, c *capture) (found, bool) {
	if s.tokens[c.from].digits && len(s.tokens[c.from].lower) <= 2 && s.between(c.from+1) == ":" {
		return oclock(s, c)
	}
	return found{}, false
}
