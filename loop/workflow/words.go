package workflow

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// utterance is a text as words in lower case, without punctuation.
type utterance struct {
	text   string // cleaned: straight apostrophes, single spaces, nothing invisible
	lower  string // text in lower case
	words  []string
	starts []int // in text, of each word
}

func hear(text string) utterance {
	u := utterance{text: clean(text)}
	u.lower = strings.ToLower(u.text)
	aligned := ascii(u.text) // then lower has every word where text has it
	count := strings.Count(u.text, " ") + 1
	u.words, u.starts = make([]string, 0, count), make([]int, 0, count)
	word := func(start, end int) {
		if aligned {
			u.words = append(u.words, strings.Trim(u.lower[start:end], "'"))
		} else {
			u.words = append(u.words, strings.ToLower(strings.Trim(u.text[start:end], "'")))
		}
		u.starts = append(u.starts, start)
	}
	start := -1
	for i, r := range u.text {
		inside := 'a' <= r && r <= 'z' || r == '\'' || r != ' ' && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			word(start, i)
			start = -1
		}
	}
	if start >= 0 {
		word(start, len(u.text))
	}
	return u
}

func clean(text string) string {
	if len(text) > textMax {
		end := textMax
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	if text = strings.Trim(text, " "); isClean(text) {
		return text
	}
	return scrub(text)
}

func scrub(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == '‘' || r == '`' || r == '´':
			return '\''
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsGraphic(r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isClean says whether a text is one of those, most of all, that need no cleaning: ASCII and letters, with single spaces.
func isClean(text string) bool {
	before := ' '
	for _, r := range text {
		if r < ' ' || r == '`' || r == ' ' && before == ' ' || r > '~' && !unicode.IsLetter(r) {
			return false
		}
		before = r
	}
	return text == "" || before != ' '
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// phrases finds sequences of words. It is made once and read by many; nil has none.
type phrases struct {
	byFirst map[string][][]string // by first word, longest first
	first   marks                 // of those first words
}

// marks are a set of words that may take another word for one of its own. Most words begin no phrase, and it costs less to
// find that out here than in a map.
type marks [4]uint64

func mark(word string) (in int, bit uint64) {
	at := uint(word[0]) + 7*uint(word[len(word)-1]) + 31*uint(len(word))
	return int(at / 64 % 4), 1 << (at % 64)
}

func (m *marks) add(word string) {
	in, bit := mark(word)
	m[in] |= bit
}

func (m *marks) has(word string) bool {
	if word == "" {
		return false
	}
	in, bit := mark(word)
	return m[in]&bit != 0
}

func newPhrases(lists ...[]string) *phrases {
	p := &phrases{byFirst: map[string][][]string{}}
	for _, list := range lists {
		for phrase := range strings.SplitSeq(strings.Join(list, ","), ",") {
			if words := hear(phrase).words; len(words) > 0 {
				p.byFirst[words[0]] = append(p.byFirst[words[0]], words)
				p.first.add(words[0])
			}
		}
	}
	for _, list := range p.byFirst {
		slices.SortFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return p
}

// at is how many of the words, from the first, are a phrase: 0 when none is.
func (p *phrases) at(words []string) int {
	if p == nil || len(words) == 0 || !p.first.has(words[0]) {
		return 0
	}
	for _, phrase := range p.byFirst[words[0]] {
		if len(phrase) <= len(words) && slices.Equal(phrase, words[:len(phrase)]) {
			return len(phrase)
		}
	}
	return 0
}

// in says whether a phrase occurs.
func (p *phrases) in(words []string) bool {
	for i := range words {
		if p.at(words[i:]) > 0 {
			return true
		}
	}
	return false
}

// without is the words but for the phrases in them.
func (p *phrases) without(words []string) []string {
	if !p.in(words) {
		return words
	}
	var rest []string
	for len(words) > 0 {
		if n := p.at(words); n > 0 {
			words = words[n:]
			continue
		}
		rest, words = append(rest, words[0]), words[1:]
	}
	return rest
}

// whole says whether the words are one phrase.
func (p *phrases) whole(words []string) bool {
	return len(words) > 0 && p.at(words) == len(words)
}

// unfilled cuts filler off the beginning, but for the last word.
func (v *voice) unfilled(words []string) []string {
	for len(words) > 1 {
		n := v.filler.at(words)
		if n == 0 || n >= len(words) {
			break
		}
		words = words[n:]
	}
	return words
}

// fillerWordsMax is how many words a filler has that is cut off an end.
const fillerWordsMax = 3

// trim cuts filler off both ends, but for one word.
func (v *voice) trim(words []string) []string {
	words = v.unfilled(words)
	for n := 1; n <= fillerWordsMax && n < len(words); n++ {
		if v.filler.at(words[len(words)-n:]) == n {
			words, n = words[:len(words)-n], 0
		}
	}
	return words
}

// whole says whether the utterance is one of the phrases, with filler around it or not.
func (v *voice) whole(p *phrases, u utterance) bool {
	return p.whole(u.words) || p.whole(v.trim(u.words))
}

// bare says whether the utterance is nothing but an answer to any question.
func (v *voice) bare(u utterance) bool {
	for _, p := range []*phrases{v.skip, v.neither, v.confirm, v.reject, v.hold} {
		if v.whole(p, u) {
			return true
		}
	}
	return len(v.trim(u.words)) == 1 && v.filler.at(v.trim(u.words)) == 1
}

// aside says whether the text is a question or a wish that is not the workflow's. Valued says that it has a value in it;
// open, that any text may be an answer, so that only questions are asides.
func (v *voice) aside(u utterance, valued, open bool) bool {
	words := v.trim(u.words)
	if v.own.at(words) > 0 {
		return false
	}
	if !open && v.commands.at(words) > 0 {
		return true
	}
	if v.questions.at(words) == 0 && (valued || !strings.HasSuffix(u.text, "?")) {
		return false
	}
	return !valued || !v.possible.in(words)
}

// ordinal is which of n offers the words choose, or -1.
func (v *voice) ordinal(words []string, n int) int {
	chosen := -1
	for i := range v.ordinals {
		if !v.ordinals[i].in(words) {
			continue
		}
		if i == len(v.ordinals)-1 { // the last
			i = n - 1
		}
		if chosen >= 0 && chosen != i || i >= n {
			return -1
		}
		chosen = i
	}
	return chosen
}
