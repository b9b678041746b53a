package scenario_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"chatterbox/evals/scenario"
	"chatterbox/features"
)

const catalogue = `[
{"name":"light","description":"Light.","parameters":{"type":"object"},"answer":{"done":true}},
{"name":"heat","description":"Heat.","parameters":{"type":"object"},"answer":{"done":true}},
{"name":"door","description":"Door.","parameters":{"type":"object"},"answer":{"done":true}}
]`

func open(feature string) (*scenario.Suite, error) {
	return scenario.Open(fstest.MapFS{"a/b.feature": {Data: []byte(feature)}, "a/tools.json": {Data: []byte(catalogue)}})
}

const outline = `# a comment
@model
Feature: Lights
  What this is about.

  Background:
    Given the tool light
    And 1 other tools

  @runs(20) @pass(0.5)
  Scenario Outline: <room> is lit
    Given the model calls light with room "<room>"
    When the user says one of:
      | text                |
      | Light in the <room> |
      | a \| b              |
    Then light is called with:
      | argument | value          |
      | room     | "a" or "<room>" |
      | level?   | 10 to 20       |
    And the answer mentions "x"

    @big
    Examples:
      | room |
      | Hall |
      | Loft |
`

func TestAnOutlineBecomesPlans(t *testing.T) {
	s, err := open(outline)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Scenarios) != 2 {
		t.Fatalf("%d scenarios", len(s.Scenarios))
	}
	one := s.Scenarios[1]
	if one.ID != "a/b/loft-is-lit" || one.Runs != 20 || one.Pass != .5 || !one.Live || !slices.Contains(one.Tags, "@big") || one.Line != 27 {
		t.Errorf("%+v", one)
	}
	if one.Digest == "" || one.Digest == s.Scenarios[0].Digest {
		t.Errorf("digests are %q and %q", one.Digest, s.Scenarios[0].Digest)
	}
	plan, err := s.Plan(one)
	if err != nil {
		t.Fatal(err)
	}
	turn := plan.Turns[0]
	if !slices.Equal(turn.Said, []string{"Light in the Loft", "a | b"}) || len(turn.Script) != 1 || plan.Others != 1 {
		t.Errorf("%+v", plan)
	}
	expected, err := json.Marshal(turn.Expect)
	if want := `{"calls":[{"tool":"light","arguments":{"level":{"within":[10,20],"optional":true},"room":{"one_of":["a","Loft"]}}}],"mentions":[["x"]]}`; err != nil || string(expected) != want {
		t.Errorf("expects %s, want %s", expected, want)
	}
}

