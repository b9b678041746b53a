package extract

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"chatterbox/runtime/internal/texts"
)

// token is a run of letters or a run of digits: "7pm" is two.
type token struct {
	start, end int
	lower      string
	entry      entry
	digits     bool // decimal digits only
	capital    bool // begins with a capital letter
	joined     bool // goes on with what the token before it said
	number     int  // of digits, while they are few; else -1
}

// speech is a text on its way through an extractor. What one kind finds is kept for the others, which must not find it
// again: the digits of a phone number are no time.
type speech struct {
	text    string
	context Context
	tokens  []token
	*language
	seen   flags // of all words
	found  [kindsKept][]found
	looked [kindsKept]bool // what was looked for already
}

// The kinds whose matches are kept, each before those that must not take what is its own.
const (
	keptEmails = iota
	keptPhones
	keptAddresses
	keptRecurrences
	keptMoments
	keptDates
	keptTimes
	keptDurations
	keptImpossible
	kindsKept
)

// before are the matches of the kinds that come before one: what is theirs is no part of it.
func (s *speech) before(kind int) [][]found {
	finds := []func() []found{s.rawEmails, s.rawPhones, s.rawAddresses, s.rawRecurrences, s.rawMoments, s.rawDates, s.rawTimes,
		s.rawDurations, s.impossible}
	all := make([][]found, kind)
	for i := range all {
		all[i] = finds[i]()
	}
	return all
}

// once looks for a kind the first time that it is asked for.
func (s *speech) once(kind int, find func() []found) []found {
	if !s.looked[kind] {
		s.looked[kind] = true
		s.found[kind] = find()
	}
	return s.found[kind]
}

// recent keeps the last text: the extractors of a turn are called one after the other with the same one.
var recent = sync.Pool{New: func() any { return new(speech) }}

// recall reads a text into words, unless it is the one that was read before.
func (s *speech) recall(text string, context Context) {
	text = texts.Cut(text, textMax)
	asked := context.Expect
	context.Expect = s.context.Expect
	same := s.language != nil && s.text == text && s.context == context
	context.Expect = asked
	switch {
	case !same:
		s.read(text, context)
	case asked != s.context.Expect:
		s.context, s.looked = context, [kindsKept]bool{}
	}
}

func (s *speech) read(text string, context Context) {
	*s = speech{text: text, context: context, language: languageFor(context.Language), tokens: s.tokens[:0]}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r >= '0' && r <= '9':
			at = s.digits(at)
		case unicode.IsLetter(r):
			at = s.word(at)
		case r == '@' && s.clockSign(at):
			s.add(token{start: at, end: at + size, lower: s.language.clockSign, number: -1})
			at += size
		default:
			at += size
		}
	}
}

