package loop

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds where a sentence ends, in text that is still arriving. The rules are: a line's end is one; a full
// stop, a question or an exclamation mark is one when white space follows; but a full stop is none within a number,
// behind an abbreviation or an ordinal number ("am 5. März"), and before a small letter. What is not known yet is
// waited for.

// sentenceBytesMax bounds what is waited for: a longer sentence ends at its next space.
const sentenceBytesMax = 1024

// sentenceEnd is the length of text's first sentence with the white space before it, and 0 where it has not ended.
// whole says that nothing follows text.
func sentenceEnd(text string, whole bool) int {
	begins := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	for i := begins; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n', i >= sentenceBytesMax && unicode.IsSpace(r):
			return i
		case strings.ContainsRune(".!?…", r):
			end := i + size
			end += len(text[end:]) - len(strings.TrimLeft(text[end:], `.!?…"'”’“»«)]*_`))
			if ends, known := endsAt(text[begins:i], text[i:end], text[end:], whole); !known {
				return 0
			} else if ends {
				return end
			}
			i = end
			continue
		}
		i += size
	}
	if whole {
		return len(text)
	}
	return 0
}

// endsAt says whether marks end the sentence that begins with before, and whether that is known yet.
func endsAt(before, marks, after string, whole bool) (ends, known bool) {
	next := strings.TrimLeftFunc(after, unicode.IsSpace)
	switch {
	case next == "":
		return true, whole
	case len(next) == len(after):
		return false, true
	case strings.Trim(marks, `"'”’“»«)]*_`) != ".":
		return true, true
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, `"'“„»«([*_`))
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == '(' })+1:]
	lower := strings.ToLower(word)
	switch {
	case unicode.IsLower(first), len([]rune(word)) == 1 && unicode.IsLetter([]rune(word)[0]) && word != "I":
		return false, true
	case slices.Contains(strings.Fields(abbreviations), lower):
		return false, true
	case len(word) > 0 && len(word) <= 2 && strings.Trim(word, "0123456789") == "":
		nextWord, _, full := strings.Cut(next, " ")
		if !full && !whole {
			return false, false
		}
		return beginners[strings.ToLower(strings.Trim(nextWord, `.,!?:;"'`))], true
	}
	return true, true
}

// abbreviations end in a full stop and no sentence.
const abbreviations = `dr mr mrs ms prof st jr sr no nr hr fr fa tel str ca approx vs e.g i.e z.b d.h u.a bzw evtl inkl ggf max min ` +
	`jan feb mar apr jun jul aug sep sept oct nov dec okt dez mo di mi do sa so mon tue wed thu fri sat sun`

// beginners are words that begin a sentence behind a number, where any other word makes the number an ordinal one.
var beginners = wordsOf(`the it i i've i'll i'm you your that this there shall would is do we my and but what which anything
	please a an at no yes in if on der die das es ich du sie ihr dein ihre dann danach wir und aber soll möchten möchtest was
	welche bitte ein eine am um nein ja wenn er gibt sonst auch`)

func wordsOf(list string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(list) {
		words[word] = true
	}
	return words
}
