package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
)

// TestPersonIsAskedForAGrant is a person at a terminal who installs a tool that wants something: only a yes gives it.
func TestPersonIsAskedForAGrant(t *testing.T) {
	module, err := os.ReadFile("../../tools-wasm/testkit/modules/asks.wasm")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	folder := filepath.Join(data, "keeper")
	write(t, filepath.Join(folder, "keeper.wasm"), string(module))
	write(t, filepath.Join(folder, "keeper.tool.json"), `{"name":"keeper","description":"Keeps a word.","kv":{"quota":5000}}`)
	installed, granted := filepath.Join(data, "data/tools/keeper.wasm"), filepath.Join(data, "data/grants/keeper.json")
	there := func(file string) bool { _, err := os.Stat(file); return err == nil }

	const question = "  - It may keep up to 5000 bytes between calls, in all conversations alike.\r\n" +
		"  - It runs without asking you.\r\nAllow this? [y/N] "
	for name, answer := range map[string]string{
		"no": "n", "an empty line": "", "another word": "yes please", "the end of the input": ctrlD,
	} {
		t.Run(name, func(t *testing.T) {
			s := startAtTerminal(t, data, nil, "tool", "install", folder)
			s.sees("keeper asks for this:\r\n"+question, "what it asks for")
			if there(installed) || there(granted) {
				t.Error("something is in place before the answer")
			}
			if s.types(answer); answer != ctrlD {
				s.types(enter)
			}
			s.sees("not allowed; nothing was changed", "that nothing happened")
			s.ends(cli.ExitFailed)
			if there(installed) || there(granted) {
				t.Error("it is installed all the same")
			}
		})
	}

	s := startAtTerminal(t, data, nil, "tool", "install", folder)
	s.sees(question, "the question")
	s.types("Y" + enter)
	s.sees("installed keeper", "that it is installed")
	s.ends(cli.ExitOK)
	if !there(installed) || !there(granted) {
		t.Error("it is not in place")
	}

	// A tool that says something else of itself waits for another yes.
	changed := filepath.Join(data, "data/tools/keeper.tool.json")
	write(t, changed, `{"name":"keeper","description":"Keeps two words.","kv":{"quota":5000}}`)
	before, err := os.ReadFile(granted)
	if err != nil {
		t.Fatal(err)
	}
	for answer, code := range map[string]int{"no": cli.ExitFailed, "yes": cli.ExitOK} {
		s := startAtTerminal(t, data, nil, "tool", "grant", "keeper")
		s.sees(question, "the question")
		s.types(answer + enter)
		s.sees("\n", "the end of the line")
		s.ends(code)
	}
	if after, err := os.ReadFile(granted); err != nil || string(after) == string(before) || !strings.Contains(string(after), `"keeper"`) {
		t.Errorf("the grant is %s, %v", after, err)
	}
}