// clockSign says whether an @ stands before an hour, "tomorrow @ 5", and not inside an address of mail.
func (s *speech) clockSign(at int) bool {
	rest := strings.TrimPrefix(s.text[at+1:], " ")
	return (at == 0 || s.text[at-1] == ' ') && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// add looks a word up and keeps it.
func (s *speech) add(t token) {
	t.entry = s.known[t.lower]
	if n := len(s.tokens); n > 0 && s.tokens[n-1].digits {
		if full := s.language.short[t.lower]; t.lower == "h" || full != "" && n > 1 && s.tokens[n-2].entry.unit == hour {
			t.entry = s.known[full]
		}
	}
	s.seen |= t.entry.flags
	s.keep(t)
}

// keep appends a token.
func (s *speech) keep(t token) {
	if n := len(s.tokens); n > 0 {
		t.joined = joins(&s.tokens[n-1], s.text[s.tokens[n-1].end:t.start])
	}
	s.tokens = append(s.tokens, t)
}

// thousand takes a number in one word apart, "zweitausendfünf", and says whether it is one.
func (s *speech) thousand(t token) bool {
	if s.language.thousand == "" || len(t.lower) == len(s.language.thousand) || len(t.lower) != t.end-t.start {
		return false
	}
	before, behind, found := strings.Cut(t.lower, s.language.thousand)
	behind = strings.TrimPrefix(behind, s.joint)
	middle := t.start + len(before)
	before = cmp.Or(s.language.joined[before], before)
	numeral := func(word string) bool {
		e := s.known[word]
		return word == "" || e.is(numeral) && e.number >= 0 && e.number < wordThousand
	}
	if !found || !numeral(before) || !numeral(behind) {
		return false
	}
	start := t.start
	for _, part := range []struct {
		word string
		end  int
	}{{before, middle}, {s.language.thousand, t.end - len(behind)}, {behind, t.end}} {
		if part.word != "" {
			s.add(token{start: start, end: part.end, lower: part.word, number: -1, capital: t.capital && start == t.start})
		}
		start = part.end
	}
	return true
}

const digitsMax = 9 // a run of more is no number but a phone number or a code

func (s *speech) digits(start int) int {
	end := len(s.text) - len(strings.TrimLeft(s.text[start:], "0123456789"))
	number := -1
	if end-start <= digitsMax {
		number, _ = strconv.Atoi(s.text[start:end])
	}
	s.keep(token{start: start, end: end, lower: s.text[start:end], digits: true, number: number})
	return end
}

func (s *speech) word(start int) int {
	end := start
	for end < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[end:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !s.apostrophe(r, end+size) {
			break
		}
		end += size
	}
	raw := s.text[start:end]
	first, _ := utf8.DecodeRuneInString(raw)
	lower := strings.ReplaceAll(strings.ToLower(raw), "’", "'")
	t := token{start: start, end: end, lower: lower, capital: unicode.IsUpper(first), number: -1}
	if n := len(s.tokens); t.lower == "m" && n > 1 && (s.at(n-1) == "a" || s.at(n-1) == "p") && s.numeric(n-2) {
		t.lower = s.at(n-1) + "m"
		t.start = s.tokens[n-1].start
		s.tokens = s.tokens[:n-1]
	}
	if !s.thousand(t) {
		s.add(t)
	}
	return end
}

// apostrophe says whether a sign is part of a word: there is a letter behind it too.
func (s *speech) apostrophe(r rune, next int) bool {
	if r != '\'' && r != '’' {
		return false
	}
	after, _ := utf8.DecodeRuneInString(s.text[next:])
	return unicode.IsLetter(after)
}

func (s *speech) numeric(i int) bool {
	return i >= 0 && i < len(s.tokens) && (s.tokens[i].digits || s.tokens[i].entry.is(numeral))
}

// between is what stands before a token: blanks and signs.
func (s *speech) between(i int) string {
	if i == 0 {
		return s.text[:s.tokens[0].start]
	}
	if i >= len(s.tokens) {
		return s.text[s.tokens[len(s.tokens)-1].end:]
	}
	return s.text[s.tokens[i-1].end:s.tokens[i].start]
}

// joined says whether a token goes on with what the one before it said: no sentence ends between them.
func (s *speech) joined(i int) bool {
	return i > 0 && i < len(s.tokens) && s.tokens[i].joined
}

// joins says whether what stands behind a token ends no sentence.
func joins(before *token, gap string) bool {
	switch gap {
	case " ", "":
		return true
	case ".", ". ": // of an abbreviation or, in some languages, of an ordinal
		return before.digits || before.end-before.start <= 4
	default:
		return !strings.ContainsAny(gap, ".?!;:/@\n()")
	}
}

// glued says whether nothing stands between a token and the one before it.
func (s *speech) glued(i int) bool {
	return i > 0 && i < len(s.tokens) && s.tokens[i-1].end == s.tokens[i].start
}

func (s *speech) is(i int, f flags) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].entry.is(f)
}

// at is the word at a place, empty beyond the text.
func (s *speech) at(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.tokens[i].lower
}

// means says whether a token is that word of numbers, such as wordAnd.
func (s *speech) means(i int, word int32) bool {
	return s.is(i, numeral) && s.tokens[i].entry.number == word
}

// short says whether a token has one letter.
func (s *speech) short(i int) bool { return len(s.at(i)) == 1 && !s.tokens[i].digits }

// figures says whether a token is a run of digits.
func (s *speech) figures(i int) bool { return i >= 0 && i < len(s.tokens) && s.tokens[i].digits }

// back is the first of the tokens before another that fit one after the other, of so many at most.
func (s *speech) back(at, most int, fits func(i int) bool) int {
	first := at
	for first > 0 && at-first < most && fits(first-1) {
		first--
	}
	return first
}

// on is the token behind those from one on that fit one after the other, of so many at most.
func (s *speech) on(at, most int, fits func(i int) bool) int {
	end := at
	for end < len(s.tokens) && end-at < most && fits(end) {
		end++
	}
	return end
}
