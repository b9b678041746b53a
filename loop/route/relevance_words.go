package route

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// queryWordsMax bounds how many words of a text are looked up.
const queryWordsMax = 200

// queryWord is a stem that may tell what a text is about.
type queryWord struct {
	stem   string
	weight float64 // 1 for what was said, less for what means the same
}

// queryWords are the words of a text and those that mean the same, each once, in the order in which they come up.
func queryWords(text string) []queryWord {
	var out []queryWord
	at := map[string]int{}
	put := func(stem string, weight float64) {
		i, known := at[stem]
		if !known {
			at[stem] = len(out)
			out = append(out, queryWord{stem, weight})
			return
		}
		out[i].weight = max(out[i].weight, weight)
	}
	say := func(word string) {
		s := stem(word)
		if !stopWords()[word] {
			put(s, 1)
		}
		for _, other := range related()[s] {
			put(other, weightSynonym)
		}
		for _, other := range translated()[s] {
			put(other, weightTranslation)
		}
	}
	words := splitWords(text)
	words = words[:min(len(words), queryWordsMax)]
	for i, word := range words {
		if word == "times" && i > 0 && i+1 < len(words) && isNumber(words[i-1]) && isNumber(words[i+1]) {
			word = "multiply"
		}
		say(word)
	}
	for _, sign := range signs {
		if strings.Contains(text, sign[0]) {
			say(sign[1])
		}
	}
	return out
}

func isNumber(word string) bool { return '0' <= word[0] && word[0] <= '9' }

// splitWords splits a text or a name into lower-case words: at everything that is no letter or digit, where a small
// letter is followed by a capital, and between letters and digits.
func splitWords(text string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	before := ' '
	for i, r := range text {
		switch {
		case r == '\'' || r == '’': // "what's" is one word
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			end()
		default:
			if unicode.IsDigit(r) != unicode.IsDigit(before) || unicode.IsUpper(r) &&
				(unicode.IsLower(before) || unicode.IsUpper(before) && lowerFollows(text[i+utf8.RuneLen(r):])) {
				end()
			}
			word.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	end()
	return out
}

func lowerFollows(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// stem takes common English endings off, so that "bookings" and "booked" meet "book". It is light: two words that
// share a stem nearly always mean the same.
func stem(word string) string {
	if len(word) < 4 {
		return word
	}
	for _, c := range word {
		if c > unicode.MaxASCII {
			return word
		}
	}
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		word = word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		word = word[:len(word)-1]
	}
	for _, ending := range endings {
		if rest := len(word) - len(ending); strings.HasSuffix(word, ending) && (rest >= 4 || rest == 3 && (ending == "ing" || ending == "ed")) {
			word = word[:rest]
			break
		}
	}
	if n := len(word); n > 3 && word[n-1] == word[n-2] && !strings.ContainsRune("aeiouls", rune(word[n-1])) {
		word = word[:n-1]
	}
	if n := len(word); n > 3 && (word[n-1] == 'e' || word[n-1] == 'y') {
		word = word[:n-1]
	}
	return word
}

// endings are what stem takes off, the longer before the shorter.
var endings = [...]string{
	"ization", "isation", "ational", "ation", "ition", "ments", "ment", "ness", "ing", "ion", "ers", "or", "er", "ed", "ly", "al",
}

// stopWords are words that say nothing of what a text is about.
var stopWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`a an the this that these those i you he she it we they me my mine your his her its our their them him us
	is are was were be been being am do does did done have has had having will would shall should can could may might must
	and or but if then else of at by for with about into through to from in on off over under up down out as so than too very
	not no nor only own same such both each any all some what which who whom whose when where why how there here
	just also please thanks thank hi hello hey ok okay want need like let's lets let i'm i'd i'll i've it's what's that's don't
	s t d ll m re ve`)
})

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[strings.ReplaceAll(word, "'", "")] = true
	}
	return set
}
