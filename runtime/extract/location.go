package extract

const placeWordsMax = 4

// locations are places to ask about or to be at: known cities, what is written with a capital letter behind "in", and
// nouns like "airport".
func (s *speech) locations() []found {
	taken := [][]found{s.rawEmails(), s.rawAddresses(), s.rawRecurrences(), s.rawDates(), s.rawTimes(), s.rawDurations()}
	var all []found
	for at := 1; at < len(s.tokens); at++ {
		if len(all) > 0 && at < all[len(all)-1].to {
			continue
		}
		if f, ok := s.place(at); ok && free(f.from, f.to, taken...) {
			all = append(all, f)
		}
	}
	all = s.settled(all)
	if len(all) == 0 && s.context.Expect == "location" {
		from, to := s.core()
		if s.frames.article[s.at(from)] && from+1 < to {
			from++
		}
		if from < to && to-from <= placeWordsMax && s.placeEnd(from, to, false) == to && free(from, to, taken...) {
			return []found{{from: from, to: to, value: s.tidyPlace(from, to)}}
		}
	}
	return all
}

// place reads a place behind a word like "in".
func (s *speech) place(at int) (found, bool) {
	if !s.joined(at) {
		return found{}, false
	}
	first := at
	if s.frames.article[s.at(at)] && s.joined(at+1) {
		first++
	}
	strict := s.frames.placeLead[s.at(at-1)]
	_, asked := s.end(s.frames.placeOf, at)
	end := first
	if strict || asked {
		end = s.placeFrom(first, at, strict, asked)
	}
	return found{from: first, to: end, value: s.tidyPlace(first, end)}, end > first
}

// placeFrom is the token behind the place that begins at first, where what leads to it ends before at.
func (s *speech) placeFrom(first, at int, strict, asked bool) int {
	if end := s.cityEnd(first); end > first {
		return s.region(end)
	}
	named := first
	capital := s.tokens[first].capital && s.someSmall() && (first == at || !s.compounds)
	if capital {
		named = s.placeEnd(first, len(s.tokens), true)
	}
	if end := s.nounEnd(first); end > first && end >= named && (strict || first > at) {
		return end
	}
	e := s.tokens[first].entry
	if capital && !e.is(given|common|title|noPlace) && e.weekday == 0 && e.month == 0 && !s.frames.weakLead[s.at(at-1)] {
		if end := s.region(named); end > first {
			return end
		}
	}
	if asked && !e.is(noPlace) {
		return s.placeEnd(first, len(s.tokens), false)
	}
	return first
}

// cityEnd is the token behind the longest known city that begins at a token.
func (s *speech) cityEnd(at int) int {
	if !s.is(at, city) {
		return at
	}
	end := at
	name := ""
	for i := at; i < len(s.tokens) && i-at < placeWordsMax && (i == at || s.between(i) == " "); i++ {
		name += s.at(i)
		if s.pairs[name] {
			end = i + 1
		}
		name += " "
	}
	return end
}

// nounEnd is the token behind "living room", "office", "home".
func (s *speech) nounEnd(at int) int {
	for end := at + 1; end <= at+3 && end <= len(s.tokens) && (end == at+1 || s.joined(end-1)); end++ {
		if s.is(end-1, placeNoun) {
			if s.joined(end) && s.is(end, placeNoun) {
				continue
			}
			return end
		}
		if s.is(end-1, common|timed|numeral|lead) && !s.frames.placeWord[s.at(end-1)] || s.tokens[end-1].digits {
			return at
		}
	}
	return at
}

// placeEnd is the token behind words that may name a place.
func (s *speech) placeEnd(at, limit int, capital bool) int {
	const everyday = common | filler | polite | negation | correction | numeral | timed | lead | noPlace
	return s.on(at, min(placeWordsMax, limit-at), func(i int) bool {
		t := s.tokens[i]
		named := !t.entry.is(everyday) || t.entry.is(placeNoun|particle|city) || i == at && s.frames.placeWord[t.lower]
		goesOn := i == at || s.between(i) == " " || s.between(i) == "-"
		return goesOn && named && !t.digits && (t.capital || !capital) && t.entry.weekday == 0 && t.entry.part == 0
	})
}

// region adds what follows a comma and is a name too: "Portland, Oregon".
func (s *speech) region(at int) int {
	named := !s.is(at, common|filler|correction) || s.frames.placeWord[s.at(at)]
	if at < len(s.tokens) && at > 0 && s.between(at) == ", " && s.tokens[at].capital && s.mixed() && named {
		return s.placeEnd(at, len(s.tokens), true)
	}
	return at
}

func (s *speech) tidyPlace(from, to int) string { return s.inWriting(from, to, s.tidy, "-", ", ") }
