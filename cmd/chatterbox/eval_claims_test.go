package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What stands around the table of claims in the README.
const (
	claimsBegin = "<!-- chatterbox eval run --suite claims -->\n"
	claimsEnd   = "<!-- end -->"
)

// TestTheReadmeShowsTheClaims runs the suite that the README's table is from. Where the table is no longer what comes out,
// the output belongs between the marks.
func TestTheReadmeShowsTheClaims(t *testing.T) {
	takesLong(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(readme), claimsBegin)
	shown, _, ends := strings.Cut(rest, claimsEnd)
	if !begins || !ends {
		t.Fatalf("the README has no place for the table: %q to %q", claimsBegin, claimsEnd)
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	command := exec.CommandContext(t.Context(), executable, "eval", "run", "--suite", "claims", "--log", filepath.Join(folder, "claims.jsonl"))
	command.Env = []string{envAsProgram + "=1", "HOME=" + folder, "CHATTERBOX_DATA=" + folder, "GORACE=atexit_sleep_ms=0"}
	var problems strings.Builder
	command.Stderr = &problems
	table, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	if strings.TrimSpace(shown) != strings.TrimSpace(string(table)) {
		t.Errorf("the README shows\n%s\nand what comes out is\n%s", shown, table)
	}
}
