package extract

import "strings"

// pattern is a sequence of words as a language file writes it: "the? day after #d", "half past|passed #h". A ? behind a
// word makes it optional, | separates alternatives, # begins one of these:
//
//	#n number   #o ordinal as day of a month   #x number as day of a month   #m month   #y year   #d weekday
//	#w one or several weekdays   #D every such weekday   #u unit   #t span of time   #h hour   #i minute   #c clock 10:30
//	#p part of the day   #a am or pm
type pattern struct {
	say      string
	elements []element
}

type element struct {
	options  []option
	optional bool
}

type option struct {
	id   int32 // of a word
	kind byte  // else one of the letters above
	set  letters
}

func say(text string) pattern { return pattern{say: text} }

func (p *pattern) compile(l *language) {
	p.elements = nil
	for word := range strings.FieldsSeq(p.say) {
		word, optional := strings.CutSuffix(word, "?")
		e := element{optional: optional}
		for w := range strings.SplitSeq(word, "|") {
			if kind, ok := strings.CutPrefix(w, "#"); ok {
				e.options = append(e.options, option{kind: kind[0], set: letterOf(kind[0])})
			} else {
				e.options = append(e.options, option{id: l.id(w)})
			}
		}
		p.elements = append(p.elements, e)
	}
}

// capture is what a pattern's letters stood for.
type capture struct {
	from, to           int
	numbers            [3]float64
	count              int
	day, month, year   int
	weekday            int
	weekdays           uint8 // a bit for each, Monday the lowest
	unit               unit
	span               span
	hour, minute, half int
	part               int
}

// match reads a pattern from a token on and returns the token behind it.
func (s *speech) match(p *pattern, at int, c *capture) (int, bool) {
	if c == nil {
		c = s.capture()
		defer s.release()
	}
	c.from = at
	end, ok := s.rest(p.elements, at, at, c)
	c.to = end
	return end, ok && end > at
}

func (s *speech) rest(elements []element, start, at int, c *capture) (int, bool) {
	if len(elements) == 0 {
		return at, true
	}
	if at < len(s.tokens) && (at == start || s.joined(at)) {
		for _, o := range elements[0].options {
			if end, ok := s.choose(o, elements[1:], start, at, c); ok {
				return end, true
			}
		}
	}
	if elements[0].optional {
		return s.rest(elements[1:], start, at, c)
	}
	return 0, false
}

// choose reads one of the alternatives and the rest; if that fails the capture is as before.
func (s *speech) choose(o option, rest []element, start, at int, c *capture) (int, bool) {
	if o.kind == 0 {
		if s.tokens[at].entry.id != o.id {
			return 0, false
		}
		return s.rest(rest, start, at+1, c)
	}
	if s.opens(at)&o.set == 0 {
		return 0, false
	}
	saved := *c
	if next, ok := s.option(o, at, c); ok {
		if end, ok := s.rest(rest, start, next, c); ok {
			return end, true
		}
	}
	*c = saved
	return 0, false
}

func (s *speech) option(o option, at int, c *capture) (int, bool) {
	e := s.tokens[at].entry
	switch o.kind {
	case 'm':
		c.month = int(e.month)
		return at + 1, e.month != 0
	case 'd':
		c.weekday = int(e.weekday)
		return at + 1, e.weekday != 0 && !e.plural
	case 'D', 'w':
		return s.weekdayList(at, o.kind == 'D', c)
	case 'u':
		c.unit = e.unit
		return at + 1, e.unit != noUnit
	case 'p':
		c.part = int(e.part)
		return at + 1, e.part != 0
	case 'a':
		c.half = int(e.half)
		return at + 1, e.half != 0
	case 't':
		span, end := s.span(at)
		c.span = span
		return end, end > at
	default:
		return s.numberOption(o.kind, at, c)
	}
}

func (s *speech) numberOption(kind byte, at int, c *capture) (int, bool) {
	switch kind {
	case 'n':
		n, end := s.cardinal(at)
		if end > at && c.count < len(c.numbers) {
			c.numbers[c.count] = n
			c.count++
		}
		return end, end > at
	case 'o':
		n, end := s.ordinal(at)
		c.day = n
		return end, end > at && n >= 1 && n <= 31
	case 'x':
		n, end := s.cardinal(at)
		c.day = int(n)
		return end, end > at && n >= 1 && n <= 31 && n == float64(c.day) && s.short(at, end)
	case 'y':
		n, end := s.yearAt(at)
		c.year = n
		return end, end > at
	case 'h':
		n, end := s.cardinal(at)
		c.hour = int(n)
		return end, end > at && n >= 0 && n <= 24 && n == float64(c.hour) && s.short(at, end)
	case 'i':
		n, end := s.minuteAt(at)
		c.minute = n
		return end, end > at
	case 'c':
		h, m, end := s.clockAt(at)
		c.hour, c.minute = h, m
		return end, end > at
	}
	return at, false
}

