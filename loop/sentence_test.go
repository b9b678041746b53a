package loop

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentences(t *testing.T) {
	for _, want := range [][]string{
		{"It is 9 a.m. in Oslo.", " Get up!"},
		{"See you at 9 a.m.", " The door is locked."},
		{"Dr. Miller is in.", " Shall I call?"},
		{"It's 21.5 degrees."},
		{"Wir sehen uns am 5. März um 9.30 Uhr.", " Bis dann!"},
		{"Er wohnt im 3. Stock.", " Ich klingle."},
		{"Three times seven is 21.", " The end."},
		{"Pinguine leben z. B. in der Antarktis bei ca. 5 Grad.", " Brr."},
		{"Mr. J. Smith called vs. Mrs. Jones.", " Odd…", " Yes?!"},
		{"He said: \"Done.\"", " Then he left."},
		{"one", "\ntwo", "\nthree."},
		{"Look at example.com or chatterbox.local.", " Good."},
		{""},
	} {
		text := strings.Join(want, "")
		var got []string
		for rest := text; rest != ""; {
			n := sentenceEnd(rest, true)
			got, rest = append(got, rest[:n]), rest[n:]
		}
		if text != "" && !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// FuzzRelease holds that no text is lost or made up where nothing is claimed, and that how it comes makes no
// difference.
func FuzzRelease(f *testing.F) {
	f.Add("Penguins cannot fly, and I've turned on the light. Done. Dr. Miller, am 5. März!", uint8(3))
	f.Add("What day? It's 21.5 degrees and I booked it. \"Done.\" Ich habe nichts gebucht.\n\nErledigt", uint8(1))
	f.Fuzz(func(t *testing.T, text string, piece uint8) {
		if len(text) > 4000 || !utf8.ValidString(text) {
			return
		}
		s := step{Machine: Machine{Honest: &Honest{NothingDone: "I did nothing.", Failed: "That failed."}, Messages: []Message{{Role: User, Content: "do it"}}}}
		released := ""
		for letters := range slices.Chunk([]rune(text), int(piece)+1) {
			released += s.release(string(letters))
		}
		spoken := s.spoken(text, false)
		if !strings.HasPrefix(spoken, released) {
			t.Errorf("%q: released %q, spoken %q", text, released, spoken)
		}
		if len(s.Trace.Claims) == 0 && spoken != text {
			t.Errorf("%q is spoken as %q without a claim", text, spoken)
		}
	})
}
