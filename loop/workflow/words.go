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
	count := strings.Count(u.text, " ") + 1
	u.words, u.starts = make([]string, 0, count), make([]int, 0, count)
	start := -1
	for i, r := range u.text + " " {
		inside := r == '\'' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			u.words = append(u.words, strings.ToLower(strings.Trim(u.text[start:i], "'")))
			u.starts = append(u.starts, start)
			start = -1
		}
	}
	return u
}

// before is how many words begin before that place in the text.
func (u utterance) before(end int) int {
	n, _ := slices.BinarySearch(u.starts, end)
	return n
}

// clean is the beginning of a text, with straight apostrophes, single spaces and nothing invisible.
func clean(text string) string {
	if len(text) > textMax {
		text = strings.ToValidUTF8(text[:textMax], "")
	}
	if text = strings.Trim(text, " "); !strings.Contains(text, "  ") && !strings.ContainsFunc(text, unclean) {
		return text // as most are
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == '‘' || r == '`' || r == '´':
			return '\''
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

func unclean(r rune) bool { return r < ' ' || r == '`' || r > '~' && !unicode.IsLetter(r) }

// phrases finds sequences of words. It is made once and read by many; nil has none.
type phrases struct {
	byFirst map[string][][]string // by first word, longest first
}

func newPhrases(lists ...[]string) *phrases {
	p := &phrases{byFirst: map[string][][]string{}}
	for _, list := range lists {
		for phrase := range strings.SplitSeq(strings.Join(list, ","), ",") {
			if words := hear(phrase).words; len(words) > 0 {
				p.byFirst[words[0]] = append(p.byFirst[words[0]], words)
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
	if p == nil || len(words) == 0 {
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
	var rest []string
	for i := 0; i < len(words); i++ {
		if n := p.at(words[i:]); n > 0 {
			i += n - 1
		} else {
			rest = append(rest, words[i])
		}
	}
	return rest
}

// whole says whether the words are one phrase.
func (p *phrases) whole(words []string) bool {
	return len(words) > 0 && p.at(words) == len(words)
}

// skip is how many of the words, from the first and but for the last, are phrases of the lists.
func skip(words []string, lists ...*phrases) int {
	at := 0
	for {
		n := longest(words[at:], lists...)
		if n == 0 || at+n >= len(words) {
			return at
		}
		at += n
	}
}

// longest is how many of the words, from the first, are a phrase of any list.
func longest(words []string, lists ...*phrases) int {
	n := 0
	for _, p := range lists {
		n = max(n, p.at(words))
	}
	return n
}

// unfilled cuts filler off the beginning, but for the last word.
func (v *voice) unfilled(words []string) []string { return words[skip(words, v.filler):] }

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

// digresses says whether the text is a question or a wish that is not the workflow's. Valued says that it has a value
// in it; open, that any text may be an answer, so that only questions digress.
func (v *voice) digresses(u utterance, valued, open bool) bool {
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
	for i := range words {
		place, length := v.place(words[i:], n)
		if length == 0 {
			continue
		}
		if chosen >= 0 && chosen != place || place >= n {
			return -1
		}
		chosen = place
	}
	return chosen
}

// place is which of n things an ordinal at the words' beginning names, with an article or without, and how many words
// it has.
func (v *voice) place(words []string, n int) (place, length int) {
	article := v.article.at(words)
	for i, p := range v.ordinals {
		l := p.at(words)
		if behind := p.at(words[article:]); behind > 0 {
			l = max(l, article+behind)
		}
		if l > length {
			place, length = i, l
			if i == len(v.ordinals)-1 { // the last
				place = n - 1
			}
		}
	}
	return place, length
}
