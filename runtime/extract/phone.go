package extract

import (
	"slices"
	"strconv"
	"strings"
)

// plan is how a country writes its numbers.
type plan struct {
	code             string
	trunk            string // before a number of the own country, gone behind the code
	shortest, length int    // digits of a national number without the trunk
	local            int    // digits of a number without its area, 0 where that is not usual
}

var plans = map[string]plan{
	"US": {"1", "1", 10, 10, 7}, "CA": {"1", "1", 10, 10, 7},
	"GB": {"44", "0", 9, 10, 0}, "IE": {"353", "0", 7, 9, 0}, "DE": {"49", "0", 6, 12, 0}, "AT": {"43", "0", 6, 12, 0}, "CH": {"41", "0", 9, 9, 0},
	"FR": {"33", "0", 9, 9, 0}, "NL": {"31", "0", 9, 9, 0}, "BE": {"32", "0", 8, 9, 0}, "LU": {"352", "", 6, 9, 0}, "IT": {"39", "", 8, 11, 0},
	"ES": {"34", "", 9, 9, 0}, "PT": {"351", "", 9, 9, 0}, "DK": {"45", "", 8, 8, 0}, "SE": {"46", "0", 7, 10, 0}, "NO": {"47", "", 8, 8, 0},
	"FI": {"358", "0", 6, 11, 0}, "PL": {"48", "", 9, 9, 0}, "CZ": {"420", "", 9, 9, 0}, "SK": {"421", "0", 9, 9, 0}, "HU": {"36", "06", 8, 9, 0},
	"GR": {"30", "", 10, 10, 0}, "AU": {"61", "0", 9, 9, 8}, "NZ": {"64", "0", 8, 10, 0}, "ZA": {"27", "0", 9, 9, 0}, "IN": {"91", "0", 10, 10, 0},
	"JP": {"81", "0", 9, 10, 0}, "SG": {"65", "", 8, 8, 0}, "BR": {"55", "0", 10, 11, 0}, "MX": {"52", "", 10, 10, 0}, "IL": {"972", "0", 8, 9, 0},
}

const (
	phoneMin = 8 // digits of E.164, with the country
	phoneMax = 15
)

// phones are numbers to call, in digits or as spoken.
func (s *speech) phones() []found { return s.settled(s.rawPhones()) }

func (s *speech) rawPhones() []found { return s.once(keptPhones, s.findPhones) }

func (s *speech) findPhones() []found {
	var all []found
	for at := 0; at < len(s.tokens); {
		if !s.numeric(at) {
			at++
			continue
		}
		digits, plus, end := s.dialled(at)
		f, ok := s.phone(digits, plus)
		f.from, f.to = at, end
		switch {
		case ok && free(at, end, s.rawEmails()) && s.callable(at, end):
			all = append(all, f)
			at = end
		case end-at > 1 && s.tokens[at].digits:
			at++
		default:
			at = max(at+1, end)
		}
	}
	return all
}

// dialled reads digits one after the other: "four one five double two".
func (s *speech) dialled(at int) (digits string, plus bool, end int) {
	if s.means(at, wordPlus) {
		plus, at = true, at+1
	}
	var text strings.Builder
	end = at
	for i := at; i < len(s.tokens) && text.Len() <= phoneMax; {
		if i > at && !s.dials(i) {
			break
		}
		plus = plus || i == at && strings.HasSuffix(s.between(i), "+")
		n := s.digitsAt(i, &text)
		if n == 0 {
			if text.Len() == 0 || !s.frames.dialFiller[s.at(i)] {
				break
			}
			i++
			continue
		}
		i += n
		end = i
	}
	return text.String(), plus, end
}

// dials says whether what stands before a token may stand inside a number.
func (s *speech) dials(i int) bool {
	gap := s.between(i)
	if gap == "," {
		return false
	}
	signs := []string{"", "-", ".", ",", "(", ")", ") -", "(0)", "–"}
	return slices.Contains(signs, strings.TrimSpace(gap)) || strings.TrimSpace(gap) == "/" && s.compounds
}

// digitsAt writes the digits that a token says, and returns how many tokens that took.
func (s *speech) digitsAt(i int, text *strings.Builder) int {
	t := s.tokens[i]
	if t.digits {
		text.WriteString(t.lower)
		return 1
	}
	if !t.entry.is(numeral) {
		return 0
	}
	switch n := t.entry.number; {
	case n == wordDouble || n == wordTriple:
		next := s.on(i+1, reach, func(i int) bool { return s.frames.dialFiller[s.at(i)] })
		d := s.digit(next)
		if len(d) != 1 {
			return 0
		}
		text.WriteString(strings.Repeat(d, 2+b(n == wordTriple)))
		return next + 1 - i
	case n == wordHundred:
		text.WriteString("00")
	case n == wordOh:
		text.WriteString("0")
	case n >= 0 && n < 100:
		value, end := s.whole(i)
		if end == i || value >= 100 {
			value, end = float64(n), i+1
		}
		text.WriteString(strconv.Itoa(int(value)))
		return end - i
	default:
		return 0
	}
	return 1
}

// phone brings digits into E.164.
func (s *speech) phone(digits string, plus bool) (found, bool) {
	if digits == "" {
		return found{}, false
	}
	if international, ok := strings.CutPrefix(digits, "00"); ok && !plus {
		digits, plus = international, true
	}
	if plus {
		if digits = strings.TrimLeft(digits, "0"); len(digits) < phoneMin || len(digits) > phoneMax {
			return found{}, false
		}
		for _, p := range plans { // +49 (0)171
			if national, ok := strings.CutPrefix(digits, p.code+"0"); ok && p.trunk == "0" {
				return found{value: "+" + p.code + national}, true
			}
		}
		return found{value: "+" + digits}, true
	}
	p, ok := plans[s.country()]
	if !ok {
		p = plans[s.language.country]
	}
	national, trunk := strings.CutPrefix(digits, p.trunk)
	trunk = trunk && p.trunk != ""
	n := len(national)
	switch {
	case n >= p.shortest && n <= p.length && (trunk || p.trunk == "" || p.trunk == "1"):
		return found{value: "+" + p.code + national}, true
	case p.local != 0 && len(digits) == p.local:
		return found{value: "+" + p.code + digits, approximate: true}, true
	}
	return found{}, false
}

// callable says whether digits are meant as a phone number: they are no date, no amount and no other number with a
// name.
func (s *speech) callable(at, end int) bool {
	if n := s.tokens[at].number; end == at+1 && s.figures(at) && s.between(at) != "+" && n >= 0 && n < 1e6 {
		return false
	}
	for i := at - 1; i >= at-4; i-- {
		if s.frames.code[s.at(i)] && !s.frames.area[s.at(i-1)] {
			return false
		}
	}
	date := end == at+3 && len(s.at(at)) == 4 && s.between(at+1) == "-" && len(s.at(at+1)) == 2
	counted := s.is(end, measure|timed|street) && s.joined(end)
	return !date && !counted && !s.glued(end) && !s.glued(at) && s.between(end) != ":"
}
