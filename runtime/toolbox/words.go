package toolbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file is about words that could mislead: names that look alike, texts that hold what nobody sees, and
// descriptions that speak of other tools.

var lookAlikes = strings.NewReplacer("_", "", "-", "", "0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w")

// foldName gives what two names that a person could take for each other have in common: their letters without regard to
// case, separators, and shapes such as those of l, I and 1.
func foldName(name string) string { return lookAlikes.Replace(strings.ToLower(name)) }

// SameName says whether a person could take the two names of tools for each other.
func SameName(a, b string) bool { return foldName(a) == foldName(b) }

// hidden gives the first character of text that a person does not see or that turns what stands around it.
func hidden(text string) (rune, bool) {
	before := ' '
	for _, r := range text {
		if unseen(before, r) {
			return r, true
		}
		before = r
	}
	return 0, false
}

// unseen says whether a person does not see r where it stands behind before. The joiners shape letters of many
// languages and make one picture of several, and variation selectors choose how a sign is drawn; each does so once,
// behind what it is about. Elsewhere, and in a row, they are a way to write what only a machine reads.
func unseen(before, r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u200c' || r == '\u200d':
		about := unicode.IsLetter(before) || unicode.IsMark(before) || unicode.IsSymbol(before)
		return before < utf8.RuneSelf || !about || unseen('a', before) && !selects(before)
	case selects(r):
		keycap := '0' <= before && before <= '9' || before == '#' || before == '*'
		sign := before >= utf8.RuneSelf && (unicode.IsSymbol(before) || unicode.IsPunct(before)) && !unseen('a', before)
		return !keycap && !sign
	case r == brailleBlank || r == utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// brailleBlank is a sign of which nothing is drawn.
const brailleBlank = '\u2800'

// selects says whether r chooses how the sign before it is drawn. The other variation selectors are about old forms
// of letters.
func selects(r rune) bool { return r == '\ufe0e' || r == '\ufe0f' }

// Mentions gives what the tool's texts say about other tools, a sentence for each: a description that tells the
// model when to call another tool, or not to, is how one tool takes over another's work.
func Mentions(m Manifest, others []string) []string {
	var found []string
	words := wordsOf(strings.Join([]string{m.Title, m.Description, schemaText(m.InputSchema)}, " "))
	for _, other := range others {
		folded := foldName(other)
		if folded != foldName(m.Name) && slices.ContainsFunc(words, func(w string) bool { return foldName(w) == folded }) {
			found = append(found, fmt.Sprintf("What %s says of itself speaks of the tool %s.", m.Name, other))
		}
	}
	return found
}

// schemaText is what a schema says once its escapes are read: names and values, with blanks between them.
func schemaText(schema json.RawMessage) string {
	var all strings.Builder
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber() // one that is too large must not end the reading
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		if text, ok := token.(string); ok {
			all.WriteString(text + " ")
		}
	}
	return all.String()
}

// wordsOf gives the words of text, and each run of two to four of them together: a name may be written with blanks.
func wordsOf(text string) []string {
	single := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
	all := slices.Clone(single)
	for size := 2; size <= 4; size++ {
		for i := 0; i+size <= len(single); i++ {
			all = append(all, strings.Join(single[i:i+size], ""))
		}
	}
	return all
}
