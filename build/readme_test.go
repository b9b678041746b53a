package build

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var tableRow = regexp.MustCompile("(?m)^\\| `([a-z-]+)/` \\|")

// TestTablesOfFolders compares the table in a README with the folders beside it.
func TestTablesOfFolders(t *testing.T) {
	for _, folder := range []string{"../runtime", "../evals"} {
		text, err := os.ReadFile(filepath.Join(folder, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		var listed, there []string
		for _, row := range tableRow.FindAllSubmatch(text, -1) {
			listed = append(listed, string(row[1]))
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() {
				there = append(there, entry.Name())
			}
		}
		slices.Sort(listed)
		if !slices.Equal(listed, there) {
			t.Errorf("%s/README.md lists %q, and there is %q", folder, listed, there)
		}
	}
}
