package loop_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop"
)

// saying is one line of testdata/claims.
type saying struct {
	calls, user string
	answer      string // without the brackets
	before      string // of the answer, before the claim in brackets
	claim       string
	after       string
	line        string
}

// readSayings reads a file of testdata/claims.
func readSayings(t *testing.T, name string) []saying {
	t.Helper()
	data, err := os.ReadFile("testdata/claims/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var sayings []saying
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		fields := strings.SplitN(line, " | ", 3)
		if len(fields) != 3 || !strings.Contains(" none read acted failed ", " "+fields[0]+" ") {
			t.Fatalf("%s: %q is not: calls | what the person said | the answer", name, line)
		}
		before, rest, claims := strings.Cut(fields[2], "[")
		claim, after, closed := strings.Cut(rest, "]")
		if claims != strings.HasPrefix(name, "false") || claims != closed {
			t.Fatalf("%s: %q has a claim in brackets where none belongs, or none where one does", name, line)
		}
		sayings = append(sayings, saying{
			calls: fields[0], user: fields[1], answer: before + claim + after, before: before, claim: claim, after: after, line: line,
		})
	}
	return sayings
}

// TestClaimCorpus holds the corpus to its size.
func TestClaimCorpus(t *testing.T) {
	for _, kind := range []string{"true", "false"} {
		seen := map[string]bool{}
		for _, language := range []string{"en", "de"} {
			for _, part := range []string{"tuned", "heldout", "probed"} {
				for _, saying := range readSayings(t, kind+"_"+language+"_"+part) {
					seen[saying.line] = true
				}
			}
		}
		if len(seen) < 200 {
			t.Errorf("%d different %s claims, want at least 200", len(seen), kind)
		}
	}
}

// honest are the sentences in place of claims: German ones, or English ones for every other language.
func honest(language string) *loop.Honest {
	if strings.HasPrefix(language, "de") {
		return &loop.Honest{NothingDone: "Tatsächlich habe ich gerade nichts getan.", Failed: "Das hat leider nicht geklappt."}
	}
	return &loop.Honest{NothingDone: "Actually, I haven't done anything just now.", Failed: "I'm afraid that didn't work."}
}

// hear plays the answer of saying to a turn that did what saying says, in pieces of the given number of bytes, and
// returns what was streamed and the outcome. checked switches the check on.
func hear(t *testing.T, saying saying, language string, piece int, checked bool) (streamed string, outcome loop.Outcome) {
	t.Helper()
	machine := loop.New(loop.DefaultLimits(), nil)
	if checked {
		machine.Honest = honest(language)
	}
	machine.Done = loop.Done{Acted: saying.calls == "acted", Failed: saying.calls == "failed", Read: saying.calls == "read"}
	emit := func(effects []loop.Effect) {
		for _, effect := range effects {
			switch effect.Kind {
			case loop.Emit:
				if effect.Emission.Kind == loop.EmitInterim {
					t.Errorf("%s: what was heard is taken back", saying.line)
				}
				streamed += effect.Emission.Text
			case loop.Finish:
				outcome = *effect.Outcome
			}
		}
	}
	machine, effects := loop.Step(machine, loop.Event{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: saying.user}}})
	emit(effects)
	for letters := range slices.Chunk([]rune(saying.answer), piece) {
		machine, effects = loop.Step(machine, loop.Event{Kind: loop.Delta, Text: string(letters)})
		emit(effects)
	}
	_, effects = loop.Step(machine, loop.Event{Kind: loop.Completed, Completion: &loop.Completion{Content: saying.answer}})
	emit(effects)
	return streamed, outcome
}

// TestClaims plays the corpus: no false claim is spoken, and at most one in a hundred true sayings is replaced.
// Without the check the same claims are spoken.
func TestClaims(t *testing.T) {
	for _, part := range []string{"tuned", "heldout", "probed"} {
		trues, replaced, falses, spoken, unchecked := 0, 0, 0, 0, 0
		for _, language := range []string{"en", "de"} {
			for _, saying := range readSayings(t, "true_"+language+"_"+part) {
				trues++
				if outcome := hearAll(t, saying, language); outcome.Text != saying.answer {
					replaced++
					t.Logf("replaced: %s -> %s", saying.line, outcome.Text)
				}
			}
			for _, saying := range readSayings(t, "false_"+language+"_"+part) {
				falses++
				if outcome := hearAll(t, saying, language); len(outcome.Trace.Claims) == 0 || strings.Contains(outcome.Text, saying.claim) {
					spoken++
					t.Errorf("spoken: %s -> %s", saying.line, outcome.Text)
				}
				if _, outcome := hear(t, saying, language, 1000, false); strings.Contains(outcome.Text, saying.claim) {
					unchecked++
				}
			}
		}
		t.Logf("%s: %d of %d true sayings replaced, %d of %d false claims spoken", part, replaced, trues, spoken, falses)
		if 100*replaced > trues {
			t.Errorf("%s: %d of %d true sayings are replaced", part, replaced, trues)
		}
		if unchecked != falses {
			t.Errorf("%s: without the check only %d of %d false claims are spoken: the test proves nothing", part, unchecked, falses)
		}
	}
}

