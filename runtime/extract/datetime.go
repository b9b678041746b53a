package extract

import "time"

// usualMinute stands in for the time of a day that was said alone.
const usualMinute = 10 * 60

// lateEnough is the hour after which "at ten" is no longer tonight but tomorrow.
const lateEnough = 22 * 60

// rawMoments are spans from now, which are a day and a time: "in twenty minutes".
func (s *speech) rawMoments() []found {
	return s.once(keptMoments, func() []found {
		return s.scan(s.momentRules, s.before(keptMoments)...)
	})
}

// fromNow is the meaning of "in twenty minutes".
func fromNow(s *speech, c *capture) (found, bool) {
	if c.span.seconds == 0 {
		return found{}, false
	}
	now := s.context.Now
	wall := time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), now.Second(), 0, now.Location())
	if c.span.monthCount > 0 || c.span.dayCount > 0 {
		d := c.span.from(s.midnight(), 1)
		wall = time.Date(d.Year(), d.Month(), d.Day(), now.Hour(), now.Minute(), now.Second(), 0, now.Location())
	}
	then := wall.Add(time.Duration(c.span.seconds)*time.Second + time.Minute/2).Truncate(time.Minute) // the nearest
	y, m, d := then.Date()
	f, ok := dated(date(y, int(m), d))
	f.minute = then.Hour()*60 + then.Minute()
	return f, ok
}

// datetimes join a day and a time. A time alone is the next such time; a day alone is at the usual hour; a recurrence
// with a time begins on its first day.
func (s *speech) datetimes() []found {
	dates, times := s.dates(), s.times()
	if rules := s.recurrences(); len(rules) > 0 && len(dates) == 0 {
		return s.firstOf(rules[0], times)
	}
	var all []found
	add := func(f found, ok bool) {
		if ok {
			all = append(all, f)
		}
	}
	for i, d := range dates {
		if d.moment {
			add(s.moment(d, d.minute, false))
		} else if len(times) == 0 {
			add(s.moment(d, usualMinute, true))
		} else if len(times) == len(dates) {
			add(s.join(d, times[i]))
		} else {
			add(s.join(d, times[0]))
		}
	}
	for _, t := range times {
		if len(dates) == 0 {
			add(s.next(t))
		}
	}
	return ordered(all)
}

// join puts a time on a day. Of today's two eights it takes the one that is still ahead.
func (s *speech) join(d, t found) (found, bool) {
	minute := t.minute
	if t.halfOpen && d.day.Equal(s.midnight()) && minute <= s.clockMinute() && minute+12*60 < lateEnough+2*60 {
		minute += 12 * 60
	}
	d.from, d.to = min(d.from, t.from), max(d.to, t.to)
	return s.moment(d, minute, t.approximate)
}

// next is the next time that the clock shows what was said.
func (s *speech) next(t found) (found, bool) {
	day, minute := s.midnight(), t.minute
	if minute <= s.clockMinute() {
		if later := minute + 12*60; t.halfOpen && later > s.clockMinute() && later < lateEnough {
			minute = later
		} else {
			day = day.AddDate(0, 0, 1)
		}
	}
	t.day = day
	return s.moment(t, minute, t.approximate)
}

// moment words a day and a time. One that a clock change skips is moved behind it. An assumed time that has passed is
// none.
func (s *speech) moment(f found, minute int, approximate bool) (found, bool) {
	y, m, d := f.day.Date()
	now := s.context.Now
	then := time.Date(y, m, d, minute/60, minute%60, 0, 0, now.Location())
	f.value, f.minute, f.approximate = then.Format("2006-01-02T15:04"), minute, approximate
	return f, !(approximate && f.day.Equal(s.midnight()) && minute <= s.clockMinute())
}

// firstOf is when a recurrence begins. Without a time of day there is nothing to begin with.
func (s *speech) firstOf(rule found, times []found) []found {
	if len(times) == 0 {
		return nil
	}
	t := times[0]
	rule.from, rule.to, rule.day = min(rule.from, t.from), max(rule.to, t.to), s.first(rule.repeats, t.minute)
	if f, ok := s.moment(rule, t.minute, t.approximate); ok && !rule.day.IsZero() {
		return []found{f}
	}
	return nil
}
