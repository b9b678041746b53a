package extract

// impossible are dates and times as one writes them that no calendar and no clock has: 2026-11-31, 25:00. Their parts are
// nothing else either.
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
	if gap == ":" {
		if hour := s.tokens[at]; len(hour.lower) <= 2 && len(two.lower) == 2 && (hour.number*60+two.number > dayMinutes || two.number > 59) {
			return at + 2
		}
		return at
	}
	if at+2 >= len(s.tokens) || !s.tokens[at+2].digits || s.between(at+2) != gap || len(two.lower) > 2 {
		return at
	}
	year := len(s.tokens[at].lower) == 4 && len(s.tokens[at+2].lower) <= 2 || len(s.tokens[at].lower) <= 2 && len(s.tokens[at+2].lower) == 4
	if gap != "-" && gap != "/" && gap != "." || !year {
		return at
	}
	if day, _ := s.writtenDate(at); !day.IsZero() {
		return at
	}
	return at + 3
}
