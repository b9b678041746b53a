package eval

import (
	"bytes"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/report"
)

// TestColoursAreForTerminals prints a table with and without a screen: on the screen itself there are constants only.
func TestColoursAreForTerminals(t *testing.T) {
	mean := .3
	table := summaryTable(report.Summary{Subjects: map[string]*report.Subject{
		"m\x1b[2Jx/loop": {Trials: 2, Passed: 1, Errors: 1, Success: report.Success{Mean: &mean}, Classes: map[string]int{"no_call": 1}},
	}})
	var plain, text, screen bytes.Buffer
	if err := printTable(&plain, nil, table); err != nil {
		t.Fatal(err)
	}
	if err := printTable(&text, &screen, table); err != nil {
		t.Fatal(err)
	}
	if plain.String() != text.String() {
		t.Errorf("with colours the text is\n%s, without\n%s", text.String(), plain.String())
	}
	rest := screen.String()
	for _, colour := range []string{cli.Bold, cli.Dim, cli.Red, cli.Green, cli.Yellow, cli.Plain} {
		rest = strings.ReplaceAll(rest, colour, "")
	}
	if rest != "" || !strings.Contains(screen.String(), cli.Red) || !strings.Contains(screen.String(), cli.Yellow) {
		t.Errorf("on the screen: %q", screen.String())
	}
	lines := strings.Split(strings.TrimSpace(plain.String()), "\n")
	if len(lines) != 2 || strings.Index(lines[0], "success") != len([]rune(lines[1][:strings.Index(lines[1], "30.0 %")])) {
		t.Errorf("the columns are not one below the other:\n%s", plain.String())
	}
}

// TestWideTablesAreFolded cuts a table where the terminal ends.
func TestWideTablesAreFolded(t *testing.T) {
	table := [][]cellText{header("subject", "one", "two", "three", "a column that is wider than all"), header("m", "1", "2", "3", "4")}
	for width, want := range map[int]string{
		0:  "subject one two three a column that is wider than all",
		80: "subject one two three a column that is wider than all",
		17: "subject one two; subject three; subject a column that is wider than all",
		16: "subject one; subject two; subject three; subject a column that is wider than all",
		1:  "subject one; subject two; subject three; subject a column that is wider than all",
	} {
		var parts []string
		for _, part := range fold(table, width) {
			var names []string
			for _, c := range part[0] {
				names = append(names, c.text)
			}
			if len(part) != 2 || part[1][0].text != "m" {
				t.Errorf("width %d: %v", width, part)
			}
			parts = append(parts, strings.Join(names, " "))
		}
		if got := strings.Join(parts, "; "); got != want {
			t.Errorf("width %d: %s, want %s", width, got, want)
		}
	}
}
