// Package build holds the shape of the tree: which folder may import which, and which folder owns which library.
package build

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// arrows says what each folder may import of ours, in files that are not tests. A trailing /... stands for the folder
// and all below it, on both sides; the longest matching line of a folder is its line.
const arrows = `
cmd/chatterbox               everything
cmd/chatterbox/...           everything
loop                         loop/toolcall
loop/sentence
loop/toolcall
loop/route                   loop/toolcall
loop/workflow                loop/toolcall
loop/looptest                loop loop/toolcall
runtime/config               runtime/internal/...
runtime/internal/...
runtime/egress               runtime/internal/...
runtime/wasm                 runtime/internal/...
runtime/extract              runtime/internal/...
runtime/agenda               runtime/internal/...
runtime/deliver              runtime/internal/...
runtime/registry
runtime/registry/registrytest
runtime/worker               runtime/wasm runtime/internal/...
runtime/toolbox              loop runtime/worker runtime/egress runtime/internal/...
runtime/toolcache            loop
runtime/provider             loop runtime/provider/openai
runtime/provider/openai      loop runtime/internal/...
runtime/flows                loop/workflow loop/route loop/sentence runtime/extract runtime/internal/...
runtime/conversation         loop loop/workflow loop/route runtime/internal/...
runtime/history              runtime/conversation loop runtime/internal/...
runtime/history/historytest  runtime/conversation loop
runtime/server               runtime/conversation loop runtime/internal/...
tools-wasm
tools-wasm/...
features
evals/...                    evals/... features
build
build/guests                 tools-wasm
`

// testArrows is what test files of any folder may import beside their folder's own line.
const testArrows = `loop/looptest runtime/history/historytest evals/mockllm tools-wasm tools-wasm/testkit/hostile runtime/registry/registrytest`

// owners says which folders import a library. What "tests" owns, test files of every folder may import.
const owners = `
github.com/valyala/fasthttp          runtime/server
github.com/tetratelabs/wazero        runtime/wasm
github.com/dgraph-io/ristretto/v2    runtime/toolcache
github.com/sashabaranov/go-openai    runtime/provider/openai
github.com/segmentio/encoding        runtime/provider/openai
github.com/cucumber/godog            evals/steps
github.com/cucumber/gherkin          evals/scenario
github.com/cucumber/messages         evals/scenario
modernc.org/sqlite                   runtime/history
github.com/google/jsonschema-go      runtime/toolbox
github.com/goccy/go-yaml             runtime/config runtime/flows
github.com/failsafe-go/failsafe-go   runtime/provider
oras.land/oras-go/v2                 runtime/registry
github.com/emersion/go-webdav        runtime/agenda tests
github.com/emersion/go-ical          runtime/agenda tests
github.com/teambition/rrule-go       runtime/agenda
github.com/opencontainers/image-spec runtime/registry
github.com/opencontainers/go-digest  runtime/registry
github.com/spf13/cobra               cmd/chatterbox cmd/chatterbox/cli cmd/chatterbox/doctor cmd/chatterbox/eval cmd/chatterbox/service cmd/chatterbox/tool cmd/chatterbox/workflow
golang.org/x/term                    cmd/chatterbox cmd/chatterbox/cli
golang.org/x/sys                     runtime/server runtime/wasm runtime/worker cmd/chatterbox
golang.org/x/crypto                  cmd/chatterbox
github.com/extism/go-sdk              tests
github.com/modelcontextprotocol/go-sdk tools-wasm/testkit/mcpserver
github.com/rogpeppe/go-internal      tests tools-wasm/testkit/hostile
pgregory.net/rapid                   tests
go.uber.org/goleak                   tests
github.com/ncruces/go-sqlite3        tests
`

// floor may import the libraries themselves: it is the program that says what they cost without us.
const floor = "evals/perf/floor"

const (
	module = "chatterbox"

	linesMax         = 400 // of a file
	functionLinesMax = 70  // but for tests, whose tables may be long
)

// topLevel is all that stands beside the dotfolders, but for what .gitignore names.
const topLevel = `cmd runtime tools-wasm evals features loop build go.mod go.sum Taskfile.yml README.md LICENSE`

// sources are the endings of files that somebody writes and that another person must be able to place.
const sources = `.go .c .h .zig .rs .ts`

