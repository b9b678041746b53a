package extract

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"chatterbox/runtime/internal/texts"
)

// TestWhatIsRememberedChangesNothing asks for kinds of values of a text and of a part of it, in any order and with any
// expectation, and compares each answer with that of somebody who never heard the text.
func TestWhatIsRememberedChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := append([]string{""}, Kinds()...)
	for _, file := range []string{"tuning.txt", "fresh.txt"} {
		for i, one := range corpus(t, file) {
			if i%5 != 0 {
				continue
			}
			s := new(speech)
			for range 40 {
				text, context := one.text, one.context
				if random.IntN(4) == 0 {
					text = texts.Cut(text, len(text)/2)
				}
				context.Expect = kinds[random.IntN(len(kinds))]
				f := finders[random.IntN(len(finders))]
				got, want := values(s, text, context, f.find), values(new(speech), text, context, f.find)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %q, asked for %q: %s is %+v, want %+v", one.where, text, context.Expect, f.kind, got, want)
				}
			}
		}
	}
}

func values(s *speech, text string, context Context, find func(*speech) []found) []found {
	s.recall(text, context)
	if len(s.tokens) == 0 {
		return nil
	}
	return append([]found{}, find(s)...)
}
