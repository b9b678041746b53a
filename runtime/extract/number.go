package extract

import (
	"strconv"
	"strings"
)

// cardinal reads a number in digits ("1,250", "3.5") or words ("two hundred and six", "twenty one point five") and
// returns the token behind it; the same token if there is none.
func (s *speech) cardinal(at int) (float64, int) {
	if at >= len(s.tokens) {
		return 0, at
	}
	if s.tokens[at].digits {
		return s.written(at)
	}
	n, end := s.whole(at)
	if end == at {
		return 0, at
	}
	if s.means(end, wordPoint) && s.joined(end) {
		digits, i := "", end+1
		for ; s.joined(i) && s.digit(i) != "" && len(digits) < digitsMax; i++ {
			digits += s.digit(i)
		}
		if digits != "" {
			fraction, _ := strconv.ParseFloat("0."+digits, 64)
			if s.joined(i) && s.is(i, numeral) && s.tokens[i].entry.number >= wordThousand {
				return (n + fraction) * float64(s.tokens[i].entry.number), i + 1
			}
			return n + fraction, i
		}
	}
	return n, end
}

// written reads digits with their separators: a group of three behind the one sign, decimals behind the other.
func (s *speech) written(at int) (float64, int) {
	if s.tokens[at].number < 0 {
		return 0, at
	}
	thousands, decimals := ",", "."
	if s.compounds {
		thousands, decimals = ".", ","
	}
	text, end := s.tokens[at].lower, at+1
	for s.figures(end) && s.between(end) == thousands && len(s.at(end)) == 3 && len(s.at(at)) <= 3 {
		text += s.tokens[end].lower
		end++
	}
	if s.figures(end) && s.between(end) == decimals && !(s.figures(end+1) && s.between(end+1) == decimals) {
		text += "." + s.tokens[end].lower
		end++
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) > 2*digitsMax {
		return 0, at
	}
	return n, end
}

// whole reads a number in words: "a hundred and twenty", "two thousand five hundred".
func (s *speech) whole(at int) (float64, int) {
	total, group, end, last := 0.0, 0.0, at, 0
	for i := at; i < len(s.tokens) && i < at+wordsMax && (i == at || s.joined(i)); i++ {
		n := int(s.tokens[i].entry.number)
		if !s.is(i, numeral) {
			break
		}
		switch {
		case n == wordA && i == at && i+1 < len(s.tokens) && s.tokens[i+1].entry.number >= wordHundred:
			group, last = 1, 1
			continue
		case n == wordAnd && (last == wordHundred || last == wordThousand) && s.small(i+1):
			continue
		case n == wordDozen && (i == at || group > 0 && last < wordHundred):
			group, last = max(group, 1)*12, wordHundred
		case n >= wordThousand && end > at || n >= wordThousand && last == 1:
			total, group, last = total+group*float64(n), 0, wordThousand
		case n == wordHundred && group > 0 && group < 100:
			group, last = group*100, wordHundred
		case n == wordHundred && i == at && s.compounds:
			group, last = 100, wordHundred
		case n >= 0 && n < wordThousand && n != wordHundred && (n < 100 || group == 0) && (end == at || last >= wordHundred ||
			last >= 20 && last%10 == 0 && n < 10 && n > 0 && !s.compounds):
			group += float64(n)
			last = n
			if n > 100 {
				last = n % 100
			}
		default:
			return total + group, end
		}
		end = i + 1
	}
	return total + group, end
}

const wordsMax = 16 // of a number

func (s *speech) small(i int) bool {
	return s.is(i, numeral) && s.tokens[i].entry.number > 0 && s.tokens[i].entry.number < 100
}

// digit is a single digit as a word, or a run of them in figures; else empty.
func (s *speech) digit(i int) string {
	switch {
	case i < len(s.tokens) && s.tokens[i].digits:
		return s.at(i)
	case s.means(i, wordOh):
		return "0"
	case s.is(i, numeral) && s.tokens[i].entry.number >= 0 && s.tokens[i].entry.number <= 9:
		return strconv.Itoa(int(s.tokens[i].entry.number))
	}
	return ""
}

