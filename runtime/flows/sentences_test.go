package flows_test

import (
	"testing"
)

// What the corpus of sentences must have: its sizes, and the share of commands that are taken.
const (
	sentencesMin      = 120
	sentencesKeptMin  = 60
	sentencesKeptPart = 0.97
)

// TestSentences holds that a negation, a condition, a report and a question begin nothing, and that what only looks
// like one of them is kept.
func TestSentences(t *testing.T) {
	decide := router(t)
	lines := corpusOf(t, "sentences.txt")
	commands, kept := 0, 0
	for _, u := range lines {
		good := true
		for _, model := range []bool{true, false} {
			stage, target := decide(u, model)
			if u.stage == "never" {
				if stage != "loop" && stage != "none" {
					t.Errorf("%q begins %s %s (model %v)", u.text, stage, target, model)
				}
			} else if stage != u.stage || target != u.target {
				good = false
				t.Logf("%q is taken by %s %s (model %v)", u.text, stage, target, model)
			}
		}
		if u.stage != "never" {
			commands++
			if good {
				kept++
			}
		}
	}
	if len(lines) < sentencesMin || commands < sentencesKeptMin {
		t.Errorf("the corpus has %d sentences, %d of them commands", len(lines), commands)
	}
	share := float64(kept) / float64(commands)
	t.Logf("%d of %d commands are kept (%.3f); %d sentences are none", kept, commands, share, len(lines)-commands)
	if share < sentencesKeptPart {
		t.Errorf("%.3f of the commands are kept, less than %.2f", share, sentencesKeptPart)
	}
}
