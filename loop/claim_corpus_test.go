package loop_test

import (
	"os"
	"strings"
	"testing"
)

// saying is one line of testdata/claims.
type saying struct {
	calls, user string
	answer      string // without the brackets
	kept        string // what of it is to be spoken
	line        string
}

// readSayings reads a file of testdata/claims.
func readSayings(t *testing.T, name string) []saying {
	t.Helper()
	data, err := os.ReadFile("testdata/claims/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var sayings []saying
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		fields := strings.SplitN(line, " | ", 3)
		if len(fields) != 3 || !strings.Contains(" none read acted failed ", " "+fields[0]+" ") {
			t.Fatalf("%s: %q is not: calls | what the person said | the answer", name, line)
		}
		before, rest, claims := strings.Cut(fields[2], "[")
		claim, after, closed := strings.Cut(rest, "]")
		if claims != strings.HasPrefix(name, "false") || claims != closed {
			t.Fatalf("%s: %q has a claim in brackets where none belongs, or none where one does", name, line)
		}
		sayings = append(sayings, saying{
			calls: fields[0], user: fields[1], answer: before + claim + after,
			kept: strings.TrimSpace(before) + strings.TrimSpace(after), line: line,
		})
	}
	return sayings
}

// TestClaimCorpus holds the corpus to its size.
func TestClaimCorpus(t *testing.T) {
	for _, kind := range []string{"true", "false"} {
		seen := map[string]bool{}
		for _, language := range []string{"en", "de"} {
			for _, part := range []string{"tuned", "heldout"} {
				for _, saying := range readSayings(t, kind+"_"+language+"_"+part) {
					seen[saying.line] = true
				}
			}
		}
		if len(seen) < 200 {
			t.Errorf("%d different %s claims, want at least 200", len(seen), kind)
		}
	}
}
