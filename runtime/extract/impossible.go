package extract

import "strings"

// impossible are dates and times as one writes them that no calendar and no clock has: 2026-11-31, 25:00. Their parts
// are nothing else either.
func (s *speech) impossible() []found { return s.once(keptImpossible, s.findImpossible) }

func (s *speech) findImpossible() []found {
	var all []found
	for at := 0; at+1 < len(s.tokens); at++ {
		if end := s.impossibleAt(at); end > at && free(at, end, s.rawEmails(), s.rawPhones(), s.rawAddresses()) {
			all = append(all, found{from: at, to: end})
			at = end - 1
		}
	}
	return all
}

// impossibleAt is the token behind such a date or time, or at.
func (s *speech) impossibleAt(at int) int {
	if !s.tokens[at].digits || !s.tokens[at+1].digits || s.glued(at) {
		return at
	}
	gap, two := s.between(at+1), s.tokens[at+1]
	one, three := len(s.at(at)), len(s.at(at+2))
	if gap == ":" {
		wrong := two.number > 59 || s.tokens[at].number*60+two.number > dayMinutes
		return at + 2*b(wrong && one <= 2 && len(two.lower) == 2)
	}
	year := one == 4 && three <= 2 || one <= 2 && three == 4
	if !year || !s.figures(at+2) || s.between(at+2) != gap || len(two.lower) > 2 || len(gap) != 1 || !strings.Contains("-/.", gap) {
		return at
	}
	day, _ := s.writtenDate(at)
	return at + 3*b(day.IsZero())
}
