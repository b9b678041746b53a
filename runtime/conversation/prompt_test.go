package conversation

import (
	"fmt"
	"testing"

	"chatterbox/loop"
)

func TestWindowStart(t *testing.T) {
	tests := map[string]struct{ turns, turnsMax, want int }{
		"an empty conversation keeps all":          {0, 20, 0},
		"as many as may be stay":                   {20, 20, 0},
		"one more leaves fifteen":                  {21, 20, 6},
		"the window grows again to its bound":      {26, 20, 6},
		"and is cut again":                         {27, 20, 12},
		"a window of one is the turn before":       {7, 1, 6},
		"no window has nothing in it":              {7, 0, 7},
		"a window of four loses two and keeps new": {5, 4, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := windowStart(tt.turns, tt.turnsMax); got != tt.want {
				t.Errorf("windowStart(%d, %d) = %d, want %d", tt.turns, tt.turnsMax, got, tt.want)
			}
		})
	}
}

func TestWindowIsBoundedFullEnoughAndRarelyMoves(t *testing.T) {
	for turnsMax := 1; turnsMax <= 50; turnsMax++ {
		moves := 0
		for turns := 1; turns <= 500; turns++ {
			start := windowStart(turns, turnsMax)
			if kept := turns - start; kept > turnsMax || turns > turnsMax && kept < turnsMax-turnsMax/4 {
				t.Fatalf("with %d of at most %d turns, %d are kept", turns, turnsMax, kept)
			}
			if before := windowStart(turns-1, turnsMax); start < before {
				t.Fatalf("the window of %d went back from %d to %d", turnsMax, before, start)
			} else if start > before {
				moves++
			}
		}
		if most := 500/(turnsMax/4+1) + 1; moves > most {
			t.Errorf("the window of %d moved %d times, want at most %d", turnsMax, moves, most)
		}
	}
}

func TestPromptIsTheWindowInPairs(t *testing.T) {
	var c Conversation
	for i := 6; i < 26; i++ { // Load gives the newest 20 of 26
		c.Turns = append(c.Turns, Turn{User: fmt.Sprint("question ", i), Assistant: fmt.Sprint("answer ", i)})
	}
	c.Skipped = 6
	got := messages("be kind", c, 20, "and now?")
	if len(got) != 42 {
		t.Fatalf("%d messages, want system, 20 pairs and the text", len(got))
	}
	c.Turns, c.Skipped = append(c.Turns[1:], Turn{User: "question 26", Assistant: "answer 26"}), 7
	got = messages("be kind", c, 20, "and now?")
	want := []loop.Message{
		{Role: loop.System, Content: "be kind"},
		{Role: loop.User, Content: "question 12"}, {Role: loop.Assistant, Content: "answer 12"},
	}
	for i := range want {
		if got[i].Role != want[i].Role || got[i].Content != want[i].Content {
			t.Errorf("message %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	if last := got[len(got)-1]; len(got) != 32 || last.Role != loop.User || last.Content != "and now?" {
		t.Errorf("%d messages ending in %+v, want 32 ending in the person's text", len(got), last)
	}
}

func TestSettleMakesTheDeltasAgree(t *testing.T) {
	tests := map[string]struct {
		before []loop.Emission
		answer string
	}{
		"nothing was said":      {nil, "Hello."},
		"all of it was said":    {[]loop.Emission{{Kind: loop.EmitDelta, Text: "Hello."}}, "Hello."},
		"some of it was said":   {[]loop.Emission{{Kind: loop.EmitDelta, Text: "Hel"}}, "Hello."},
		"another thing was":     {[]loop.Emission{{Kind: loop.EmitDelta, Text: "Help"}}, "Hello."},
		"a call came between":   {[]loop.Emission{{Kind: loop.EmitDelta, Text: "Hm"}, {Kind: loop.EmitInterim}}, "Hello."},
		"there is no answer":    {[]loop.Emission{{Kind: loop.EmitDelta, Text: "Help"}}, ""},
		"nothing, and no words": {nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			heard := ""
			s := &speaker{emit: func(e loop.Emission) {
				switch e.Kind {
				case loop.EmitDelta:
					heard += e.Text
				case loop.EmitInterim:
					heard = ""
				}
			}}
			for _, emission := range tt.before {
				s.pass(emission)
			}
			s.settle(tt.answer)
			if heard != tt.answer {
				t.Errorf("the listener heard %q, want %q", heard, tt.answer)
			}
		})
	}
}
