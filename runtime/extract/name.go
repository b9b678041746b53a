package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const nameWordsMax = 5

// names are those of people: behind a frame ("my name is"), usual first names behind a weak one ("it's"), or the whole
// answer where a name was asked for.
func (s *speech) names() []found {
	var all []found
	for at := 1; at < len(s.tokens); at++ {
		if !s.frameEnds(at) {
			continue
		}
		if f, ok := s.framedName(at); ok && free(f.from, f.to, all, s.rawEmails(), s.rawAddresses()) {
			all = append(all, f)
		}
	}
	all = s.beforeAddress(s.speakers(all))
	all = s.parts(s.settled(s.correctedNames(all)))
	if len(all) == 0 && s.context.Expect == "name" {
		from, to := s.core()
		for i := to - 1; i > from; i-- { // "sara, no, sarah johnson"
			if s.is(i, correction) {
				from = i + 1
				break
			}
		}
		end := s.nameEnd(from, to)
		if end > from && end < to && s.is(from, given) && (s.tokens[end].entry.number == wordAnd || !s.nameGap(end)) {
			to = end // "sarah johnson, and my number is …"
		}
		if end == to && from < to && to-from <= nameWordsMax {
			return []found{{from: from, to: to, value: s.tidyName(from, to)}}
		}
	}
	return all
}

// frameEnds is the cheap test before framedName: most words are no frame's last.
func (s *speech) frameEnds(at int) bool {
	word := s.tokens[at-1].entry.word
	return s.frames.nameIs.byLast[word] != nil || s.frames.nameMaybe.byLast[word] != nil
}

// framedName reads a name that begins at a token, if a frame ends before it.
func (s *speech) framedName(at int) (found, bool) {
	_, strong := s.end(s.frames.nameIs, at)
	_, weak := s.end(s.frames.nameMaybe, at)
	to := s.nameEnd(at, len(s.tokens))
	known := s.is(at, given|title) || s.mixed() && s.tokens[at].capital && !s.is(at, city|placeNoun)
	known = known && !(s.is(at, title) && to == at+1)
	if !strong && !(weak && known) || s.is(at, filler) || to == at {
		return found{}, false
	}
	if again := s.inFull(at, to); again > to {
		at, to = to, again
	}
	return found{from: at, to: to, value: s.tidyName(at, to)}, true
}

// inFull is the token behind a name that is said again with what goes before it, "hughes, deborah hughes", else to.
func (s *speech) inFull(from, to int) int {
	if from+1 != to || to >= len(s.tokens) || s.between(to) != ", " {
		return to
	}
	if end := s.nameEnd(to, len(s.tokens)); end > to+1 && s.at(end-1) == s.at(from) {
		return end
	}
	return to
}

// speakers adds the names that stand before "speaking", and those that begin a text before "here".
func (s *speech) speakers(all []found) []found {
	for at := range s.tokens {
		calling := s.frames.calling[s.at(at)]
		if !calling && !s.frames.speaking[s.at(at)] {
			continue
		}
		from := s.back(at, nameWordsMax, func(i int) bool { return s.joined(i+1) && s.nameWord(i) })
		from = s.on(from, at-from, func(i int) bool { return !s.is(i, given) })
		begins := from == s.on(0, from, func(i int) bool { return s.is(i, polite) || s.frames.hesitation[s.at(i)] })
		if from < at && (begins || !calling) && free(from, at, all) {
			all = ordered(append(all, found{from: from, to: at, value: s.tidyName(from, at)}))
		}
	}
	return all
}

// beforeAddress adds the full name that a text begins with, right before an address: "maria lopez, 12 mill lane".
func (s *speech) beforeAddress(all []found) []found {
	if !s.is(0, given) {
		return all
	}
	end := s.nameEnd(0, len(s.tokens))
	if end < 2 || !free(0, end, all) {
		return all
	}
	if slices.ContainsFunc(s.rawAddresses(), func(a found) bool { return a.from == end }) {
		all = ordered(append(all, found{to: end, value: s.tidyName(0, end)}))
	}
	return all
}

// mixed says whether the text has small letters at beginnings of words, so that a capital one means something. Where
// all nouns have one it means nothing.
func (s *speech) mixed() bool {
	return !s.compounds && s.someSmall()
}

// someSmall says whether a word of the text has no capital letter.
func (s *speech) someSmall() bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool { return !t.capital && !t.digits })
}

// nameEnd is the token behind the words from a token on that may be a name.
func (s *speech) nameEnd(at, limit int) int {
	return s.on(at, min(nameWordsMax, limit-at), func(i int) bool {
		t := s.tokens[i]
		switch {
		case t.digits || utf8.RuneCountInString(t.lower) > 24 || i > at && !s.nameGap(i):
			return false
		case s.nameWord(i):
			return true
		case i == at:
			return t.entry.is(title) || s.frames.wordNames[t.lower]
		}
		return t.entry.is(particle) && s.particles(i, limit) || s.surname(i, limit)
	})
}

