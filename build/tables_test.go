package build

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

func table(text string) map[string][]string {
	lines := map[string][]string{}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 {
			lines[fields[0]] = fields[1:]
		}
	}
	return lines
}

// lineOf gives the line of the longest entry that covers folder.
func lineOf(lines map[string][]string, folder string) ([]string, bool) {
	if line, ok := lines[folder]; ok {
		return line, true
	}
	for _, entry := range slices.SortedFunc(maps.Keys(lines), func(a, b string) int { return len(b) - len(a) }) {
		if matches([]string{entry}, folder) {
			return lines[entry], true
		}
	}
	return nil, false
}

func matches(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if parent, ok := strings.CutSuffix(pattern, "/..."); ok {
			return folder == parent || strings.HasPrefix(folder, parent+"/")
		}
		return path.Clean(pattern) == folder
	})
}

// ignored says whether .gitignore names the entry: what a build leaves behind is not part of the tree.
func ignored(t *testing.T, files fs.FS, name string) bool {
	t.Helper()
	text, err := fs.ReadFile(files, ".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if ok, _ := path.Match(pattern, name); ok && pattern != "" {
			return true
		}
	}
	return false
}
