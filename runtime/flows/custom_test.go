package flows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop/route"
	"chatterbox/runtime/flows"
)

// mine is a file of a person's English sentences in the folder of the rules.
const mine = "sentences/en/mine.yaml"

func TestPeoplesOwnSentences(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(manual), "## People's own sentences\n\n```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	rules, err := flows.Load(flows.Options{Dir: folder(t, map[string]string{mine: example})})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"please water the roses for 5 minutes":             `{"bed":"roses","minutes":5}`,
		"Water my tomato bed for twenty minutes.":          `{"bed":"tomatoes","minutes":20}`,
		"water the roses":                                  `{"bed":"roses","minutes":10}`,
		"water the roses for 90 minutes":                   "",
		"don't water the roses":                            "",
		"water the tulips":                                 "",
		"what time is it in Tokyo":                         `{"timezone":"Asia/Tokyo"}`,
		"if it does not rain water the roses":              "",
		"they asked whether to water the roses for an age": "",
	} {
		input := route.Input{Text: text, Language: "en-GB", Tools: []string{"water", "get_current_datetime"}}
		got := route.Decide(rules, input)
		if want == "" && got.Command != nil || want != "" && (got.Command == nil || string(got.Command.Arguments) != want) {
			t.Errorf("%q: %+v %s", text, got, got.Reason)
		}
	}
	german := route.Decide(rules, route.Input{Text: "water the roses", Language: "de", Tools: []string{"water"}})
	if german.Command != nil {
		t.Errorf("an English sentence is a command of a German: %+v", german)
	}
	watered := route.Decide(rules, route.Input{Text: "water the roses", Language: "en", Tools: []string{"water"}})
	if answer, err := watered.Command.Answer([]byte(`{"minutes":10}`)); err != nil || answer != "The roses get water for 10 minutes." {
		t.Errorf("%q, %v", answer, err)
	}
	if restored := rules.Restore(watered.Command.Save()); restored == nil || restored.Tool != "water" {
		t.Errorf("a command that waits for a yes is lost: %+v", restored)
	}
}

func TestMistakesInPeoplesOwnSentences(t *testing.T) {
	const block = "intents:\n  Water:\n    data:\n      - sentences: [\"water {bed}\"]\n"
	tests := map[string]struct{ text, want string }{
		"no tool":            {block + "lists: {bed: {wildcard: true}}\n", "mine.yaml: Water: no tool is named: write tool:"},
		"no list":            {block + "        tool: water\n        reply: Done.\n", `"water {bed}": there is no list {bed}`},
		"an unknown key":     {block + "        tol: water\n", `mine.yaml: unknown field "tol"`},
		"a bad template":     {strings.Replace(block, "water {bed}", "water (the", 1) + "        tool: w\n        reply: x\n", "this is not closed"},
		"a slot that is not": {block + "        tool: w\n        reply: x\n        arguments: {a: {slot: bed, resolver: planet}}\nlists: {bed: {wildcard: true}}\n", `no resolver named "planet"`},
		"nothing to say":     {block + "        tool: w\nlists: {bed: {wildcard: true}}\n", "reply: is missing"},
		"no YAML":            {"intents: [\n", "mine.yaml:1:"},
		"too many": {"intents:\n  Water:\n    data:\n      - tool: w\n        reply: x\n        sentences: [" + strings.Repeat("a,", 5001) + "]\n",
			"there are 5001 sentences in en, more than 5000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := flows.Load(flows.Options{Dir: folder(t, map[string]string{mine: test.text})})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestSentencesAreReadWhenTheirFileChanges(t *testing.T) {
	dir := folder(t, map[string]string{mine: waterNothing})
	synctest.Test(t, func(t *testing.T) {
		d, err := flows.Open(dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		input := route.Input{Text: "water the roses", Language: "en", Tools: []string{"water"}}
		if got := route.Decide(d.Rules(), input); got.Command != nil {
			t.Fatalf("at first: %+v", got)
		}
		file := filepath.Join(dir, "sentences", "en", "more.yaml")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(waterNothing, "nothing", "the roses")), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(flows.LookEvery)
		if got := route.Decide(d.Rules(), input); got.Command == nil {
			t.Errorf("after the file came: %+v", got)
		}
	})
}

const waterNothing = "intents:\n  Water:\n    data:\n      - {sentences: [water nothing], tool: water, reply: Done.}\n"
