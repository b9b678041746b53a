package workflow

import (
	"slices"
	"strings"
	"testing"
)

// FuzzHear holds that a clean text stays as it is, and that its words do not depend on what stands before.
func FuzzHear(f *testing.F) {
	for _, text := range []string{"", " ", "No, Thursday", "'tis  the O\u2019Brien`s", "a  b", "7pm at Müller's\u00a0house", "\u0130stanbul AT ten", "\xff x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u := hear(text)
		if want := clean(u.text); u.text != want {
			t.Errorf("%q is cleaned to %q, and that to %q", text, u.text, want)
		}
		if u.lower != strings.ToLower(u.text) || len(u.words) != len(u.starts) {
			t.Errorf("%q: %+v", text, u)
		}
		if len(text) > textMax/2 {
			return
		}
		with := hear("Ä " + text)
		if !slices.Equal(with.words[1:], u.words) {
			t.Errorf("%q has the words %q, behind another one %q", text, u.words, with.words[1:])
		}
	})
}
