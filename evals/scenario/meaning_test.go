package scenario

import (
	"strings"
	"testing"
)

// fillings are what may stand for names in braces, in ways that resemble other sentences.
var fillings = map[string][]string{
	"tool": {"light", "the", "no"}, "argument": {"room", "one"}, "tools": {"light", "light and heat"}, "text": {`"a"`, `""`, `"is called with"`},
	"texts": {`"a"`, `"a" or "b"`, `"a", "b" or "c"`}, "count": {"once", "2 times"}, "n": {"2"}, "number": {"2", "-1.5"}, "phase": {"DONE"},
}

// written are the steps that a form allows, with every example in one place after the other.
func written(form string) []string {
	before, rest, found := strings.Cut(form, "{")
	if !found {
		return []string{form}
	}
	name, after, _ := strings.Cut(rest, "}")
	var out []string
	for _, example := range fillings[name] {
		for _, end := range written(after) {
			out = append(out, before+example+end)
		}
	}
	return out
}

func TestEverySentenceHasOneMeaning(t *testing.T) {
	for _, s := range vocabulary() {
		steps := written(s.form)
		if len(steps) == 0 {
			t.Errorf("%s has no example", s.form)
		}
		for _, text := range steps {
			got, _, err := meaning(vocabulary(), Step{Keyword: s.keyword, Text: text})
			if err != nil || got.form != s.form {
				t.Errorf("%s %s: means %q, %v, want %q", s.keyword, text, got.form, err, s.form)
			}
		}
	}
}

func TestTwoMeaningsAreNone(t *testing.T) {
	known := []sentence{
		sentence{keyword: "Then", form: `the {tool} is {text}`}.compile(), sentence{keyword: "Then", form: `the light is {text}`}.compile(),
		sentence{keyword: "When", form: `the light is {text}`}.compile(),
	}
	_, _, err := meaning(known, Step{Keyword: "Then", Text: `the light is "on"`})
	if err == nil || err.Error() != `"the light is \"on\"" has two meanings: "the {tool} is {text}" and "the light is {text}"` {
		t.Errorf("%v", err)
	}
	if s, args, err := meaning(known, Step{Keyword: "Then", Text: `the door is "open"`}); err != nil || s.form != known[0].form || len(args) != 2 {
		t.Errorf("%s, %q, %v", s.form, args, err)
	}
}
