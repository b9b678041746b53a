// Package build holds the shape of the tree: which folder may import which, and which folder owns which library.
package build

import (
	"bufio"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says what each folder may import of ours, in files that are not tests. A trailing /... stands for the folder
// and all below it, on both sides; the longest matching line of a folder is its line.
const arrows = `
cmd/chatterbox               everything
loop                         loop/toolcall
loop/toolcall
loop/route                   loop/toolcall
loop/workflow                loop/toolcall
loop/looptest                loop loop/toolcall
runtime/config
runtime/egress
runtime/wasm
runtime/extract
runtime/agenda
runtime/worker               runtime/wasm
runtime/toolbox              loop runtime/worker runtime/egress
runtime/toolcache            loop
runtime/provider             loop runtime/provider/openai
runtime/provider/openai      loop
runtime/flows                loop/workflow loop/route runtime/extract
runtime/conversation         loop loop/workflow loop/route
runtime/history              runtime/conversation loop
runtime/history/historytest  runtime/conversation loop
runtime/server               runtime/conversation loop
tools-wasm
features
evals/...                    evals/... features
build
build/guests                 tools-wasm
`

// testArrows is what test files of any folder may import beside their folder's own line.
const testArrows = `loop/looptest runtime/history/historytest evals/mockllm tools-wasm`

// owners says which folders import a library. In test files every folder may import what line "tests" lists.
const owners = `
github.com/valyala/fasthttp          runtime/server
github.com/tetratelabs/wazero        runtime/wasm
github.com/dgraph-io/ristretto/v2    runtime/toolcache
github.com/sashabaranov/go-openai    runtime/provider/openai
github.com/cucumber/godog            evals/steps
modernc.org/sqlite                   runtime/history
github.com/google/jsonschema-go      runtime/toolbox
github.com/goccy/go-yaml             runtime/config runtime/flows
github.com/failsafe-go/failsafe-go   runtime/provider
golang.org/x/time                    runtime/provider
github.com/spf13/cobra               cmd/chatterbox
github.com/spf13/pflag               cmd/chatterbox
golang.org/x/term                    cmd/chatterbox
golang.org/x/sys                     runtime/server cmd/chatterbox
golang.org/x/crypto                  cmd/chatterbox
github.com/rogpeppe/go-internal      tests
pgregory.net/rapid                   tests
go.uber.org/goleak                   tests
github.com/Shopify/toxiproxy/v2      tests
github.com/ncruces/go-sqlite3        tests
`

// floor may import the libraries themselves: it is the program that says what they cost without us.
const floor = "evals/perf/floor"

const module = "chatterbox"

// TestArrows reads every Go file of the tree and fails on an import that no line allows. It parses the files itself: what
// a child process reads is not seen by Go's test cache.
func TestArrows(t *testing.T) {
	allowed, owned := table(arrows), table(owners)
	tests := strings.Fields(testArrows)
	seen := 0
	walkGo(t, func(file, folder string) {
		seen++
		line, ok := lineOf(allowed, folder)
		if !ok {
			t.Errorf("%s: folder %s has no line in the table of arrows", file, folder)
			return
		}
		isTest := strings.HasSuffix(file, "_test.go") || folder == "runtime/history/historytest"
		for _, imported := range importsOf(t, file) {
			switch {
			case imported == module || strings.HasPrefix(imported, module+"/"):
				target := strings.TrimPrefix(imported, module+"/")
				if target == folder || slices.Contains(line, "everything") || matches(line, target) ||
					isTest && matches(tests, target) {
					continue
				}
				t.Errorf("%s: %s may not import %s", file, folder, target)
			case strings.Contains(strings.Split(imported, "/")[0], "."):
				checkOwner(t, owned, file, folder, imported, isTest)
			}
		}
	})
	if seen < 20 {
		t.Errorf("read %d Go files: the walk does not see the tree", seen)
	}
}

func checkOwner(t *testing.T, owned map[string][]string, file, folder, imported string, isTest bool) {
	t.Helper()
	if folder == floor {
		return
	}
	for library, folders := range owned {
		if imported != library && !strings.HasPrefix(imported, library+"/") {
			continue
		}
		if slices.Contains(folders, folder) || isTest && slices.Contains(folders, "tests") {
			return
		}
		// A test may use the library that its neighbours own, as the peer to measure against.
		if isTest && slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(folder, f) }) {
			return
		}
		t.Errorf("%s: %s is owned by %s", file, library, strings.Join(folders, ", "))
		return
	}
	t.Errorf("%s: %s has no owner in the table", file, imported)
}

// TestEveryFolderHasALine fails on a top-level entry, or a folder with Go files or a README of its own, that the shape
// does not know.
func TestEveryFolderHasALine(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields("cmd runtime tools-wasm evals features loop build go.mod go.sum Taskfile.yml README.md LICENSE")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !slices.Contains(known, entry.Name()) && !ignored(t, entry.Name()) {
			t.Errorf("%s does not belong at the top level", entry.Name())
		}
	}
	folders := map[string]bool{}
	walkGo(t, func(_, folder string) { folders[folder] = true })
	for folder := range folders {
		if _, err := os.Stat(filepath.Join("..", folder, "README.md")); err != nil {
			t.Errorf("%s has no README.md", folder)
		}
	}
	if matches, _ := filepath.Glob("../runtime/*.go"); len(matches) > 0 {
		t.Errorf("runtime holds Go files %v: `import \"runtime\"` must keep its meaning", matches)
	}
}

// TestFilesAndFunctionsStaySmall holds the sizes: 400 lines a file, 70 a function.
func TestFilesAndFunctionsStaySmall(t *testing.T) {
	walkGo(t, func(file, _ string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, problem := range sizeProblems(t, file) {
			t.Error(problem)
		}
	})
}

func sizeProblems(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var problems []string
	lines, started := 0, 0
	name := ""
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines++
		switch text := scanner.Text(); {
		case strings.HasPrefix(text, "func "):
			started, name = lines, text
		case text == "}" && started > 0:
			if n := lines - started + 1; n > 70 {
				problems = append(problems, fmt.Sprintf("%s:%d: function of %d lines: %s", file, started, n, name))
			}
			started = 0
		}
	}
	if lines > 400 {
		problems = append(problems, fmt.Sprintf("%s: file of %d lines", file, lines))
	}
	return problems
}

func walkGo(t *testing.T, visit func(file, folder string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if file != ".." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		folder, _ := filepath.Rel("..", filepath.Dir(file))
		if strings.HasPrefix(filepath.ToSlash(folder), "tools-wasm/") {
			return nil // guests: compiled for another machine, they share ABI.md and the vectors only
		}
		visit(file, filepath.ToSlash(folder))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range parsed.Imports {
		unquoted, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, unquoted)
	}
	return imports
}

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
func ignored(t *testing.T, name string) bool {
	t.Helper()
	text, err := os.ReadFile("../.gitignore")
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
