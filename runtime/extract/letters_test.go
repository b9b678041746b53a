package extract

import (
	"testing"
	"time"
)

// TestValuedRefusesNothing tries every letter at every word, and holds that the words that are spared have no value.
func TestValuedRefusesNothing(t *testing.T) {
	context := Context{Now: time.Date(2026, 5, 13, 10, 0, 0, 0, time.UTC)}
	for language, behind := range map[string]string{"en": " hundred hours", "de": " hundert stunden"} {
		context.Language = language
		for word := range languageFor(language).known {
			var s speech
			s.recall(word+behind, context)
			for at := range s.tokens {
				for _, letter := range []byte("noxmydDwuthicpa") {
					if _, begins := s.letter(letter, at, new(capture)); begins && !s.valued(at) {
						t.Fatalf("#%c begins at %q in %q, which is spared", letter, s.at(at), s.text)
					}
				}
			}
		}
	}
}