// ordinal reads "third", "twenty first", "3rd" or, where the language writes it so, "3.".
func (s *speech) ordinal(at int) (int, int) {
	if at >= len(s.tokens) {
		return 0, at
	}
	t, next := s.tokens[at], s.at(at+1)
	apart := s.between(at+1) == " " && next != "st"
	switch n := t.entry.number; {
	case t.digits && s.compounds:
		if strings.HasPrefix(s.text[t.end:], ".") && !s.glued(at) && len(t.lower) <= 2 {
			return t.number, at + 1
		}
	case t.digits:
		suffix := next == "st" || next == "nd" || next == "rd" || next == "th"
		if len(t.lower) <= 2 && suffix && (apart || s.glued(at+1)) {
			return t.number, at + 2
		}
	case t.entry.ordinal != 0:
		return int(t.entry.ordinal), at + 1
	case t.entry.is(numeral) && n >= 20 && n <= 90 && s.joined(at+1):
		if o := s.tokens[at+1].entry.ordinal; o > 0 && o < 10 {
			return int(n) + int(o), at + 2
		}
	}
	return 0, at
}

// numbers are those that belong to nothing else: no day, time, phone number or street.
func (s *speech) numbers() []found {
	taken := s.before(kindsKept)
	var all []found
	for at := 0; at < len(s.tokens); {
		n, end := s.cardinal(at)
		if half, ok := s.oneWordHalf(at); ok {
			n, end = half, at+1
		}
		if end == at || !free(at, end, taken...) || !s.counts(at, end) {
			at = max(end, at+1)
			continue
		}
		f := found{from: at, to: end}
		sign := ""
		if s.negative(at) {
			sign, f.from = "-", at-b(s.means(at-1, wordMinus))
		}
		if part, last := s.andPart(end); last > end && free(end, last, taken...) {
			n, f.to, end = n+part, last, last
		}
		f.value = sign + strconv.FormatFloat(n, 'f', -1, 64)
		all = append(all, f)
		at = end
	}
	return s.settled(all)
}

// oneWordHalf is "einundzwanzigeinhalb", a number and a half in one word.
func (s *speech) oneWordHalf(at int) (float64, bool) {
	number, ok := strings.CutSuffix(s.at(at), "einhalb")
	e := s.known[number]
	return float64(e.number) + .5, ok && s.compounds && e.is(numeral) && e.number > 0
}

// andPart reads "and a half" behind a number.
func (s *speech) andPart(at int) (float64, int) {
	f := &s.frames
	for i, words := range []*phrases{f.andQuarter, f.andHalf, f.andThree} {
		if end, ok := s.begin(words, at); ok && s.joined(at) {
			return float64(i+1) / 4, end
		}
	}
	return 0, at
}

func (s *speech) negative(at int) bool {
	gap := s.between(at)
	return s.means(at-1, wordMinus) && s.joined(at) || s.tokens[at].digits && (gap == "-" && at == 0 || gap == " -")
}

// counts says whether a number is one: "one" alone, an ordinal or a digit inside a code is not.
func (s *speech) counts(at, end int) bool {
	t := s.tokens[at]
	if _, o := s.ordinal(at); o > at || s.joined(end) && s.frames.fractions[s.at(end)] {
		return false
	}
	if t.digits {
		glued := s.glued(at) || end < len(s.tokens) && s.glued(end) && !s.tokens[end].entry.is(measure)
		return !glued && s.between(at) != "."
	}
	if t.entry.number == wordOh || end == at+1 && t.entry.number == wordA {
		return false
	}
	one := end == at+1 && t.entry.number == 1
	return !one || s.bare(at, end) || s.is(end, measure|timed) || s.frames.beforeOne[s.at(at-1)]
}