// hearAll hears saying in pieces of several sizes, which make no difference.
func hearAll(t *testing.T, saying saying, language string) loop.Outcome {
	t.Helper()
	_, whole := hear(t, saying, language, 1000, true)
	for _, piece := range []int{1, 3, 8, 1000} {
		streamed, outcome := hear(t, saying, language, piece, true)
		if streamed != outcome.Text || outcome.Text != whole.Text {
			t.Errorf("%s: in pieces of %d: heard %q, answered %q, in one %q", saying.line, piece, streamed, outcome.Text, whole.Text)
		}
	}
	return whole
}

// TestClaimIsCorrectedOnce holds what takes a claim's place: one sentence in the person's language, and all else as
// it was.
func TestClaimIsCorrectedOnce(t *testing.T) {
	const nothing, failed = "Actually, I haven't done anything just now.", "I'm afraid that didn't work."
	for name, c := range map[string]struct{ calls, language, answer, want string }{
		"alone":                                 {"none", "en", "Done.", nothing},
		"between two sentences":                 {"none", "en", "It is 21.5 degrees. I've turned on the light. Sleep well!", "It is 21.5 degrees. " + nothing + " Sleep well!"},
		"twice":                                 {"none", "en", "I've locked the door. All lights are off. Sleep well!", nothing + " Sleep well!"},
		"a promise":                             {"none", "en", "Sure, I'll remind you at 9 a.m. tomorrow. Good night.", nothing + " Good night."},
		"after a failed call":                   {"failed", "en", "I've locked the door.", failed},
		"of what failed":                        {"failed", "en", "I couldn't lock the door.", "I couldn't lock the door."},
		"behind a sentence's boundary":          {"none", "en", "Penguins cannot fly, and I've turned on the light.", "Penguins cannot fly. " + nothing},
		"after an abbreviation":                 {"none", "en", "I booked Dr. Miller at 9 a.m. on Friday. See you.", nothing + " See you."},
		"in German":                             {"none", "de-AT", "Der Termin ist am 5. März um 9.30 Uhr gebucht. Bis dann!", "Tatsächlich habe ich gerade nichts getan. Bis dann!"},
		"in German after a failed call":         {"failed", "de", "Gesendet.", "Das hat leider nicht geklappt."},
		"in another language than the person's": {"none", "de", "Done.", "Tatsächlich habe ich gerade nichts getan."},
		"in a language that is not known":       {"none", "fr", "Done.", nothing},
		"after a call that acted":               {"acted", "en", "Done. I've turned on the light.", "Done. I've turned on the light."},
	} {
		t.Run(name, func(t *testing.T) {
			outcome := hearAll(t, saying{calls: c.calls, user: "please do it", answer: c.answer, line: name}, c.language)
			if outcome.Text != c.want {
				t.Errorf("heard %q, want %q", outcome.Text, c.want)
			}
		})
	}
}

// TestHarmlessWordsAreNotHeldBack: what cannot become a claim is heard before its sentence ends.
func TestHarmlessWordsAreNotHeldBack(t *testing.T) {
	for answer, want := range map[string]string{
		"Penguins cannot fly very":              "Penguins cannot fly",
		"Which light should I":                  "Which light should",
		"It's 21.5 degrees in Berlin and":       "It's 21.5 degrees in Berlin",
		"Pinguine können nicht weit":            "Pinguine können nicht",
		"It's sunny. I've turned on the light.": "It's sunny.",
		"I've turned on the":                    "",
		"Your appointment is":                   "",
	} {
		machine := loop.New(loop.DefaultLimits(), nil)
		machine.Honest = honest("en")
		machine, _ = loop.Step(machine, loop.Event{Kind: loop.Start, Messages: []loop.Message{{Role: loop.User, Content: "hm"}}})
		heard := ""
		for _, letter := range answer + " " {
			var effects []loop.Effect
			machine, effects = loop.Step(machine, loop.Event{Kind: loop.Delta, Text: string(letter)})
			for _, effect := range effects {
				heard += effect.Emission.Text
			}
		}
		if !strings.HasPrefix(answer, heard) || !strings.HasPrefix(heard, want) || want == "" && heard != "" {
			t.Errorf("%q: heard %q so far, want %q", answer, heard, want)
		}
	}
}
