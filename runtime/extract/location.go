package extract

import "strings"

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
		if s.language.frames.article[s.at(from)] && from+1 < to {
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
	before := s.language.frames.placeLead
	if !s.joined(at) {
		return found{}, false
	}
	first := at
	if s.language.frames.article[s.at(at)] && at+1 < len(s.tokens) && s.joined(at+1) {
		first++
	}
	strict := before[s.at(at-1)]
	_, asked := s.end(s.language.frames.placeOf, at)
	if !strict && !asked {
		return found{}, false
	}
	if end := s.cityEnd(first); end > first {
		return found{from: first, to: s.region(end), value: s.tidyPlace(first, s.region(end))}, true
	}
	named := first
	capital := s.tokens[first].capital && s.someSmall() && (first == at || !s.language.compounds)
	if capital {
		named = s.placeEnd(first, len(s.tokens), true)
	}
	if end := s.nounEnd(first); end > first && end >= named && (strict || first > at) {
		return found{from: first, to: end, value: s.tidyPlace(first, end)}, true
	}
	if s.is(first, noPlace) {
		return found{}, false
	}
	if capital && !s.is(first, given|common|title) && s.tokens[first].entry.weekday == 0 && s.tokens[first].entry.month == 0 && !s.language.frames.weakLead[s.at(at-1)] {
		if end := s.region(s.placeEnd(first, len(s.tokens), true)); end > first {
			return found{from: first, to: end, value: s.tidyPlace(first, end)}, true
		}
	}
	if asked {
		if end := s.placeEnd(first, len(s.tokens), false); end > first {
			return found{from: first, to: end, value: s.tidyPlace(first, end)}, true
		}
	}
	return found{}, false
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
		if s.language.pairs[name] {
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
		if s.is(end-1, common|timed|numeral|lead) && !s.language.frames.placeWord[s.at(end-1)] || s.tokens[end-1].digits {
			return at
		}
	}
	return at
}

// placeEnd is the token behind words that may name a place.
func (s *speech) placeEnd(at, limit int, capital bool) int {
	i := at
	for i < limit && i-at < placeWordsMax && (i == at || s.between(i) == " " || s.between(i) == "-") {
		t := s.tokens[i]
		if t.digits || capital && !t.capital || t.entry.is(common|filler|polite|negation|correction|numeral|timed|lead|noPlace) && !t.entry.is(placeNoun|particle|city) && !(i == at && s.language.frames.placeWord[t.lower]) || t.entry.weekday != 0 || t.entry.part != 0 {
			break
		}
		i++
	}
	return i
}

// region adds what follows a comma and is a name too: "Portland, Oregon".
func (s *speech) region(at int) int {
	if at < len(s.tokens) && at > 0 && s.between(at) == ", " && s.tokens[at].capital && s.mixed() && (!s.is(at, common|filler|correction) || s.language.frames.placeWord[s.at(at)]) {
		return s.placeEnd(at, len(s.tokens), true)
	}
	return at
}

func (s *speech) tidyPlace(from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		if i > from {
			if gap := s.between(i); gap == "-" || gap == ", " {
				text.WriteString(gap)
			} else {
				text.WriteByte(' ')
			}
		}
		text.WriteString(s.tidy(i))
	}
	return text.String()
}
