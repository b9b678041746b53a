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
	word   string
	letter byte // in place of a word
}

// pattern reads a pattern and makes its words known.
func (l *language) pattern(say string) pattern {
	p := pattern{say: say}
	for word := range strings.FieldsSeq(say) {
		word, optional := strings.CutSuffix(word, "?")
		e := element{optional: optional}
		for w := range strings.SplitSeq(word, "|") {
			if letter, ok := strings.CutPrefix(w, "#"); ok {
				e.options = append(e.options, option{letter: letter[0]})
				continue
			}
			l.change(w, func(*entry) {})
			e.options = append(e.options, option{word: w})
		}
		p.elements = append(p.elements, e)
	}
	return p
}

// firsts are what elements may begin with.
func firsts(elements []element) []option {
	var all []option
	for _, e := range elements {
		all = append(all, e.options...)
		if !e.optional {
			break
		}
	}
	return all
}

// capture is what a pattern's letters stood for.
type capture struct {
	from, to           int
	numbers            [2]float64
	count              int // of numbers
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
	if o.letter == 0 {
		if s.tokens[at].entry.word != o.word {
			return 0, false
		}
		return s.rest(rest, start, at+1, c)
	}
	saved := *c
	if next, ok := s.letter(o.letter, at, c); ok {
		if end, ok := s.rest(rest, start, next, c); ok {
			return end, true
		}
	}
	*c = saved
	return 0, false
}

// letter reads what a # letter stands for.
func (s *speech) letter(letter byte, at int, c *capture) (int, bool) {
	e := s.tokens[at].entry
	end := at
	switch letter {
	case 'm':
		c.month = int(e.month)
		return at + 1, e.month != 0
	case 'd':
		c.weekday = int(e.weekday)
		return at + 1, e.weekday != 0 && !e.plural
	case 'u':
		c.unit = e.unit
		return at + 1, e.unit != noUnit
	case 'p':
		c.part = int(e.part)
		return at + 1, e.part != 0
	case 'a':
		c.half = int(e.half)
		return at + 1, e.half != 0
	case 'D', 'w':
		end = s.weekdayList(at, letter == 'D', c)
	case 't':
		if s.seen&timed != 0 {
			f := s.span(at)
			c.span, end = f.span, f.to
		}
	case 'o':
		c.day, end = s.ordinal(at)
		return end, end > at && c.day >= 1 && c.day <= 31
	case 'y':
		c.year, end = s.yearAt(at)
	case 'i':
		c.minute, end = s.minuteAt(at)
	case 'c':
		c.hour, c.minute, end = s.clockAt(at)
	case 'n':
		c.numbers[c.count], end = s.cardinal(at)
		c.count++
	case 'x':
		c.day, end = s.smallNumber(at, 1, 31)
	case 'h':
		c.hour, end = s.smallNumber(at, 0, 24)
	}
	return end, end > at
}

// smallNumber is a whole number that may be an hour or a day: not "007".
func (s *speech) smallNumber(at, least, most int) (int, int) {
	n, end := s.cardinal(at)
	written := end == at+1 && len(s.tokens[at].lower) <= 2
	if n != float64(int(n)) || int(n) < least || int(n) > most || s.tokens[at].digits && !written {
		return 0, at
	}
	return int(n), end
}

// weekdayList reads "monday", "tuesdays and thursdays", "monday wednesday and friday".
func (s *speech) weekdayList(at int, plural bool, c *capture) int {
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
	return end
}

// meaning is what a pattern says where it fits. It may refuse: "february 30".
type meaning func(*speech, *capture) (found, bool)

// rule is a pattern, or several with a line for each, and its meaning.
type rule struct {
	pattern
	means meaning
}

// ruleset is a list of rules, found by what they begin with.
type ruleset struct {
	rules    []rule
	byWord   map[string][]*rule
	byLetter []*rule // that may begin with a letter
}

// rules makes a list out of patterns and their meanings.
func rules(all ...rule) *ruleset { return &ruleset{rules: all} }

// on gives several patterns, one a line, the same meaning.
func on(patterns string, means meaning) rule {
	return rule{pattern: pattern{say: patterns}, means: means}
}

func (r *ruleset) compile(l *language) {
	r.byWord = map[string][]*rule{}
	for _, each := range r.rules {
		for line := range strings.SplitSeq(each.say, "\n") {
			one := &rule{pattern: l.pattern(line), means: each.means}
			letter := false
			for _, o := range firsts(one.elements) {
				if o.letter != 0 {
					letter = true
				} else {
					r.byWord[o.word] = append(r.byWord[o.word], one)
				}
			}
			if letter {
				r.byLetter = append(r.byLetter, one)
			}
		}
	}
}

// scan finds the longest match of the rules at each place, from the left, none over another and none over taken.
func (s *speech) scan(r *ruleset, taken ...[]found) []found {
	var result []found
	for at := 0; at < len(s.tokens); {
		best := s.longest(r, at, taken)
		if best.to > at {
			result = append(result, best)
		}
		at = max(best.to, at+1)
	}
	return result
}

// longest is the longest match of the rules that begins at a token.
func (s *speech) longest(r *ruleset, at int, taken [][]found) found {
	var best found
	if at >= len(s.tokens) {
		return best
	}
	word, letter := r.byWord[s.tokens[at].entry.word], r.byLetter
	if !s.valued(at) {
		letter = nil
	}
	if len(word)+len(letter) == 0 || !free(at, at+1, taken...) {
		return best
	}
	var c capture
	for _, list := range [][]*rule{word, letter} {
		for _, one := range list {
			c = capture{}
			end, ok := s.match(&one.pattern, at, &c)
			if !ok || end <= best.to || !free(at, end, taken...) {
				continue
			}
			if f, ok := one.means(s, &c); ok {
				f.from, f.to = at, end
				best = f
			}
		}
	}
	return best
}

// valued says whether a # letter may begin at a token: most words begin none.
func (s *speech) valued(at int) bool {
	t := &s.tokens[at]
	e := &t.entry
	return t.digits || e.is(numeral) || e.ordinal != 0 || e.weekday != 0 || e.month != 0 || e.unit != noUnit || e.part != 0 ||
		e.half != 0 || s.seen&timed != 0 && s.durationRules.byWord[e.word] != nil // a span of time
}
