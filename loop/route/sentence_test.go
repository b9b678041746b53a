package route_test

import (
	"strings"
	"testing"

	"chatterbox/loop/route"
)

func grammar() route.Grammar {
	return route.Grammar{
		Language: "en", Lead: []string{"hey", "please"},
		Free: []string{`\bsay( that)\b`}, Courtesy: []string{`^would you mind\b`},
		Guards: []route.Guard{{
			Name: "a negation", Words: []string{"not", "don't"},
			Courtesy: []string{`\bdon't (forget)\b`}, Patterns: []string{`\b(?:not|don't)\b`},
		}, {
			Name: "a question", First: []string{"what", "would", "could"},
			Courtesy: []string{`^could you\b`}, Patterns: []string{`^(?:what|would|could)\b`},
		}},
	}
}

func TestNoCommand(t *testing.T) {
	sentences, err := route.NewSentences([]route.Grammar{grammar()})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"open the door":                         "",
		"do NOT open the door!":                 "a negation",
		"don’t open the door":                   "a negation",
		"don't forget the door":                 "",
		"don't forget not to open the door":     "a negation",
		"what opens the door":                   "a question",
		"hey, please, what opens the door":      "a question",
		"tell me what opens the door":           "",
		"could you open the door":               "",
		"would you mind opening the door":       "",
		"hey could you please what is the door": "a question",
		"say that I'm not here":                 "",
		"don't say that I'm here":               "a negation",
		"hey please":                            "",
		"":                                      "",
		strings.Repeat("not ", 4000):            "", // longer than any command
	} {
		if got := sentences.NoCommand(text, "en"); got != want {
			t.Errorf("%.60q is %q, want %q", text, got, want)
		}
	}
	if got := sentences.NoCommand("do not", "fr"); got != "" {
		t.Errorf("a language without a grammar: %q", got)
	}
	if got := (*route.Sentences)(nil).NoCommand("do not", "en"); got != "" {
		t.Errorf("no grammars at all: %q", got)
	}
}

func TestMistakesOfAGrammar(t *testing.T) {
	for want, change := range map[string]func(*route.Grammar){
		"sentences: the language is missing":                     func(g *route.Grammar) { g.Language = "" },
		"free[0]: needs 1 group":                                 func(g *route.Grammar) { g.Free = []string{"a"} },
		"courtesy[0]: error parsing regexp: missing closing )":   func(g *route.Grammar) { g.Courtesy = []string{"(a"} },
		"guards[1]: a guard needs a name, patterns, and words":   func(g *route.Grammar) { g.Guards[1].Name = "" },
		"guards[0]: a guard needs a name":                        func(g *route.Grammar) { g.Guards[0].Words = nil },
		"guards[0].patterns[0]: error parsing regexp: missing a": func(g *route.Grammar) { g.Guards[0].Patterns = []string{"*"} },
		"anew[0]: error parsing regexp: missing closing )":       func(g *route.Grammar) { g.Anew = []string{"(a"} },
		"guards: there are more than 32":                         func(g *route.Grammar) { g.Guards = make([]route.Guard, 33) },
	} {
		broken := grammar()
		change(&broken)
		if _, err := route.NewSentences([]route.Grammar{grammar(), broken}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// TestAGuardedSentenceIsNoCommand holds that a rule that changes something does not take one, and a rule that reads
// does.
func TestAGuardedSentenceIsNoCommand(t *testing.T) {
	sentences, err := route.NewSentences([]route.Grammar{grammar()})
	if err != nil {
		t.Fatal(err)
	}
	for _, reads := range []bool{false, true} {
		rules, err := route.Compile([]route.Rule{{
			Name: "door", Language: "en", Tool: "door", Reads: reads, Patterns: []string{`(?:what opens|open) the door(?P<how>.*)`}, Reply: "x",
		}}, nil, sentences)
		if err != nil {
			t.Fatal(err)
		}
		for text, command := range map[string]bool{"open the door": true, "what opens the door": reads, "open the door not": reads} {
			got := route.Decide(rules, route.Input{Text: text, Language: "en", Tools: []string{"door"}})
			if (got.Command != nil) != command {
				t.Errorf("reads %v: %q: %+v", reads, text, got)
			}
			if !command && !strings.Contains(got.Reason, "but the sentence is a") {
				t.Errorf("%q: reason %q", text, got.Reason)
			}
		}
	}
}

func FuzzNoCommand(f *testing.F) {
	sentences, err := route.NewSentences([]route.Grammar{grammar()})
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "hey", "don't say that", "would you mind, please", "\xff what", "could you\u00a0open"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := sentences.NoCommand(text, "en"); got != sentences.NoCommand(text, "en") {
			t.Errorf("%q is %q, and then not", text, got)
		}
	})
}
