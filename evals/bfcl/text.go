package bfcl

import (
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file holds what Python does with text, where Go's own functions differ.

// soften removes what the benchmark does not hold against a model: spaces, punctuation, case, the kind of quote.
func soften(text string) string {
	return strings.ReplaceAll(lower(punctuation.Replace(text)), "'", `"`)
}

var punctuation = strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "")

// softenValue softens a text and leaves any other value alone.
func softenValue(value any) any {
	if text, ok := value.(string); ok {
		return soften(text)
	}
	return value
}

// lower is the full lower case: İ becomes two code points, Σ depends on its place in the word.
func lower(text string) string {
	text = strings.ReplaceAll(text, "İ", "i\u0307")
	var lowered strings.Builder
	for at, r := range text {
		if r == 'Σ' && endsWord(text[:at], text[at+len("Σ"):]) {
			lowered.WriteRune('ς')
		} else {
			lowered.WriteRune(unicode.ToLower(r))
		}
	}
	return lowered.String()
}

// endsWord says whether a letter between the two texts is the last of its word: one before it, none behind it.
func endsWord(before, behind string) bool {
	before = strings.TrimRightFunc(before, isCaseIgnorable)
	behind = strings.TrimLeftFunc(behind, isCaseIgnorable)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(behind)
	return isCased(last) && !isCased(next)
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func isCaseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

// strip removes white space on both sides.
func strip(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}

// inner removes the first and the last character, whatever they are.
func inner(text string) string {
	_, first := utf8.DecodeRuneInString(text)
	_, last := utf8.DecodeLastRuneInString(text)
	if first+last > len(text) {
		return ""
	}
	return text[first : len(text)-last]
}

// isQuoted says whether text begins and ends with the same one of quotes; a text that is one quote does both.
func isQuoted(text, quotes string) bool {
	return text != "" && strings.Contains(quotes, text[:1]) && strings.HasSuffix(text, text[:1])
}

// pattern is a regular expression that is compiled when it is first needed, since most starts of the program need none.
type pattern func() *regexp.Regexp

// expression makes a pattern in which \s and \w are Python's, that know all of Unicode.
func expression(source string) pattern {
	return sync.OnceValue(func() *regexp.Regexp {
		source := strings.ReplaceAll(source, `\s`, `[\s\x0b\x1c-\x1f\x{85}\p{Z}]`)
		return regexp.MustCompile(strings.ReplaceAll(source, `\w`, `[\p{L}\p{N}_]`))
	})
}

// submatch is what the first parentheses of re take of text.
func submatch(re pattern, text string) (string, bool) {
	found := re().FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[1], true
}

const someDigits = `[0-9]+(?:_[0-9]+)*`

var numberLiteral = expression(`^[+-]?(?:(?i:nan|inf|infinity)|(?:` +
	someDigits + `\.?(?:` + someDigits + `)?|\.` + someDigits + `)(?:[eE][+-]?` + someDigits + `)?)$`)

// number reads a number as Python's int and float do: first as the one, else as the other. Otherwise ok is false.
func number(text string) (value any, ok bool) {
	text = asciiDigits(strip(text))
	if !numberLiteral().MatchString(text) {
		return nil, false
	}
	text = strings.ReplaceAll(text, "_", "")
	if value, err := integer(text); err == nil {
		return value, true
	}
	if strings.HasSuffix(strings.ToLower(text), "nan") {
		return math.NaN(), true // it may have a sign
	}
	return float(text), true
}

// asciiDigits writes the decimal digits of every script as 0 to 9.
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
			return r
		}
		zero := r // scripts have their digits in rows of ten, some rows side by side from a multiple of ten on
		for unicode.Is(unicode.Nd, zero-1) {
			zero--
		}
		return '0' + (r-zero)%10
	}, text)
}
