package sentence

import (
	"slices"
	"strings"
	"unicode"
)

// normal joins spaces and writes an apostrophe in one way.
func normal(text string) string {
	var result strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			if !space {
				result.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		if r == '’' {
			r = '\''
		}
		result.WriteRune(r)
	}
	return result.String()
}

// folded is the text in lower case, character by character.
func folded(text string) []rune {
	result := []rune(text)
	for i, r := range result {
		result[i] = unicode.ToLower(r)
	}
	return result
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isMark(r rune) bool { return strings.ContainsRune(".。,，?¿？؟!¡！;；:：’", r) }

// bare takes the punctuation away that stands beside words, but not what stands within one ("3.5", "o'clock") nor the
// last point of an abbreviation ("A.C.").
func bare(text string) string {
	runes := []rune(text)
	result := make([]rune, 0, len(runes))
	for i := 0; i < len(runes); {
		if !isMark(runes[i]) {
			result = append(result, runes[i])
			i++
			continue
		}
		end := i + 1
		for end < len(runes) && isMark(runes[end]) {
			end++
		}
		afterWord, beforeWord := i > 0 && isWord(runes[i-1]), end < len(runes) && isWord(runes[end])
		abbreviation := end == i+1 && runes[i] == '.' && i >= 3 && afterWord && runes[i-2] == '.' && isWord(runes[i-3])
		if afterWord && (beforeWord || abbreviation) {
			result = append(result, runes[i:end]...)
		}
		i = end
	}
	return string(result)
}

// without takes the words and phrases out of a text, at its start, at its end, or everywhere when both are wanted.
// The longest of them come first.
func without(text string, phrases [][]rune, start, end, joined bool) string {
	runes := []rune(text)
	lower := folded(text)
	if start && end {
		return strings.TrimSpace(normal(cut(runes, lower, phrases, joined)))
	}
	for {
		length := 0
		for _, phrase := range phrases {
			if start && begins(lower, phrase) && (joined || len(lower) == len(phrase) || !isWord(lower[len(phrase)])) {
				length = len(phrase)
				runes, lower = runes[length:], lower[length:]
			} else if at := len(lower) - len(phrase); end && at >= 0 && begins(lower[at:], phrase) &&
				(joined || at == 0 || !isWord(lower[at-1])) {
				length = len(phrase)
				runes, lower = runes[:at], lower[:at]
			}
			if length > 0 {
				break
			}
		}
		trimmed := strings.TrimSpace(string(runes))
		if length == 0 {
			return trimmed
		}
		runes, lower = []rune(trimmed), folded(trimmed)
	}
}

// cut replaces every phrase by a space.
func cut(runes, lower []rune, phrases [][]rune, joined bool) string {
	result := make([]rune, 0, len(runes))
	for i := 0; i < len(runes); {
		phrase := slices.IndexFunc(phrases, func(phrase []rune) bool {
			end := i + len(phrase)
			return begins(lower[i:], phrase) &&
				(joined || (i == 0 || !isWord(lower[i-1])) && (end == len(lower) || !isWord(lower[end])))
		})
		if phrase < 0 {
			result = append(result, runes[i])
			i++
			continue
		}
		if !joined {
			result = append(result, ' ')
		}
		i += len(phrases[phrase])
	}
	return string(result)
}

func begins(text, prefix []rune) bool {
	return len(text) >= len(prefix) && slices.Equal(text[:len(prefix)], prefix)
}

// isDense tells a character of a script that puts no spaces between words.
func isDense(r rune) bool {
	return r >= '一' && r <= '鿿' || r >= '㐀' && r <= '䶿' || r >= '぀' && r <= 'ヿ' || r >= '가' && r <= '힯'
}

// dense takes spaces out that stand between such characters.
func dense(text []rune) []rune {
	result := make([]rune, 0, len(text))
	for i, r := range text {
		if r == ' ' && len(result) > 0 && isDense(result[len(result)-1]) {
			next := slices.IndexFunc(text[i:], func(r rune) bool { return r != ' ' })
			if next > 0 && isDense(text[i+next]) {
				continue
			}
		}
		result = append(result, r)
	}
	return result
}
