// Package texts holds what several folders do with a text: cut it, write it as JSON, find the name that was meant.
package texts

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// Cut is the beginning of text in at most n bytes, without part of a character at its end.
func Cut[T string | []byte](text T, n int) T {
	if len(text) <= n {
		return text
	}
	return Whole(text[:n])
}

// Whole is text without the beginning of a character at its end.
func Whole[T string | []byte](text T) T {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if !utf8.FullRuneInString(string(text[i:])) {
			return text[:i]
		}
		break
	}
	return text
}

// Encoder writes values as lines of JSON to w, with <, > and & as they are.
func Encoder(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder
}

// JSON is value as JSON, with <, > and & as they are.
func JSON(value any) (string, error) {
	var text strings.Builder
	err := Encoder(&text).Encode(value)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// Nearest is the candidate that takes the fewest edits to become name, the first of several, and how many edits those
// are. Without candidates it is "".
func Nearest(name string, candidates []string) (nearest string, edits int) {
	for i, candidate := range candidates {
		if n := distance(name, candidate); i == 0 || n < edits {
			nearest, edits = candidate, n
		}
	}
	return nearest, edits
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
