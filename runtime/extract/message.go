package extract

import (
	"slices"
	"strings"
)

const messageMax = 500 // bytes

// messages are what somebody wants to be reminded of: the text without the frame and without its day and time.
func (s *speech) messages() []found {
	times := s.temporal()
	var last []found
	for at := range s.tokens {
		end, ok := s.begin(s.frames.remind, at)
		if !ok {
			end, ok = s.begin(s.frames.remindAsk, at)
			ok = ok && s.asksReminder(end)
		}
		if !ok || at > 0 && s.is(at-1, negation) {
			continue
		}
		if f, ok := s.message(end, times); ok {
			last = []found{f}
		}
	}
	if last != nil {
		return last
	}
	if s.context.Expect == "message" {
		from, to := s.core()
		if s.frames.article[s.at(from-1)] {
			from--
		}
		if f, ok := s.message(from, times); ok && f.to <= to {
			return []found{f}
		}
	}
	return nil
}

// asksReminder says whether the verb of "could you … remind" stands behind a token.
func (s *speech) asksReminder(at int) bool {
	return slices.ContainsFunc(s.tokens[at:], func(t token) bool { return s.frames.remindEnd[t.lower] })
}

// temporal are all days, times and recurrences, also those that were taken back.
func (s *speech) temporal() []found {
	return ordered(slices.Concat(s.rawRecurrences(), s.rawDates(), s.rawTimes()))
}

// message reads from behind the frame to the end.
func (s *speech) message(from int, times []found) (found, bool) {
	from = s.skipLinks(from, times)
	to := len(s.tokens)
	for {
		last := to
		to = s.back(to, to-from, func(i int) bool { return s.is(i, polite) || s.frames.hesitation[s.at(i)] })
		to = s.cutTimes(from, to, times)
		if to == last {
			break
		}
	}
	if to-from > 1 && s.frames.messageEnd[s.at(to-1)] {
		to--
		if to-from > 1 && s.frames.messageJoin[s.at(to-1)] {
			to--
		}
	}
	if from >= to || s.frames.question[s.at(from)] || s.is(from, negation) && from+1 == to {
		return found{}, false
	}
	text := s.text[s.tokens[from].start:s.tokens[to-1].end]
	if len(text) > messageMax {
		return found{}, false
	}
	return found{from: from, to: to, value: strings.Join(strings.Fields(text), " ")}, true
}

// skipLinks passes over days, times and the words that lead to the message: "tomorrow at 5 to", "in an hour, no, in two
// to".
func (s *speech) skipLinks(from int, times []found) int {
	between := lead | filler
	for moved := true; moved && from < len(s.tokens); {
		moved = false
		for _, t := range times {
			at := s.on(from, min(reach, t.from-from), func(i int) bool { return s.is(i, between) })
			if t.from <= at && at < t.to {
				from, moved = t.to, true
				between = lead | filler | correction | negation // of the time before
			}
		}
		if !moved && s.frames.hesitation[s.at(from)] {
			from, moved = from+1, true
		}
		if !moved {
			from, moved = s.begin(s.frames.link, from)
		}
	}
	return from
}

// cutTimes drops a day or time at the end, with the words that lead to it.
func (s *speech) cutTimes(from, to int, times []found) int {
	for _, t := range times {
		if t.to != to || t.from <= from {
			continue
		}
		to = t.from
		plain := s.frames.plainDay[s.at(to)]
		to = s.back(to, to-from, func(i int) bool { return s.is(i, lead) && (!plain || s.frames.plainLead[s.at(i)]) })
		last := s.back(to, to-from, func(i int) bool { return s.is(i, correction|negation|filler|lead) })
		if slices.ContainsFunc(times, func(f found) bool { return f.to == last }) {
			to = last
		}
		return to
	}
	return to
}
