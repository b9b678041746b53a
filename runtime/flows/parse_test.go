package flows

import (
	"os"
	"path/filepath"
	"testing"

	"chatterbox/loop/route"
)

func FuzzParse(f *testing.F) {
	for _, name := range []string{"en.yaml", "de.yaml"} {
		text, err := os.ReadFile(filepath.Join("builtin", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("language: en\ndefine: {a: b}\ncommands: [{name: n, tool: t, patterns: ['{a}'], reply: r, arguments: {x: {value: [1]}}}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		sources, err := parse(file{name: "x.yaml", text: text})
		if err != nil {
			return
		}
		rules, err := compile(sources, nil)
		if err != nil {
			return
		}
		route.Decide(rules, route.Input{Text: "b", Language: "en", Tools: []string{"t", "get_current_datetime"}})
	})
}
