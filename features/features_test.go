package features_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"chatterbox/features"
)

// operations is the only folder that may speak the language of programs.
const operations = "operations/"

// forProgramsOnly is what a person who reads a feature should not meet: addresses, JSON and HTTP statuses.
var forProgramsOnly = map[string]*regexp.Regexp{
	"an address":     regexp.MustCompile(`https?://|localhost|127\.0\.0\.1|/v1/`),
	"an HTTP method": regexp.MustCompile(`\b(GET|POST|PUT|DELETE|PATCH) /`),
	"a status code":  regexp.MustCompile(`\bstatus \d{3}\b`),
}

func TestFeaturesSpeakTheLanguageOfPeople(t *testing.T) {
	eachLine(t, func(file string, number int, line string) {
		if strings.HasPrefix(file, operations) {
			return
		}
		for what, pattern := range forProgramsOnly {
			if pattern.MatchString(line) {
				t.Errorf("%s:%d: %s: %s", file, number, what, strings.TrimSpace(line))
			}
		}
	})
}

// TestNamesAreUnique guards the names of features, and of the scenarios written out: results are told apart by them.
func TestNamesAreUnique(t *testing.T) {
	name := regexp.MustCompile(`^\s*(Feature|Scenario|Scenario Outline): *(.*)$`)
	seen := map[string]string{}
	scenarios := 0
	eachLine(t, func(file string, number int, line string) {
		match := name.FindStringSubmatch(line)
		if match == nil {
			return
		}
		kind, title := match[1], match[2]
		if kind != "Feature" {
			kind = "Scenario"
			scenarios++
		}
		if title == "" {
			t.Errorf("%s:%d: a %s without a name", file, number, kind)
		}
		if other, ok := seen[kind+title]; ok {
			t.Errorf("%s:%d: %s %q is also in %s", file, number, kind, title, other)
		}
		seen[kind+title] = file
	})
	if scenarios == 0 {
		t.Error("no scenario is embedded")
	}
}

func eachLine(t *testing.T, visit func(file string, number int, line string)) {
	t.Helper()
	err := fs.WalkDir(features.FS, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(features.FS, file)
		if err != nil {
			return err
		}
		number := 0
		for line := range strings.Lines(string(content)) {
			number++
			visit(file, number, strings.TrimRight(line, "\r\n"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
