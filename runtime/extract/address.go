package extract

import (
	"strconv"
	"strings"
)

const (
	streetWordsMax = 4 // of the name of a street
	cityWordsMax   = 4
	houseDigitsMax = 6 // of a house number
)

// addresses are streets with a house number.
func (s *speech) addresses() []found { return s.settled(s.rawAddresses()) }

func (s *speech) rawAddresses() []found { return s.once(keptAddresses, s.findAddresses) }

func (s *speech) findAddresses() []found {
	var all []found
	for at := range s.tokens {
		if !s.streetEnd(at) {
			continue
		}
		f, ok := s.address(at)
		n := len(all)
		switch {
		case !ok:
		case n == 0 || all[n-1].to <= f.from:
			all = append(all, f)
		case all[n-1].from == f.from && f.to > all[n-1].to:
			all[n-1] = f
		}
	}
	if len(all) == 0 && s.context.Expect == "address" {
		all = s.bareAddress()
	}
	return all
}

// address reads around a token that ends the name of a street.
func (s *speech) address(at int) (found, bool) {
	if s.numberFirst {
		return s.numberBefore(at)
	}
	return s.numberBehind(at)
}

// numberBefore is "12 oak avenue", seen from "avenue".
func (s *speech) numberBefore(at int) (found, bool) {
	first := s.back(at, streetWordsMax+1, func(i int) bool { return s.joined(i+1) && s.streetWord(i) })
	number, from := s.houseNumber(first)
	for from == first && first < at { // "23rd street": what looked like a part of the name may be the number
		first++
		number, from = s.houseNumber(first)
	}
	if from == first || first == at && !s.frames.wholeStreet[s.at(at)] {
		return found{}, false
	}
	if s.frames.noStreet[s.at(first)] || s.joined(at+1) && s.frames.noStreet[s.at(at+1)] && !s.is(at+1, common) {
		return found{}, false
	}
	to := at + 1
	words := s.tidyStreet(first, to)
	more, to := s.unitBehind(to)
	rest, to := s.cityBehind(to)
	return found{from: from, to: to, value: number + " " + words + more + rest}, true
}

// streetWord says whether a token may be part of the name of a street.
func (s *speech) streetWord(i int) bool {
	t := s.tokens[i]
	if t.digits {
		_, end := s.ordinal(i)
		return end > i
	}
	if _, end := s.ordinal(i); end > i && t.entry.unit == noUnit {
		return true
	}
	if i > 0 && s.tokens[i-1].digits && s.glued(i) { // the rd of 23rd, the b of 221b
		return len(t.lower) == 2
	}
	if len(t.lower) == 1 && !t.entry.is(direction) { // 12 b
		return false
	}
	return !t.entry.is(numeral|timed|common|measure) || t.entry.is(direction|street|title)
}

// houseNumber reads the number that ends before a token, in digits or groups of words: "seven eighty nine", "221b".
func (s *speech) houseNumber(first int) (string, int) {
	from, letter := first, ""
	apart := from > 1 && s.between(from-1) == " " && !s.is(from-1, direction)
	if s.figures(from-2) && s.short(from-1) && (apart || s.glued(from-1)) {
		letter, from = strings.ToUpper(s.tokens[from-1].lower), from-1
	}
	if s.figures(from-1) && s.glued(from) && letter == "" {
		return "", first // 23rd
	}
	if from == 0 || !s.joined(from) && from < len(s.tokens) && s.between(from) != "" {
		return "", first
	}
	if s.figures(from-1) && len(s.at(from-1)) <= houseDigitsMax {
		single := func(i int) bool { return s.figures(i) && len(s.at(i)) == 1 }
		start := from - 1
		if single(start) {
			start = s.back(start, houseDigitsMax-1, func(i int) bool { return single(i) && s.between(i+1) == " " })
		}
		number := s.inWriting(start, from, s.at)
		return strings.ReplaceAll(number, " ", "") + letter, start
	}
	start := s.back(from, wordsMax/2, func(i int) bool {
		n := s.tokens[i].entry.number
		return s.is(i, numeral) && (n >= 0 || n == wordAnd || n == wordOh) && (i+1 == from || s.joined(i+1))
	})
	start = s.on(start, from-start, func(i int) bool { return s.means(i, wordAnd) })
	if start == from {
		return "", first
	}
	number := s.grouped(start, from)
	if len(number) > houseDigitsMax || number == "" {
		return "", first
	}
	led := start == 1 && s.expects("address") || s.frames.addressLead[s.at(start-2)]
	if digit := s.frames.digitHeard[s.at(start-1)]; digit > 0 && len(number) == 2 && s.joined(start) && led {
		return strconv.Itoa(digit) + number + letter, start - 1
	}
	return number + letter, start
}

// grouped joins the groups in which one says a long number: "nineteen oh five" is 1905.
func (s *speech) grouped(from, to int) string {
	var text strings.Builder
	for i := from; i < to; {
		if n := s.tokens[i].entry.number; n == wordOh {
			text.WriteByte('0')
			i++
			continue
		}
		n, end := s.whole(i)
		if end <= i || end > to {
			return ""
		}
		text.WriteString(strconv.Itoa(int(n)))
		i = end
	}
	return text.String()
}

// tidyStreet writes a street with capitals and its last word in full.
func (s *speech) tidyStreet(from, to int) string {
	var words []string
	for i := from; i < to; i++ {
		t := s.tokens[i]
		full := s.frames.abbreviations[t.lower]
		switch {
		case t.digits && i+1 < to && s.glued(i+1):
			words = append(words, t.lower+s.tokens[i+1].lower)
			i++
		case full != "" && i == to-1:
			words = append(words, full)
		case len(t.lower) == 1 || len(t.lower) == 2 && t.entry.is(direction):
			words = append(words, strings.ToUpper(t.lower))
		default:
			words = append(words, s.tidy(i))
		}
	}
	return strings.Join(words, " ")
}

