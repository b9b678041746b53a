package sentence

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// maxSteps is how many pieces are tried before a template is given up for one text. Templates that people write need
// at most a thousand.
const maxSteps = 10_000

// form is a text as templates read it.
type form struct {
	text  []rune // as it was said
	lower []rune
}

// matcher tries one template on one text. What a state does not say lies on the stack of slots.
type matcher struct {
	set  *Set
	t    *template
	live Lists
	form
	slots []Slot
	steps int
	miss  *miss // nil when nobody asks
}

// state is where a reading has come to.
type state struct {
	at        int
	wordStart bool // spaces here mean nothing
	open      bool // the last slot is a wildcard that has not ended
	literal   int
	context   map[string]any // never changed
}

// miss is how far a template came.
type miss struct {
	at   int
	want string
}

func (m *matcher) failed(at int, want []rune) {
	if m.miss != nil && at >= m.miss.at {
		*m.miss = miss{at, string(want)}
	}
}

// lacked notes that a list has nothing that stands here.
func (m *matcher) lacked(at int, list *node) {
	if m.miss != nil {
		m.failed(at, []rune("{"+list.name+"}"))
	}
}

// node tries a piece from a state on and goes on with then for every way in which it fits.
func (m *matcher) node(n *node, s state, then func(state)) {
	if m.steps++; m.steps > maxSteps {
		return
	}
	switch n.kind {
	case chunk:
		m.chunk(n.text, s, then)
	case sequence:
		m.all(n.items, s, then)
	case alternative:
		for _, item := range n.items {
			m.node(item, s, then)
		}
	case permutation:
		m.anyOrder(n.items, s, then)
	case ruled:
		m.node(m.t.rules[n.name], s, then)
	case listed:
		m.list(n, s, then)
	}
}

func (m *matcher) all(items []*node, s state, then func(state)) {
	if len(items) == 0 {
		then(s)
		return
	}
	m.node(items[0], s, func(s state) { m.all(items[1:], s, then) })
}

func (m *matcher) anyOrder(items []*node, s state, then func(state)) {
	if len(items) == 1 {
		m.node(items[0], s, then)
		return
	}
	for i, item := range items {
		rest := slices.Delete(slices.Clone(items), i, i+1)
		m.node(item, s, func(s state) { m.anyOrder(rest, s, then) })
	}
}

// chunk tries literal text. An open wildcard takes what stands before it.
func (m *matcher) chunk(want []rune, s state, then func(state)) {
	if len(want) == 0 {
		then(s)
		return
	}
	ends := want[len(want)-1] == ' '
	if m.set.dense {
		want = dense(want)
	} else if s.wordStart {
		want = trimLeft(want)
		s.at = m.past(s.at)
	}
	blank := len(trimLeft(want)) == 0
	if s.open {
		if blank {
			s.wordStart = true
			then(s)
			return
		}
		m.behindWildcard(want, ends, s, then)
		return
	}
	rest := m.lower[s.at:]
	switch {
	case fits(rest, want):
		s.at += len(want)
		if !blank {
			s.literal += len(trim(want))
		}
		s.wordStart = ends
		then(s)
	case blank && len(trimLeft(rest)) == 0:
		then(s)
	default:
		m.failed(s.at, want)
	}
}

// behindWildcard ends the open wildcard at every place where the text stands.
func (m *matcher) behindWildcard(want []rune, ends bool, s state, then func(state)) {
	m.wildcardUntil(s, func(at int) (int, bool) {
		// Only the nearest place has to begin a word.
		nearest := at == s.at+1 && !m.set.dense && m.slots[len(m.slots)-1].wordEnd
		for ; at < len(m.lower); at++ {
			if fits(m.lower[at:], want) && (!nearest || m.boundary(at, want)) {
				return at, true
			}
		}
		return 0, false
	}, func(s state) {
		s.wordStart = ends
		s.at += len(want)
		s.literal += len(trim(want))
		then(s)
	})
}

// wildcardUntil ends the open wildcard at every place that next finds from a character on.
func (m *matcher) wildcardUntil(s state, next func(at int) (int, bool), then func(state)) {
	top := len(m.slots) - 1
	slot := m.slots[top]
	s.open = false
	for at, ok := next(s.at + 1); ok; at, ok = next(at + 1) {
		m.slots[top].Text = string(m.text[s.at:at])
		if strings.TrimSpace(m.slots[top].Text) != "" {
			after := s
			after.at = at
			then(after)
		}
		m.slots = m.slots[:top+1]
		m.slots[top] = slot
		if m.steps++; m.steps > maxSteps {
			return
		}
	}
}

// boundary tells whether a word begins here, as far as the text that is looked for begins with one.
func (m *matcher) boundary(at int, want []rune) bool {
	return at == 0 || isWord(m.lower[at-1]) != isWord(want[0])
}

func (m *matcher) past(at int) int {
	for at < len(m.lower) && unicode.IsSpace(m.lower[at]) {
		at++
	}
	return at
}

func (m *matcher) list(n *node, s state, then func(state)) {
	found := m.t.lists[n.name]
	if found == nil {
		found = m.live[n.name]
	}
	if found == nil {
		found = m.set.lists[n.name]
	}
	switch {
	case len(trimLeft(m.lower[s.at:])) == 0:
		m.lacked(s.at, n)
	case n.numbers != nil:
		m.number(n, n.numbers, s, then)
	case found == nil:
	case found.numbers != nil:
		m.number(n, found.numbers, s, then)
	case found.wildcard:
		m.push(Slot{Name: n.slot, Wildcard: true, from: s.at, wordEnd: n.wordEnd}, n.capture, func() {
			s.open = true
			then(s)
		})
	default:
		m.values(n, found.values, s, then)
	}
}

