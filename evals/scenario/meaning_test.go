package scenario

import (
	"slices"
	"strings"
	"testing"
)

// fillings are what may stand for names in braces, in ways that resemble other sentences.
var fillings = map[string][]string{
	"tool": {"light", "the", "no"}, "argument": {"room", "one"}, "tools": {"light", "light and heat"}, "name": {"light.on", "the"},
	"text": {`"a"`, `""`, `"is called with"`}, "texts": {`"a"`, `"a" or "b"`, `"a", "b" or "c"`}, "count": {"once", "2 times"},
	"n": {"2"}, "number": {"2", "-1.5"}, "phase": {"DONE"}, "path": {"/a"},
}

// written are the steps that a form allows, with every example in one place after the other.
func written(form string) []string {
	before, rest, found := strings.Cut(strings.ReplaceAll(form, "(s)", "s"), "{")
	if !found {
		return []string{before}
	}
	name, after, _ := strings.Cut(rest, "}")
	examples := fillings[name]
	if strings.Contains(name, "|") {
		examples = strings.Split(name, "|")
	}
	var out []string
	for _, example := range examples {
		for _, end := range written(after) {
			out = append(out, before+example+end)
		}
	}
	return out
}

func TestEverySentenceHasOneMeaning(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Forms() {
		if seen[f.Form] || !slices.Contains([]string{"Given", "When", "Then"}, f.Keyword) || !slices.Contains([]string{"", "table", "text"}, f.Below) {
			t.Errorf("%+v is not well written, or stands there twice", f)
		}
		seen[f.Form] = true
		if (f.Below != "") != strings.HasSuffix(f.Form, ":") {
			t.Errorf("%s: a sentence ends with a colon when a table or a text follows, and only then", f.Form)
		}
		steps := written(f.Form)
		if len(steps) == 0 {
			t.Errorf("%s has no example", f.Form)
		}
		for _, live := range []bool{true, false} {
			for _, text := range steps {
				got, _, err := meaning(Forms(), live, Step{Keyword: f.Keyword, Text: text})
				if f.of(live) && (err != nil || got.Form != f.Form) {
					t.Errorf("%s %s: means %q, %v, want %q", f.Keyword, text, got.Form, err, f.Form)
				}
			}
		}
	}
	if len(seen) < 130 {
		t.Errorf("only %d sentences", len(seen))
	}
}

// TestSentencesOfModelsMeanSomething compares the table with the functions: each has what the other has.
func TestSentencesOfModelsMeanSomething(t *testing.T) {
	known := map[string]bool{}
	for _, f := range Forms() {
		meanings := 0
		for _, has := range []bool{f.Plays(), f.Expects(), planMeanings[f.Form] != nil} {
			if has {
				meanings++
			}
		}
		if meanings > 1 || f.Model && meanings == 0 {
			t.Errorf("%s has %d meanings", f.Form, meanings)
		}
		known[f.Form] = true
	}
	for form := range scriptMeanings {
		if !known[form] {
			t.Errorf("%s is not in the table", form)
		}
	}
	for form := range expectMeanings {
		if !known[form] {
			t.Errorf("%s is not in the table", form)
		}
	}
	for form := range planMeanings {
		if !known[form] {
			t.Errorf("%s is not in the table", form)
		}
	}
}

func TestTwoMeaningsAreNone(t *testing.T) {
	known := []Form{
		Form{Keyword: "Then", Form: `the {tool} is {text}`, Model: true}.compile(),
		Form{Keyword: "Then", Form: `the light is {text}`, Model: true}.compile(),
		Form{Keyword: "When", Form: `the light is {text}`, Model: true}.compile(),
	}
	_, _, err := meaning(known, true, Step{Keyword: "Then", Text: `the light is "on"`})
	if err == nil || err.Error() != `"the light is \"on\"" has two meanings: "the {tool} is {text}" and "the light is {text}"` {
		t.Errorf("%v", err)
	}
	f, args, err := meaning(known, true, Step{Keyword: "Then", Text: `the door is "open"`})
	if err != nil || f.Form != known[0].Form || len(args) != 2 {
		t.Errorf("%s, %q, %v", f.Form, args, err)
	}
	if _, _, err := meaning(known, false, Step{Keyword: "Then", Text: `the door is "open"`}); err == nil {
		t.Error("a sentence of models is one of the product")
	}
}
