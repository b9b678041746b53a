package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTheCommandOfAWorkerIsSplitAsByAShell(t *testing.T) {
	for line, want := range map[string][]string{
		"":                            nil,
		" \t":                         nil,
		"qemu /opt/chatterbox worker": {"qemu", "/opt/chatterbox", "worker"},
		`"/opt/my tools/box"  worker`: {"/opt/my tools/box", "worker"},
		`'/opt/a "b" \c' worker`:      {`/opt/a "b" \c`, "worker"},
		`/opt/my\ tools/box wor"k"er`: {"/opt/my tools/box", "worker"},
		`a "" '' b`:                   {"a", "", "", "b"},
		`"a\"b" "a\nb" "a\\"`:         {`a"b`, `a\nb`, `a\`},
		"/söme/where\tworker\r\n":     {"/söme/where", "worker"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q (%v)", line, got, want, err)
		}
	}
	for line, want := range map[string]string{`a "b`: "not closed", `a 'b"`: "not closed", `a \`: "backslash"} {
		if _, err := splitWords(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if command, err := workerCommand(""); err != nil || len(command) != 2 || command[1] != "worker" {
		t.Errorf("by default %q, %v", command, err)
	}
	if _, err := workerCommand(`"`); err == nil {
		t.Error("an open quote is accepted")
	}
}
