package extract

// byID finds what begins or ends with a word, by the word's number. Most words have nothing, which a bit tells.
type byID[T any] struct {
	lists map[int32][]T
	bits  []uint64
}

func (x *byID[T]) add(id int32, one T) {
	if x.lists == nil {
		x.lists = map[int32][]T{}
	}
	x.lists[id] = append(x.lists[id], one)
	for len(x.bits) <= int(id/64) {
		x.bits = append(x.bits, 0)
	}
	x.bits[id/64] |= 1 << (id % 64)
}

func (x *byID[T]) has(id int32) bool {
	return int(id/64) < len(x.bits) && x.bits[id/64]&(1<<(id%64)) != 0
}

func (x *byID[T]) of(id int32) []T {
	if !x.has(id) {
		return nil
	}
	return x.lists[id]
}

// phrases are patterns of which one is wanted before or behind a place in a text.
type phrases struct {
	texts   []string
	byFirst byID[*pattern]
	byLast  byID[*pattern]
}

// says makes phrases out of patterns. They begin and end with words, not with # letters.
func says(texts ...string) *phrases { return &phrases{texts: texts} }

func (p *phrases) compile(l *language) {
	p.byFirst, p.byLast = byID[*pattern]{}, byID[*pattern]{}
	for _, text := range p.texts {
		one := say(text)
		one.compile(l)
		for i := range one.elements {
			e := one.elements[i]
			for _, o := range e.options {
				p.byFirst.add(o.id, &one)
			}
			if !e.optional {
				break
			}
		}
		for i := len(one.elements) - 1; i >= 0; i-- {
			e := one.elements[i]
			for _, o := range e.options {
				p.byLast.add(o.id, &one)
			}
			if !e.optional {
				break
			}
		}
	}
}

// begin returns the token behind the longest of the phrases that begin at a token.
func (s *speech) begin(p *phrases, at int) (int, bool) {
	end := at
	if at < len(s.tokens) {
		for _, one := range p.byFirst.of(s.tokens[at].entry.id) {
			if next, ok := s.match(one, at, nil); ok {
				end = max(end, next)
			}
		}
	}
	return end, end > at
}

// end says whether one of the phrases ends right before a token, and where the longest of them begins.
func (s *speech) end(p *phrases, at int) (int, bool) {
	from := at
	if at <= 0 || at > len(s.tokens) || !p.byLast.has(s.tokens[at-1].entry.id) {
		return at, false
	}
	if gap := s.between(at); at < len(s.tokens) && gap != " " && gap != ": " && gap != ", " {
		return at, false
	}
	for _, one := range p.byLast.of(s.tokens[at-1].entry.id) {
		for start := max(0, at-len(one.elements)); start < from; start++ {
			if next, ok := s.match(one, start, nil); ok && next == at {
				from = start
			}
		}
	}
	return from, from < at
}
