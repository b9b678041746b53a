package looptest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An Answer is one line of a corpus of answers to what waits for a yes.
type Answer struct {
	Place    string // file:line
	Language string
	Waits    string            // what it is an answer to
	Text     string            // what the person says
	Want     string            // the first word of what must happen
	Changes  map[string]string // the values that must have changed, by field
}

// Answers reads the corpora of a folder: lines of "language | what waits | answer | what happens [field=value ...]".
// A _ in a value is a space.
func Answers(t testing.TB, dir string) []Answer {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, files, err)
	}
	var all []Answer
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			place := filepath.Base(file) + ":" + strconv.Itoa(number)
			parts := strings.Split(line, "|")
			if len(parts) != 4 {
				t.Fatalf("%s has %d parts", place, len(parts))
			}
			want := strings.Fields(parts[3])
			if len(want) == 0 {
				t.Fatalf("%s says not what must happen", place)
			}
			answer := Answer{Place: place, Language: strings.TrimSpace(parts[0]), Waits: strings.TrimSpace(parts[1]),
				Text: strings.TrimSpace(parts[2]), Want: want[0], Changes: map[string]string{}}
			for _, change := range want[1:] {
				name, value, _ := strings.Cut(change, "=")
				answer.Changes[name] = strings.ReplaceAll(value, "_", " ")
			}
			all = append(all, answer)
		}
	}
	return all
}
