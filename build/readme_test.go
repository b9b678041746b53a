package build

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	tableRow = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// TestTablesOfFolders compares the table in a README with what lies beside it: folders, and for commands files, too.
func TestTablesOfFolders(t *testing.T) {
	for _, folder := range []string{"../runtime", "../evals"} {
		compareTable(t, folder, func(entry os.DirEntry) bool { return entry.IsDir() })
	}
	commands, err := filepath.Glob("../cmd/chatterbox/*/README.md")
	if err != nil || len(commands) == 0 {
		t.Fatalf("%d families of commands: %v", len(commands), err)
	}
	for _, readme := range append(commands, "../cmd/chatterbox/README.md") {
		compareTable(t, filepath.Dir(readme), func(entry os.DirEntry) bool {
			return entry.IsDir() || strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go")
		})
	}
}

func compareTable(t *testing.T, folder string, counts func(os.DirEntry) bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed, there []string
	for _, row := range tableRow.FindAllSubmatch(text, -1) {
		for _, name := range quoted.FindAllSubmatch(row[1], -1) {
			listed = append(listed, string(name[1]))
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() {
			name += "/"
		}
		if counts(entry) {
			there = append(there, name)
		}
	}
	slices.Sort(listed)
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("%s/README.md lists %q, and there is %q", folder, listed, there)
	}
}
