package extract

import "slices"

// phrases are patterns of which one is wanted before or behind a place in a text.
type phrases struct {
	texts           []string
	byFirst, byLast map[string][]*pattern
}

// says makes phrases out of patterns. They begin and end with words, not with # letters.
func says(texts ...string) *phrases { return &phrases{texts: texts} }

func (p *phrases) compile(l *language) {
	p.byFirst, p.byLast = map[string][]*pattern{}, map[string][]*pattern{}
	for _, text := range p.texts {
		one := l.pattern(text)
		for _, o := range firsts(one.elements) {
			p.byFirst[o.word] = append(p.byFirst[o.word], &one)
		}
		backwards := slices.Clone(one.elements)
		slices.Reverse(backwards)
		for _, o := range firsts(backwards) {
			p.byLast[o.word] = append(p.byLast[o.word], &one)
		}
	}
}

// begin returns the token behind the longest of the phrases that begin at a token.
func (s *speech) begin(p *phrases, at int) (int, bool) {
	end := at
	if at < len(s.tokens) {
		for _, one := range p.byFirst[s.tokens[at].entry.word] {
			if next, ok := s.match(one, at, new(capture)); ok {
				end = max(end, next)
			}
		}
	}
	return end, end > at
}

// end says whether one of the phrases ends right before a token, and where the longest of them begins.
func (s *speech) end(p *phrases, at int) (int, bool) {
	from := at
	if at <= 0 || at > len(s.tokens) {
		return at, false
	}
	if gap := s.between(at); at < len(s.tokens) && gap != " " && gap != ": " && gap != ", " {
		return at, false
	}
	for _, one := range p.byLast[s.tokens[at-1].entry.word] {
		for start := max(0, at-len(one.elements)); start < from; start++ {
			if next, ok := s.match(one, start, new(capture)); ok && next == at {
				from = start
			}
		}
	}
	return from, from < at
}
