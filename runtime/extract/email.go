package extract

import (
	"strings"
	"unicode/utf8"
)

// plain writes letters as addresses do.
var plain = strings.NewReplacer("'", "", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e")

const (
	localMax  = 64 // characters before the @
	emailMax  = 254
	spokenMax = 12 // words on one side of a spoken @
)

// emails are addresses of mail, written or spoken.
func (s *speech) emails() []found { return s.settled(s.rawEmails()) }

func (s *speech) rawEmails() []found { return s.once(keptEmails, s.findEmails) }

func (s *speech) findEmails() []found {
	var all []found
	for at := 1; at < len(s.tokens); at++ {
		var f found
		ok := false
		if s.between(at) == "@" {
			f, ok = s.writtenEmail(at)
		} else if s.is(at, spokenAt) && s.seen&topDomain != 0 {
			f, ok = s.spokenEmail(at)
		}
		if ok && free(f.from, f.to, all) {
			all = append(all, f)
		}
	}
	return all
}

// writtenEmail reads around an @ that stands before a token.
func (s *speech) writtenEmail(at int) (found, bool) {
	from := s.back(at-1, spokenMax-1, func(i int) bool { return s.inside(i+1, "._-+%") })
	to := s.on(at+1, spokenMax-1, func(i int) bool { return s.inside(i, ".-") })
	return s.email(from, to, s.text[s.tokens[from].start:s.tokens[to-1].end])
}

// inside says whether only one of some signs, or nothing, stands before a token.
func (s *speech) inside(i int, signs string) bool {
	gap := s.between(i)
	return gap == "" || len(gap) == 1 && strings.Contains(signs, gap)
}

func (s *speech) email(from, to int, text string) (found, bool) {
	text = strings.ToLower(text)
	local, domain, _ := strings.Cut(text, "@")
	dot := strings.LastIndexByte(domain, '.')
	const signs = "abcdefghijklmnopqrstuvwxyz0123456789._-+%@"
	plain := !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(signs, r) })
	sized := local != "" && len(local) <= localMax && len(text) <= emailMax && dot > 0 && len(domain)-dot > 2
	ok := sized && plain && !strings.Contains(text, "..") && strings.Count(text, "@") == 1 &&
		!strings.ContainsAny(local[:1]+local[len(local)-1:]+domain[:1], ".-")
	return found{from: from, to: to, value: text}, ok
}

// spokenEmail reads around the word "at": "ada dot lovelace at example dot com".
func (s *speech) spokenEmail(at int) (found, bool) {
	domain, to := s.spokenDomain(at + 1)
	local, from := s.spokenLocal(at)
	if to == 0 || from == at {
		return found{}, false
	}
	return s.email(from, to, local+"@"+domain)
}

// spokenDomain reads words and dots until a top-level domain.
func (s *speech) spokenDomain(at int) (string, int) {
	var text strings.Builder
	result, end := "", 0
	for i := at; i < len(s.tokens) && i < at+spokenMax; i++ {
		t := s.tokens[i]
		gap := strings.TrimSpace(s.between(i))
		if s.between(i) == "." && text.Len() > 0 { // half written: "at example.com"
			text.WriteByte('.')
		} else if gap != "" && gap != "-" {
			break
		}
		if t.entry.sign == '.' || t.entry.sign == '-' {
			text.WriteByte(t.entry.sign)
			continue
		}
		if end > 0 && !strings.HasSuffix(text.String(), ".") {
			break
		}
		if strings.Contains(gap, "-") {
			text.WriteByte('-')
		}
		n := s.letters(i, &text)
		if n == 0 {
			break
		}
		i += n - 1
		dotted := i > at && (s.tokens[i-1].entry.sign == '.' || s.between(i) == ".")
		if dotted && s.is(i, topDomain) && strings.Contains(text.String(), ".") {
			result, end = text.String(), i+1
		}
	}
	return result, end
}

// letters writes what a word of an address says: digits for a number, its ASCII letters, and returns the tokens it
// took.
func (s *speech) letters(i int, text *strings.Builder) int {
	t := s.tokens[i]
	n := t.entry.number
	if t.entry.is(numeral) && (n >= 0 || n == wordDouble || n == wordTriple || n == wordOh && len(t.lower) > 1) {
		if took := s.digitsAt(i, text); took > 0 {
			return took
		}
	}
	word := t.lower
	if strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		word = plain.Replace(word)
	}
	if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return 0
	}
	text.WriteString(word)
	return 1
}

// spokenLocal reads backwards from the word "at": one word, and more where signs, letters or a frame like "my email is"
// join them.
func (s *speech) spokenLocal(at int) (string, int) {
	from, sign := at, true
	for i := at - 1; i >= 0 && at-i <= spokenMax && s.inside(i+1, " ._-+"); i-- {
		t := s.tokens[i]
		if t.entry.sign != 0 && i > 0 && i < at-1 && s.inside(i, " ") {
			sign = true
			continue
		}
		loose := s.loose(i) || s.loose(i+1) && !t.entry.is(domainless)
		if !sign && !loose && (t.entry.is(domainless|common|filler) || !s.framed(i)) {
			break
		}
		from, sign = i, false
	}
	if from < at && s.tokens[from].entry.is(domainless) {
		return "", at
	}
	var text strings.Builder
	for i := from; i < at; i++ {
		if gap := s.between(i); i > from && s.inside(i, "._-+") {
			text.WriteString(gap)
		}
		if sign := s.tokens[i].entry.sign; sign != 0 && i > from && i < at-1 {
			text.WriteByte(sign)
			continue
		}
		n := s.letters(i, &text)
		if n == 0 {
			return "", at
		}
		i += n - 1
	}
	return text.String(), from
}

// loose is a letter or a digit said alone, which belongs to what stands beside it.
func (s *speech) loose(i int) bool {
	t := s.tokens[i]
	small := t.entry.is(numeral) && t.entry.number <= 99 && t.entry.number != wordA && t.entry.number != wordAnd
	return t.digits || small || s.short(i) && !t.entry.is(spokenAt) && t.lower != "a"
}

// framed says whether "email is" stands a few words before, so that all words between are the address.
func (s *speech) framed(i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if s.frames.emailIs[s.at(j)] {
			return true
		}
		if s.is(j, domainless|common) {
			return false
		}
	}
	return i == 0 && s.context.Expect == "email"
}