// TestShape holds the tree to the tables. It parses the files itself: what a child process reads is not seen by Go's test
// cache.
func TestShape(t *testing.T) {
	tree := read(t, os.DirFS(".."))
	if len(tree.goFiles) < 200 {
		t.Errorf("read %d Go files: the walk does not see the tree", len(tree.goFiles))
	}
	for _, problem := range append(tree.problems(t), tree.unused(t)...) {
		t.Error(problem)
	}
}

// TestShapeCanFail breaks a small tree in each way that counts.
func TestShapeCanFail(t *testing.T) {
	good := map[string]string{
		"README.md": "", ".gitignore": "/bin/\n", "bin/x": "", "go.mod": "",
		"loop/README.md": "", "loop/loop.go": "package loop\n\nimport _ \"chatterbox/loop/toolcall\"\n",
		"loop/loop_test.go":       "package loop\n\nimport (\n\t_ \"chatterbox/loop/looptest\"\n\t_ \"pgregory.net/rapid\"\n)\n",
		"loop/toolcall/README.md": "", "loop/toolcall/names.go": "package toolcall\n\nimport _ \"strings\"\n",
		"evals/README.md": "", "evals/perf/floor/README.md": "", "evals/perf/floor/main.go": "package main\n\nimport _ \"github.com/tetratelabs/wazero/api\"\n",
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"nothing is wrong":                 {"loop/doc.go", "package loop\n", ""},
		"an arrow the wrong way":           {"loop/toolcall/x.go", "package toolcall\n\nimport _ \"chatterbox/loop\"\n", "may not import loop"},
		"an arrow of tests in other files": {"loop/x.go", "package loop\n\nimport _ \"chatterbox/loop/looptest\"\n", "may not import loop/looptest"},
		"a library that has another owner": {"loop/x.go", "package loop\n\nimport _ \"github.com/valyala/fasthttp\"\n", "is owned by runtime/server"},
		"a library of tests elsewhere":     {"loop/x.go", "package loop\n\nimport _ \"pgregory.net/rapid\"\n", "is owned by tests"},
		"a library without an owner":       {"loop/x.go", "package loop\n\nimport _ \"example.org/left-pad\"\n", "no owner"},
		"a folder without a line":          {"loop/helpers/x.go", "package helpers\n", "loop/helpers has no line"},
		"a Go file in runtime":             {"runtime/x.go", "package runtime\n", "runtime has no line"},
		"a guest that imports ours":        {"tools-wasm/get_time/main.go", "package main\n\nimport _ \"chatterbox/loop\"\n", "may not import loop"},
		"a folder without a README":        {"tools-wasm/get_time/main.c", "", "tools-wasm/get_time has no README.md"},
		"a file that has no place":         {"notes.txt", "", "notes.txt does not belong"},
		"a file that is too long":          {"loop/x.go", "package loop\n" + strings.Repeat("\n", linesMax), "file of 401 lines"},
		"a test file that is too long":     {"loop/x_test.go", "package loop\n" + strings.Repeat("\n", linesMax), "file of 401 lines"},
		"a function that is too long":      {"loop/x.go", "package loop\n\nfunc x() {\n" + strings.Repeat("\n", functionLinesMax-1) + "}\n", "function of 71 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{c.file: {Data: []byte(c.text)}}
			for file, text := range good {
				files[file] = &fstest.MapFile{Data: []byte(text)}
			}
			found := strings.Join(read(t, files).problems(t), "\n")
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

func TestUnusedOwnersAreFound(t *testing.T) {
	tree := fstest.MapFS{
		".gitignore":        {},
		"loop/loop_test.go": {Data: []byte("package loop\n\nimport _ \"pgregory.net/rapid\"\n")},
		"runtime/wasm/x.go": {Data: []byte("package wasm\n\nimport _ \"github.com/tetratelabs/wazero/api\"\n")},
	}
	found := read(t, tree).unused(t)
	for _, used := range []string{"tests does not import pgregory.net/rapid, which it owns", "runtime/wasm does not import github.com/tetratelabs/wazero, which it owns"} {
		if slices.Contains(found, used) {
			t.Errorf("%s: it does", used)
		}
	}
	if want := "runtime/wasm does not import golang.org/x/sys, which it owns"; !slices.Contains(found, want) {
		t.Errorf("%q lacks %q", found, want)
	}
}

// shape is what of a tree the tables are about.
type shape struct {
	files   fs.FS
	top     []string
	goFiles []string
	needs   map[string]bool // folders that need a README
}

func read(t *testing.T, files fs.FS) shape {
	t.Helper()
	s := shape{files: files, needs: map[string]bool{}}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		folder, name := path.Dir(file), entry.Name()
		if file != "." && (strings.HasPrefix(name, ".") || folder == "." && ignored(t, files, name)) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if folder == "." && file != "." {
			s.top = append(s.top, name)
		}
		if entry.IsDir() {
			if name == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if slices.Contains(strings.Fields(sources), path.Ext(name)) {
			s.needs[folder] = true
		}
		if top, _, below := strings.Cut(file, "/"); below {
			s.needs[top] = top != "cmd" // which holds one folder
		}
		if path.Ext(name) == ".go" {
			s.goFiles = append(s.goFiles, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s shape) problems(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range s.top {
		if !slices.Contains(strings.Fields(topLevel), name) {
			found = append(found, name+" does not belong at the top level")
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(s.needs)) {
		if _, err := fs.Stat(s.files, path.Join(folder, "README.md")); err != nil && s.needs[folder] {
			found = append(found, folder+" has no README.md")
		}
	}
	for _, file := range s.goFiles {
		text, err := fs.ReadFile(s.files, file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, importProblems(t, file, text)...)
		found = append(found, sizeProblems(file, text)...)
	}
	return found
}

// unused are the rights of the table of owners that nobody makes use of.
func (s shape) unused(t *testing.T) (found []string) {
	t.Helper()
	used := map[string]bool{} // library and folder, or library and tests
	for _, file := range s.goFiles {
		text, err := fs.ReadFile(s.files, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range importsOf(t, file, text) {
			library, _, _ := ownersOf(imported)
			used[library+" "+path.Dir(file)] = true
			if strings.HasSuffix(file, "_test.go") {
				used[library+" tests"] = true
			}
		}
	}
	for library, folders := range table(owners) {
		for _, folder := range folders {
			if !used[library+" "+folder] {
				found = append(found, fmt.Sprintf("%s does not import %s, which it owns", folder, library))
			}
		}
	}
	return found
}

func importProblems(t *testing.T, file string, text []byte) (found []string) {
	t.Helper()
	folder := path.Dir(file)
	line, ok := lineOf(table(arrows), folder)
	if !ok {
		return []string{fmt.Sprintf("%s: folder %s has no line in the table of arrows", file, folder)}
	}
	isTest := strings.HasSuffix(file, "_test.go") || folder == "runtime/history/historytest"
	for _, imported := range importsOf(t, file, text) {
		target, ours := strings.CutPrefix(imported, module+"/")
		first, _, _ := strings.Cut(imported, "/")
		switch {
		case ours && (target == folder || slices.Contains(line, "everything") || matches(line, target)),
			ours && isTest && matches(strings.Fields(testArrows), target):
		case ours:
			found = append(found, fmt.Sprintf("%s: %s may not import %s", file, folder, target))
		case strings.Contains(first, "."):
			found = append(found, ownerProblems(file, folder, imported, isTest)...)
		}
	}
	return found
}

func ownerProblems(file, folder, imported string, isTest bool) []string {
	library, folders, ok := ownersOf(imported)
	switch {
	case !ok:
		return []string{fmt.Sprintf("%s: %s has no owner in the table", file, imported)}
	case folder == floor, slices.Contains(folders, folder), isTest && slices.Contains(folders, "tests"):
		return nil
	}
	return []string{fmt.Sprintf("%s: %s is owned by %s", file, library, strings.Join(folders, ", "))}
}

// ownersOf finds the library that a path belongs to, and its owners.
func ownersOf(imported string) (library string, folders []string, ok bool) {
	for library, folders := range table(owners) {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library, folders, true
		}
	}
	return "", nil, false
}

func sizeProblems(file string, text []byte) (found []string) {
	lines, started := 0, 0
	name := ""
	for line := range strings.Lines(string(text)) {
		lines++
		switch line = strings.TrimRight(line, "\n"); {
		case strings.HasPrefix(line, "func ") && !strings.HasSuffix(line, "}"):
			started, name = lines, line
		case line == "}" && started > 0:
			if n := lines - started + 1; n > functionLinesMax && !strings.HasSuffix(file, "_test.go") {
				found = append(found, fmt.Sprintf("%s:%d: function of %d lines: %s", file, started, n, name))
			}
			started = 0
		}
	}
	if lines > linesMax {
		found = append(found, fmt.Sprintf("%s: file of %d lines", file, lines))
	}
	return found
}

func importsOf(t *testing.T, file string, text []byte) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
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