// push goes on with one slot more.
func (m *matcher) push(slot Slot, capture bool, then func()) {
	if capture {
		slot.Name = "@" + slot.Name
	}
	top := len(m.slots)
	m.slots = append(m.slots, slot)
	then()
	m.slots = m.slots[:top]
}

func (m *matcher) values(n *node, values []value, s state, then func(state)) {
	first := ' '
	if at := m.past(s.at); at < len(m.lower) {
		first = m.lower[at]
	}
	before := m.steps
	for _, v := range values {
		if !s.open && v.root.kind == sequence && len(v.root.items) > 0 && !m.mayBegin(v.root.items[0], first, s.wordStart) {
			continue
		}
		if !allowed(m.t.block, v.Context) {
			continue
		}
		m.node(v.root, s, func(after state) {
			from := m.past(s.at)
			if s.open {
				from = m.slots[len(m.slots)-1].from + len([]rune(m.slots[len(m.slots)-1].Text))
			}
			if after.at <= from {
				return
			}
			slot := Slot{Name: n.slot, Value: v.Out, Text: strings.TrimSpace(string(m.text[from:after.at]))}
			if v.Out == nil {
				slot.Value = slot.Text
			}
			after.literal, after.wordStart = s.literal, s.wordStart
			if len(v.Context) > 0 {
				joined := maps.Clone(after.context)
				if joined == nil {
					joined = map[string]any{}
				}
				maps.Copy(joined, v.Context)
				after.context = joined
			}
			m.push(slot, n.capture, func() { then(after) })
		})
	}
	if m.steps == before {
		m.lacked(s.at, n)
	}
}

// mayBegin tells whether a text that begins with the character can fit the first piece of a value.
func (m *matcher) mayBegin(piece *node, first rune, wordStart bool) bool {
	return piece.kind != chunk || !wordStart || m.set.dense || len(piece.text) == 0 || piece.text[0] == first || piece.text[0] == ' '
}

// number tries a number in digits, or in words where no digits stand. An open wildcard takes what stands before it.
func (m *matcher) number(n *node, numbers *Range, s state, then func(state)) {
	inDigits := numbers.Digits == nil || *numbers.Digits
	inWords := m.set.numbers != nil && (numbers.Words == nil || *numbers.Words)
	fraction := numbers.Fractions != ""
	take := func(s state, from, runes int, value float64) {
		slot := Slot{Name: n.slot, Value: value, Text: strings.TrimSpace(string(m.text[from : from+runes]))}
		if numbers.Multiplier != nil {
			slot.Value = value * *numbers.Multiplier
		}
		s.at = from + runes
		m.push(slot, n.capture, func() { then(s) })
	}
	words := func(s state, from int) {
		for _, read := range m.set.numbers(string(m.lower[from:])) {
			if numbers.holds(read.Value) {
				s := s
				s.wordStart = false
				s.literal += read.Runes
				take(s, from, read.Runes, read.Value)
			}
		}
	}
	if s.open {
		anyDigits := slices.ContainsFunc(m.lower[s.at:], isDigit)
		m.wildcardUntil(s, func(at int) (int, bool) {
			for ; at < len(m.lower); at++ {
				if anyDigits && isDigit(m.lower[at]) && !isDigit(m.lower[at-1]) || !anyDigits && isWord(m.lower[at]) && !isWord(m.lower[at-1]) {
					return at, true
				}
			}
			return 0, false
		}, func(s state) {
			if value, to := digits(m.lower, s.at, fraction); to > s.at && inDigits && numbers.holds(value) {
				take(s, s.at, to-s.at, value)
			} else if to == s.at && inWords {
				words(s, s.at)
			}
		})
		return
	}
	value, to := digits(m.lower, s.at, fraction)
	from := s.at
	if s.wordStart {
		from = m.past(from)
	}
	switch {
	case to > s.at && inDigits && numbers.holds(value):
		take(s, s.at, to-s.at, value)
	case to == s.at && inWords:
		words(s, from)
	default:
		m.lacked(s.at, n)
	}
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// digits reads a number that stands at a place, after spaces. Without one, to is at.
func digits(text []rune, at int, fraction bool) (value float64, to int) {
	i := at
	for i < len(text) && text[i] == ' ' {
		i++
	}
	sign := 1.0
	if i < len(text) && text[i] == '-' {
		sign = -1
		i++
	}
	begin := i
	for i < len(text) && isDigit(text[i]) {
		value = value*10 + float64(text[i]-'0')
		i++
	}
	if i == begin {
		return 0, at
	}
	if fraction && i+1 < len(text) && (text[i] == '.' || text[i] == ',') && isDigit(text[i+1]) {
		scale := 0.1
		for i++; i < len(text) && isDigit(text[i]); i++ {
			value += float64(text[i]-'0') * scale
			scale /= 10
		}
	}
	return sign * value, i
}

// fits tells whether the text begins with what is wanted; a space may be a hyphen in it.
func fits(text, want []rune) bool {
	if len(text) < len(want) {
		return false
	}
	for i, r := range want {
		if text[i] != r && !(r == ' ' && (text[i] == '-' || text[i] == '_')) {
			return false
		}
	}
	return true
}

func trimLeft(text []rune) []rune {
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return text
}

func trim(text []rune) []rune {
	text = trimLeft(text)
	for len(text) > 0 && text[len(text)-1] == ' ' {
		text = text[:len(text)-1]
	}
	return text
}