// surname says whether an everyday word is a last name here: it has the capital letter of one, or the whole text is the
// answer to a question for a name.
func (s *speech) surname(at, limit int) bool {
	if !s.frames.surnames[s.at(at)] {
		return false
	}
	return s.tokens[at].capital && s.someSmall() || s.context.Expect == "name" && at+1 == limit && s.bare(at-1, limit)
}

// particles says whether a name goes on behind "van der".
func (s *speech) particles(i, limit int) bool {
	i = s.on(i, limit-i, func(i int) bool { return s.is(i, particle) })
	return i < limit && s.nameGap(i) && s.nameWord(i) && !s.tokens[i].digits && !s.is(i, placeNoun)
}

func (s *speech) nameGap(i int) bool {
	switch s.between(i) {
	case " ", "-", "":
		return true
	case ". ":
		return s.is(i-1, title) || len(s.at(i-1)) == 1
	}
	return false
}

func (s *speech) nameWord(i int) bool {
	e := s.tokens[i].entry
	if e.is(given) {
		return true
	}
	const everyday = common | filler | polite | negation | correction | numeral | lead | timed | spokenAt | particle
	month := e.month != 0 && !(i > 0 && s.tokens[i].capital)
	return !e.is(everyday) && e.weekday == 0 && e.part == 0 && e.half == 0 && !month
}

// tidyName writes a name with capitals: "O'Brien", "Mary Ann de Souza".
func (s *speech) tidyName(from, to int) string {
	return s.inWriting(from, to, func(i int) string {
		switch full := s.frames.titles[s.at(i)]; {
		case full != "" && i == from:
			return full
		case s.is(i, particle) && i > from && i < to-1:
			return s.at(i)
		}
		return s.tidy(i)
	}, "-", "")
}

// inWriting joins words by what stands between them where that is one of the gaps, and else by blanks.
func (s *speech) inWriting(from, to int, word func(i int) string, gaps ...string) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		switch gap := s.between(i); {
		case i == from:
		case slices.Contains(gaps, gap):
			text.WriteString(gap)
		default:
			text.WriteByte(' ')
		}
		text.WriteString(word(i))
	}
	return text.String()
}

// tidy is a word with a capital letter, as it was written if it has some inside already.
func (s *speech) tidy(i int) string {
	t := s.tokens[i]
	raw := s.text[t.start:t.end]
	if t.capital && raw != strings.ToUpper(raw) {
		return raw
	}
	return capitalize(t.lower)
}

func capitalize(word string) string {
	var text strings.Builder
	up := true
	for i, r := range word {
		if up {
			r = unicode.ToUpper(r)
		}
		text.WriteRune(r)
		up = r == '\'' && i == 1 || i == 1 && strings.HasPrefix(word, "mc") && len(word) > 4
	}
	return text.String()
}

// parts joins a first and a last name that were said one by one.
func (s *speech) parts(all []found) []found {
	if len(all) != 2 || s.corrects(all[0].to, all[1].from) {
		return all
	}
	if last := s.frames.lastName; !last[s.at(all[1].from-1)] && !last[s.at(all[1].from-2)] {
		return all
	}
	return []found{{from: all[0].from, to: all[1].to, value: all[0].value + " " + all[1].value}}
}

// correctedNames finds the name that replaces one: "my name is mark, no wait, marc davies".
func (s *speech) correctedNames(all []found) []found {
	for i := 0; i < len(all) && len(all) < nameWordsMax; i++ {
		at := s.on(all[i].to, reach, func(i int) bool { return s.is(i, correction|filler) })
		if at == all[i].to || !s.corrects(all[i].to, at) || at >= len(s.tokens) || !free(at, at+1, all) {
			continue
		}
		if to := s.nameEnd(at, len(s.tokens)); to > at {
			all = ordered(append(all, found{from: at, to: to, value: s.tidyName(at, to)}))
		}
	}
	return all
}

// core is a text without the words around an answer that mean nothing: "um it's … please".
func (s *speech) core() (from, to int) {
	to = len(s.tokens)
	for moved := true; moved && from < to; {
		end, ok := s.begin(s.frames.answer, from)
		if moved = ok && end < to; moved {
			from = end
		}
		if !moved && s.is(from, filler|correction) && !s.is(from, particle) && from+1 < to {
			from, moved = from+1, true
		}
	}
	return from, s.back(to, to-from, func(i int) bool { return s.is(i, polite|filler) && !s.is(i, given) })
}