func TestTheSameSeedOffersTheSameTools(t *testing.T) {
	s, err := open(outline)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := s.Plan(s.Scenarios[0])
	if err != nil {
		t.Fatal(err)
	}
	names := func(n int, seed uint64) string {
		offered, err := s.Offered(plan, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range offered {
			out = append(out, tool.Name)
		}
		return strings.Join(out, " ")
	}
	if a, b := names(0, 1), names(0, 1); a != b || len(strings.Fields(a)) != 2 || !strings.Contains(a, "light") {
		t.Errorf("%q and %q", a, b)
	}
	two, three := names(2, 7), names(3, 7)
	for _, name := range strings.Fields(two) {
		if !strings.Contains(three, name) {
			t.Errorf("%q is not in %q: more tools must add to fewer", two, three)
		}
	}
	different := false
	for seed := range uint64(20) {
		different = different || names(3, seed) != three
	}
	if !different {
		t.Error("no seed changes the order")
	}
	if _, err := s.Offered(plan, 4, 1); err == nil || !strings.Contains(err.Error(), "cannot be offered") {
		t.Errorf("four of three: %v", err)
	}
}

// TestMistakes has what a feature can be wrong about, each with place and what was expected.
func TestMistakes(t *testing.T) {
	const begin = "Feature: x\n@model\nScenario: y\n"
	const other = "Feature: x\nScenario: y\n"
	const good = "Given the tool light\nWhen the user says \"a\"\nThen light is called\n"
	for name, c := range map[string]struct{ feature, want string }{
		"nothing":                       {"", "a/b.feature:1: expected Feature:"},
		"no feature first":              {"Scenario: x\n", `a/b.feature:1: expected Feature:, a tag, found "Scenario: x"`},
		"another language":              {"# language: de\nFunktion: x\n", `a/b.feature:1: expected a feature in English, found language "de"`},
		"words between steps":           {begin + good + "and so on\n", "a/b.feature:7: expected a step"},
		"a step before all":             {"Feature: x\nBackground:\nAnd x\n", "a/b.feature:3: expected Given, When or Then"},
		"a rule":                        {"Feature: x\nRule: y\n", "a/b.feature:2: expected Scenario:, found Rule:"},
		"a table that ends early":       {begin + "Given x:\n| a | b\n", "a/b.feature:5: expected the row of a table to end with |"},
		"a row too short":               {begin + "Given x:\n| a | b |\n| a |\n", "a/b.feature:6: expected as many cells as in the first row of the table"},
		"a text without an end":         {begin + "Given x:\n\"\"\"\nfoo\n", `a/b.feature:7: expected a text in """, found the end of the file`},
		"an outline without examples":   {"Feature: x\nScenario Outline: y\nGiven z\n", "a/b.feature:2: expected Examples:"},
		"examples without rows":         {"Feature: x\nScenario Outline: y\nGiven z\nExamples:\n| a |\n", "a/b.feature:4: expected a table"},
		"a scenario without steps":      {"Feature: x\nScenario: y\n", `a/b.feature:2: expected steps in scenario "y"`},
		"a scenario without a name":     {"Feature: x\nScenario:\nGiven z\n", "a/b.feature:2: expected a name"},
		"two scenarios of one name":     {"Feature: x\nScenario: y z\nGiven z\nScenario: Y-Z\nGiven z\n", `a/b.feature:4: expected another name`},
		"a tag without its sign":        {"Feature: x\n@a b\nScenario: y\nGiven z\n", `a/b.feature:2: expected tags that begin with @ and have no spaces, found "@a b"`},
		"tags of nothing":               {"Feature: x\nScenario: y\nGiven z\n@a\n", "a/b.feature:5: expected a tag, found the end of the file"},
		"no number of runs":             {"Feature: x\n@runs(0)\nScenario: y\nGiven z\n", "a/b.feature:3: expected @runs"},
		"no rate":                       {"Feature: x\n@pass(2)\nScenario: y\nGiven z\n", "a/b.feature:3: expected @runs(1 to 100000) or @pass"},
		"a sentence that is none":       {begin + "Given the tool light\nWhen the user shouts \"a\"\n", `a/b.feature:5: expected a sentence of the vocabulary, found "When the user shouts \"a\""; the nearest is: When the user says {text}`},
		"the product does not know it":  {other + "When the user shouts \"a\"\n", `a/b.feature:3: expected a sentence of the vocabulary, found "When the user shouts \"a\""; the nearest is: When the user says {text}`},
		"the product's in a model's":    {begin + good + "And the turn succeeds\n", "it is a sentence of scenarios that are not tagged @model"},
		"a model's in the product's":    {other + "Given the tool light\n", "it is a sentence of scenarios tagged @model"},
		"a check as a condition there":  {other + "Given the turn succeeds\n", "the nearest is: "},
		"the product's table missing":   {other + "When they talk:\n", `a/b.feature:3: expected a table below "they talk:"`},
		"a table too much there":        {other + "Given no model is configured\n| a |\n", `a/b.feature:3: expected nothing below "no model is configured"`},
		"a mistake in an outline":       {"Feature: x\nScenario Outline: y <a>\nWhen z\nExamples:\n| a |\n| 1 |\n| 2 |\n", "a/b.feature:3: expected a sentence"},
		"a check as a condition":        {begin + "Given no tool is called\n", "a/b.feature:4: expected a sentence of the vocabulary"},
		"a check before anyone spoke":   {begin + "Then no tool is called\n", "a/b.feature:4: expected that the user says something before"},
		"a table that is missing":       {begin + "Given they said before:\n", "a/b.feature:4: expected a table below"},
		"a table too much":              {begin + "Given the tool light\n| a |\n", "a/b.feature:4: expected nothing below"},
		"an unknown column":             {begin + "Given they said before:\n| user | model | day |\n| a | b | c |\n", `found "day"`},
		"a tool that is not there":      {begin + "Given the tool oven\n", `a/b.feature:4: expected a tool of the catalogue, found "oven"`},
		"a tool that is not offered":    {begin + "Given heat needs a yes\n", `expected one of the offered tools, found "heat"`},
		"a tool that stands twice":      {begin + "Given the tools light and light\n", "light is offered twice"},
		"nobody speaks":                 {begin + "Given the tool light\n", "a/b.feature:3: expected that the user says something"},
		"nothing is expected":           {begin + "When the user says \"a\"\n", "a/b.feature:3: expected something"},
		"replies after the last turn":   {begin + good + "Given the model replies \"x\"\n", "a/b.feature:3: expected a turn after the last replies"},
		"a time too long":               {begin + "Given the model takes 600001 ms\n", "a/b.feature:4: expected up to 600000 ms, found 600001"},
		"a time for no answer":          {begin + good + "Given the model takes 600000 ms\n", "a/b.feature:3: expected a turn after the last replies"},
		"a pattern that is none":        {begin + "Given the tool light\nWhen the user says \"a\"\nThen light is called with x \"/(/\"\n", "a/b.feature:6:"},
		"numbers in the wrong order":    {begin + "Given the tool light\nWhen the user says \"a\"\nThen light is called with x from 3 to 1\n", "expected the smaller number first"},
		"more tools than there are":     {begin + "Given 9 other tools\n", "expected at most 3 other tools"},
		"a person who says nothing":     {begin + "When the user says \" \"\n", "expected words"},
		"calls that are listed twice":   {begin + "Given the tool light\nWhen the user says \"a\"\nThen the calls are:\n| tool |\n| light |\nAnd the calls are:\n| tool |\n| light |\n", "already listed"},
		"a second table below examples": {"Feature: x\nScenario: y\n| a |\n", `a/b.feature:2: expected steps in scenario "y"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(c.feature)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestCataloguesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "expected a list of tools",
		`[{"name":"a b","description":"x","parameters":{},"answer":{}}]`:                                                          "expected a name",
		`[{"name":"a","parameters":{},"answer":{}}]`:                                                                              "expected a description",
		`[{"name":"a","description":"x","parameters":{},"answer":1}]`:                                                             "expected an answer",
		`[{"name":"a","description":"x","parameters":{},"answer":{},"effects":"magic"}]`:                                          "expected effects",
		`[{"name":"a","description":"x","parameters":{},"answer":{},"size":1}]`:                                                   "size",
		`[{"name":"a","description":"x","parameters":{},"answer":{}},{"name":"a","description":"x","parameters":{},"answer":{}}]`: "stands twice",
	} {
		_, err := scenario.Open(fstest.MapFS{"b.feature": {Data: []byte("Feature: x\n")}, "tools.json": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := scenario.Open(fstest.MapFS{}); err == nil {
		t.Error("a folder without features is no error")
	}
}

func TestSelection(t *testing.T) {
	all := []scenario.Scenario{{ID: "a/x", Tags: []string{"@a", "@b"}}, {ID: "a/y", Name: "Why", Tags: []string{"@b"}}, {ID: "c/z", Tags: []string{"@c"}}}
	for by, want := range map[scenario.Selection]string{
		{}:                        "a/x a/y c/z",
		{Tags: "@b && ~@a"}:       "a/y",
		{Tags: "@a,@c"}:           "a/x c/z",
		{Tags: "@b", Name: "^Wh"}: "a/y",
		{Tags: "@d"}:              "none of 3",
		{Tags: "b"}:               `expected @tag`,
		{Tags: "@a @b"}:           `expected @tag`,
		{Name: "("}:               "name: error",
	} {
		got, err := scenario.Select(all, by)
		var ids []string
		for _, s := range got {
			ids = append(ids, s.ID)
		}
		if text := strings.Join(ids, " "); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %q, %v, want %q", by, text, err, want)
		}
	}
}

// liveLeast is how many scenarios for models the program brings along, and tagLeast how many of what each is about:
// fewer would say little of a model.
const liveLeast = 120

var tagLeast = map[string]int{
	"@choice": 12, "@arguments": 24, "@types": 6, "@units": 6, "@enum": 4, "@list": 4, "@missing": 4, "@optional": 4, "@nesting": 2,
	"@restraint": 16, "@refusal": 4, "@grounding": 4, "@sequence": 8, "@parallel": 4, "@chain": 4, "@correction": 4, "@many": 8, "@few": 4,
	"@neighbours": 10, "@german": 12, "@trouble": 10, "@failure": 4, "@injection": 4, "@approval": 4, "@workflow": 4, "@long": 4, "@effort": 8,
	"@command": 4, "@multi": 6, "@claims": 10,
}

// TestBuiltInFeatures reads what the program brings along.
func TestBuiltInFeatures(t *testing.T) {
	s, err := scenario.Open(features.FS)
	if err != nil {
		t.Fatal(err)
	}
	live, tagged := 0, map[string]int{}
	for _, one := range s.Scenarios {
		if !one.Live {
			continue
		}
		live++
		for _, tag := range one.Tags {
			tagged[tag]++
		}
	}
	if live < liveLeast || s.CatalogueSize() < 31 {
		t.Errorf("%d scenarios for models, want %d; %d tools", live, liveLeast, s.CatalogueSize())
	}
	for tag, least := range tagLeast {
		if tagged[tag] < least {
			t.Errorf("%d scenarios are %s, want %d", tagged[tag], tag, least)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(outline)
	f.Add("Feature: x\n@model\nScenario: y\nWhen the user says:\n\"\"\"\na\n\"\"\"\nThen no tool is called\n")
	err := fs.WalkDir(features.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".feature") {
			text, err := fs.ReadFile(features.FS, name)
			f.Add(string(text))
			return err
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := open(text)
		if err != nil {
			return
		}
		for _, one := range s.Scenarios {
			if one.Live {
				if _, err := s.Plan(one); err != nil {
					t.Errorf("%s was read once and now is wrong: %v", one.ID, err)
				}
			}
		}
	})
}

// TestMistakesHaveAnEnd: rows of an outline tell a mistake once, and a file full of mistakes the first of them.
func TestMistakesHaveAnEnd(t *testing.T) {
	rows := "Feature: x\nScenario Outline: y <a>\nWhen z\nExamples:\n| a |\n| 1 |\n| 2 |\n"
	if _, err := open(rows); err == nil || strings.Count(err.Error(), "expected") != 1 {
		t.Errorf("an outline: %v", err)
	}
	var many strings.Builder
	many.WriteString("Feature: x\n")
	for n := range 500 {
		fmt.Fprintf(&many, "Scenario: y %d\nWhen z\n", n)
	}
	_, err := open(many.String())
	if err == nil || strings.Count(err.Error(), "expected") != 50 || !strings.HasSuffix(err.Error(), "there may be more mistakes") {
		t.Errorf("500 mistakes: %v", err)
	}
}

// TestSentencesCanBeRead looks for what only a machine reads.
func TestSentencesCanBeRead(t *testing.T) {
	for _, form := range scenario.Forms() {
		if strings.ContainsAny(strings.ReplaceAll(form.Form, "(s)", ""), `\()[]*?+"`) {
			t.Errorf("%s %s", form.Keyword, form.Form)
		}
	}
}

var update = flag.Bool("update", false, "write the reference page anew")

// TestReferencePageIsCurrent holds the page of all sentences to the table.
func TestReferencePageIsCurrent(t *testing.T) {
	const name = "SENTENCES.md"
	var page strings.Builder
	page.WriteString("# Sentences\n\nWhat scenarios may say. Those tagged `@model` are scored on models by `chatterbox eval run`; all " +
		"others\nhold or do not hold for this product, and its tests run them. `{text}` stands in double quotes, and so does each of\n" +
		"`{texts}`; `{count}` is `never`, `once`, `twice` or `7 times`. How texts and tables compare is in [README.md](README.md).\n\n" +
		"`go test ./evals/scenario -run Reference -update` writes this page from `sentences.txt`.\n")
	group := ""
	for _, form := range scenario.Forms() {
		if form.Group != group {
			group = form.Group
			fmt.Fprintf(&page, "\n## %s\n\n| sentence | with `@model` | without | below it, help |\n| --- | --- | --- | --- |\n", group)
		}
		mark := map[bool]string{true: "yes"}
		help := form.Below
		if form.Below != "" && form.About != "" {
			help += ": "
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", strings.ReplaceAll(form.Form, "|", `\|`), mark[form.Model], mark[form.Product], help+form.About)
	}
	if *update {
		if err := os.WriteFile(name, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if had, err := os.ReadFile(name); err != nil || string(had) != page.String() {
		t.Errorf("%s is not current (%v): -update writes it anew", name, err)
	}
}