// short says whether a number may be an hour or a day: not "007".
func (s *speech) short(at, end int) bool {
	return !s.tokens[at].digits || end == at+1 && len(s.tokens[at].lower) <= 2
}

// weekdayList reads "monday", "tuesdays and thursdays", "monday wednesday and friday".
func (s *speech) weekdayList(at int, plural bool, c *capture) (int, bool) {
	end := at
	for i := at; i < len(s.tokens) && (i == at || s.joined(i)); i++ {
		e := s.tokens[i].entry
		if e.number == wordAnd && end > at {
			continue
		}
		if e.weekday == 0 || plural && i == at && !e.plural {
			break
		}
		c.weekdays |= 1 << (e.weekday - 1)
		end = i + 1
	}
	return end, end > at
}

// rule is a pattern and what it means. The meaning may refuse: "february 30".
type rule struct {
	pattern
	means func(*speech, *capture) (found, bool)
	opens letters // that it may begin with
	needs letters // without all of which it fits nowhere
}

// ruleset is a list of rules, found by what they begin with.
type ruleset struct {
	rules    []rule
	byWord   byID[*rule]
	byLetter []*rule
	opens    letters // of any rule
}

// rules makes a list out of patterns, separated by new lines, and their meaning, in turn.
func rules(all ...rule) *ruleset { return &ruleset{rules: all} }

// on gives several patterns, one a line, the same meaning.
func on(patterns string, means func(*speech, *capture) (found, bool)) rule {
	return rule{pattern: say(patterns), means: means}
}

func (r *ruleset) compile(l *language) {
	r.byWord, r.byLetter, r.opens = byID[*rule]{}, nil, 0
	var single []rule
	for _, each := range r.rules {
		for line := range strings.SplitSeq(each.say, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				one := on(line, each.means)
				one.compile(l)
				single = append(single, one)
			}
		}
	}
	for i := range single {
		r.index(&single[i])
	}
}

func (r *ruleset) index(one *rule) {
	for _, e := range one.elements {
		if !e.optional && len(e.options) == 1 {
			one.needs |= e.options[0].set
		}
	}
	for _, e := range one.elements {
		for _, o := range e.options {
			if o.kind != 0 {
				one.opens |= o.set
			} else {
				r.byWord.add(o.id, one)
			}
		}
		if !e.optional {
			break
		}
	}
	if one.opens != 0 {
		r.byLetter = append(r.byLetter, one)
		r.opens |= one.opens
	}
}

// scan finds the longest match of the rules at each place, from the left, none over another and none over taken.
func (s *speech) scan(r *ruleset, taken ...[]found) []found {
	var result []found
	for at := 0; at < len(s.tokens); {
		if !s.mayBegin(r, at) {
			at++
			continue
		}
		best := s.longest(r, at, taken)
		if best.to <= at {
			at++
			continue
		}
		result = append(result, best)
		at = best.to
	}
	return result
}

// mayBegin is the cheap test before longest: most words begin no rule.
func (s *speech) mayBegin(r *ruleset, at int) bool {
	return s.opens(at)&r.opens != 0 || r.byWord.has(s.tokens[at].entry.id)
}

func (s *speech) longest(r *ruleset, at int, taken [][]found) found {
	var best found
	if !free(at, at+1, taken...) {
		return best
	}
	c := s.capture()
	defer s.release()
	for _, one := range r.byWord.of(s.tokens[at].entry.id) {
		s.try(one, at, c, taken, &best)
	}
	if opens := s.opens(at); opens&r.opens != 0 {
		for _, one := range r.byLetter {
			if opens&one.opens != 0 {
				s.try(one, at, c, taken, &best)
			}
		}
	}
	return best
}

// try replaces the best match if a rule gives a longer one.
func (s *speech) try(one *rule, at int, c *capture, taken [][]found, best *found) {
	if one.needs&^s.seen.opens != 0 {
		return
	}
	*c = capture{}
	end, ok := s.match(&one.pattern, at, c)
	if !ok || end <= best.to || !free(at, end, taken...) {
		return
	}
	if f, ok := one.means(s, c); ok {
		f.from, f.to = at, end
		*best = f
	}
}

// capture lends one until release.
func (s *speech) capture() *capture {
	if s.depth++; s.depth > capturesDeep {
		return &capture{}
	}
	c := &s.captures[s.depth-1]
	*c = capture{}
	return c
}

func (s *speech) release() { s.depth-- }
