package main

import (
	"os"
	"strings"
	"testing"
)

// TestEveryCommandOfTheToolsReadmeIsRun holds the README of tools-wasm to the script that runs its commands.
func TestEveryCommandOfTheToolsReadmeIsRun(t *testing.T) {
	readme, err := os.ReadFile("../../tools-wasm/README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/tool_author.txtar")
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{}
	for line := range strings.Lines(string(script)) {
		run[strings.TrimPrefix(strings.TrimSpace(line), "exec ")] = true
	}
	commands := 0
	for line := range strings.Lines(string(readme)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		commands++
		if !run[command] {
			t.Errorf("no script runs %q", command)
		}
	}
	if commands < 7 {
		t.Errorf("the README has %d commands", commands)
	}
}
