package extract

import (
	"testing"
	"time"
)

// TestLettersRefuseNothing tries every letter and every rule at every word, and holds that the letters that spare most of
// that let through whatever fits.
func TestLettersRefuseNothing(t *testing.T) {
	fit := 0
	for _, file := range []string{"tuning.txt", "fresh.txt"} {
		for _, one := range corpus(t, file) {
			fit += fitting(t, new(ear).listen(one.text, one.context))
		}
	}
	context := Context{Now: time.Date(2026, 5, 13, 10, 0, 0, 0, time.UTC)}
	for language, more := range map[string][]string{"en": {" five", " first", " hundred hours"}, "de": {" fünf", " hundert stunden"}} {
		context.Language = language
		for word, e := range languageFor(language).known {
			for i, behind := range more {
				if i == 0 || e.is(numeral) && e.number < wordHundred {
					fit += fitting(t, new(ear).listen(word+behind, context))
				}
			}
		}
	}
	if fit == 0 {
		t.Error("no rule fits anywhere")
	}
}

// fitting counts the rules that fit in a text.
func fitting(t *testing.T, s *speech) int {
	t.Helper()
	fit := 0
	for at := range s.tokens {
		for _, kind := range []byte("noxmydDwuthicpa") {
			_, begins := s.option(option{kind: kind}, at, new(capture))
			if begins && s.opens(at)&letterOf(kind) == 0 {
				t.Fatalf("#%c begins at %q in %q, and no letter says so", kind, s.at(at), s.text)
			}
		}
		for _, r := range []*ruleset{s.language.dateRules, s.language.timeRules, s.language.durationRules, s.language.recurrenceRules, s.language.momentRules} {
			lists := [][]*rule{r.byLetter}
			for _, list := range r.byWord.lists {
				lists = append(lists, list)
			}
			for _, list := range lists {
				for _, one := range list {
					if _, ok := s.match(&one.pattern, at, nil); !ok {
						continue
					}
					fit++
					first := s.tokens[at].entry.id
					if !s.mayBegin(r, at) || s.opens(at)&one.opens == 0 && !r.byWord.has(first) || one.needs&^s.seen.opens != 0 {
						t.Fatalf("%q fits at %q in %q, and is not tried there", one.say, s.at(at), s.text)
					}
				}
			}
		}
	}
	return fit
}
