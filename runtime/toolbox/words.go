package toolbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// This file is about words that could mislead: names that look alike, texts that hold what nobody sees, and descriptions
// that speak of other tools.

var lookAlikes = strings.NewReplacer("_", "", "-", "", "0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w")

// foldName gives what two names that a person could take for each other have in common: their letters without regard to
// case, separators, and shapes such as those of l, I and 1.
func foldName(name string) string { return lookAlikes.Replace(strings.ToLower(name)) }

// SameName says whether a person could take the two names of tools for each other.
func SameName(a, b string) bool { return foldName(a) == foldName(b) }

// hidden gives the first character of text that a person does not see or that turns what stands around it.
func hidden(text string) (rune, bool) {
	for _, r := range text {
		if r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d' { // the last two shape letters of many languages
			continue
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || r == '\ufffd' {
			return r, true
		}
	}
	return 0, false
}

// Mentions gives what the tool's texts say about other tools, a sentence for each: a description that tells the model when
// to call another tool, or not to, is how one tool takes over another's work.
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