// unitBehind reads "apartment four b".
func (s *speech) unitBehind(at int) (string, int) {
	text := ""
	if s.joined(at) && s.is(at, direction) && len(s.at(at)) <= 2 {
		text, at = " "+strings.ToUpper(s.at(at)), at+1
	}
	if !s.joined(at) || !s.is(at, unitWord) {
		return text, at
	}
	number, end := "", at+1
	if s.joined(end) {
		if n, next := s.cardinal(end); next > end && n < 1e6 && n == float64(int(n)) {
			number, end = strconv.Itoa(int(n)), next
		}
	}
	if s.short(end) && (s.joined(end) || s.glued(end)) && (s.at(end) != "a" || end+1 == len(s.tokens)) {
		number, end = number+strings.ToUpper(s.at(end)), end+1
	}
	if number == "" {
		return text, at
	}
	return text + " " + s.tidy(at) + " " + number, end
}

// cityBehind reads what follows a comma, ", Boston, MA 02116", or a known city without one.
func (s *speech) cityBehind(at int) (string, int) {
	text, end := "", at
	for parts := 0; parts < 3 && end < len(s.tokens); parts++ {
		comma := strings.HasPrefix(strings.TrimSpace(s.between(end)), ",")
		if !comma && (s.between(end) != " " || s.cityEnd(end) == end) {
			break
		}
		next := s.cityEnd(end)
		next = s.on(next, cityWordsMax-(next-end), func(i int) bool { return (i == end || s.between(i) == " ") && s.cityWord(i) })
		if next == end {
			break
		}
		text += ","
		for ; end < next; end++ {
			text += " " + s.cityTidy(end)
		}
	}
	return text, end
}

// cityWord says whether a token may follow in a city's line: a name, a code of a state or a post code.
func (s *speech) cityWord(i int) bool {
	t := s.tokens[i]
	post := i+1 < len(s.tokens) && s.tokens[i+1].digits && len(s.at(i+1)) == 5
	return t.capital || t.digits && len(t.lower) >= 4 || len(t.lower) == 2 && post
}

func (s *speech) cityTidy(i int) string {
	t := s.tokens[i]
	if t.digits || len(t.lower) == 2 {
		return strings.ToUpper(t.lower)
	}
	return s.tidy(i)
}

// bareAddress takes the whole answer where an address was asked for: with a number, or the name of a street.
func (s *speech) bareAddress() []found {
	from, to := s.core()
	if to-from < 2 || to-from > streetWordsMax+cityWordsMax || s.seen&(timed|spokenAt) != 0 && !s.compounds {
		return nil
	}
	named, everyday := false, 0
	for i := from; i < to; i++ {
		if s.is(i, common) && !s.is(i, particle|street|direction) && !s.frames.article[s.at(i)] {
			everyday++
		}
		if everyday > 1 || s.is(i, negation) {
			return nil
		}
		named = named || s.streetEnd(i)
	}
	_, first := s.cardinal(from)
	numbered := first > from && first < to
	number := ""
	last := to
	if !s.numberFirst {
		number, last = s.houseNumber(to)
		numbered = last < to && last > from
	}
	switch {
	case numbered && s.numberFirst:
		number = s.grouped(from, first)
		if s.tokens[from].digits {
			number = s.tokens[from].lower
		}
		number += " " + s.tidyStreet(first, to)
	case numbered:
		number = s.tidyStreet(from, last) + " " + number
	case named:
		number = s.tidyStreet(from, to)
	default:
		return nil
	}
	return []found{{from: from, to: to, value: number}}
}

// streetEnd says whether a token ends the name of a street: "avenue", "Lindenallee".
func (s *speech) streetEnd(i int) bool {
	if s.is(i, street) {
		return true
	}
	for _, end := range s.streetEnds {
		if len(s.at(i)) > len(end)+2 && strings.HasSuffix(s.at(i), end) && !s.is(i, common) {
			return true
		}
	}
	return false
}

// numberBehind is "Lindenallee 5a", seen from the street.
func (s *speech) numberBehind(at int) (found, bool) {
	next := at + 1
	if !s.joined(next) {
		return found{}, false
	}
	t := s.tokens[next]
	number := t.lower
	if !t.digits {
		n, end := s.cardinal(next)
		if end == next || n < 1 || n > 999 {
			return found{}, false
		}
		number, next = strconv.Itoa(int(n)), end-1
	}
	to := next + 1
	if len(number) > 4 || s.counted(to) || s.joined(to) && s.tokens[to].entry.half != 0 {
		return found{}, false
	}
	if s.short(to) && (s.glued(to) || to+1 == len(s.tokens)) {
		number, to = number+strings.ToUpper(s.at(to)), to+1
	}
	from := at
	if s.is(at, street) {
		from = s.back(at, 3, func(i int) bool { return s.joined(i+1) && s.streetAdjective(i) })
		if from == at {
			return found{}, false
		}
	}
	text := s.tidyStreet(from, at+1)
	rest, to := s.cityBehind(to)
	if rest == "" && s.joined(to) && s.tokens[to].digits && len(s.at(to)) == 5 {
		rest, to = ", "+s.at(to), to+1
		for s.joined(to) && s.tokens[to].capital {
			rest, to = rest+" "+s.tidy(to), to+1
		}
	}
	return found{from: from, to: to, value: text + " " + number + rest}, true
}

func (s *speech) streetAdjective(i int) bool {
	return !s.tokens[i].digits && (!s.is(i, common|numeral) || s.is(i, particle))
}
