package toolbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"chatterbox/loop"
)

// rescan looks at the folder as the watcher does.
func (t *Toolbox) rescan(test testing.TB) { t.scan(test.Context(), time.Now()) }

func problemsOf(box *Toolbox) string {
	var lines []string
	for _, problem := range box.Problems() {
		lines = append(lines, filepath.Base(problem.File)+": "+problem.Reason)
	}
	return strings.Join(lines, "\n")
}

func TestFolderIsRead(t *testing.T) {
	f := newFolder(t)
	f.put(t, "b.wasm", moduleWith+manifest("beta", `,"title":"Beta","inputSchema":{"type":"object"}`))
	f.put(t, "a.wasm", moduleWithout)
	f.put(t, "a.tool.json", manifest("alpha", ``))
	f.put(t, "two.wasm", moduleWith+`{"tools":[`+manifest("one", "")+`,`+manifest("two", "")+`]}`)
	f.put(t, "net.wasm", moduleWith+manifest("net", `,"net":[{"scheme":"https","host":"a.example.com"}]`))
	f.put(t, "cut.wasm", "garbage")
	f.put(t, "bare.wasm", moduleWithout)
	f.put(t, "alone.tool.json", manifest("alone", ``))
	f.put(t, "typo.wasm", moduleWith+manifest("typo", `,"efects":"read"`))
	f.put(t, "schema.wasm", moduleWith+manifest("schema", `,"inputSchema":{"type":"string"}`))
	f.put(t, ".hidden.wasm", "x")
	f.put(t, "notes.txt", "x")
	if err := os.Mkdir(filepath.Join(string(f), "folder.wasm"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := &workers{}
	box := open(t, Options{Dir: string(f), Workers: w})
	if got := names(box); !slices.Equal(got, []string{"alpha", "beta", "one", "two"}) {
		t.Errorf("offered %v", got)
	}
	want := `alone.tool.json: there is no alone.wasm beside it
bare.wasm: it has no manifest: neither a section chatterbox.tool in it nor a file *.tool.json beside it
cut.wasm: the module is cut short
schema.wasm: tool schema: field "inputSchema" must have "type": "object"
typo.wasm: unknown field "efects"; the nearest known one is "effects"`
	if got := problemsOf(box); got != want {
		t.Errorf("problems:\n%s\nwant:\n%s", got, want)
	}
	infos := box.Tools()
	if i := infos[1]; i.Title != "Beta" || i.File != filepath.Join(string(f), "b.wasm") || !i.Granted || i.Effects != "read" || i.Builtin {
		t.Errorf("info %+v", i)
	}
	if i := infos[2]; i.Name != "net" || i.Granted || i.Reason != "waits for a grant of net to https://a.example.com:443" {
		t.Errorf("info %+v", i)
	}
	if w.modules() != 4 {
		t.Errorf("%d modules are held, want those of 4 files", w.modules())
	}
	box.Close()
	if w.modules() != 0 {
		t.Errorf("%d modules are held after Close", w.modules())
	}
}

func TestWhereTheManifestIsFound(t *testing.T) {
	describing := moduleDescribing + manifest("described", ``)
	tests := map[string]struct{ module, beside, offered, problem string }{
		"the section wins over the file":     {moduleWith + manifest("inside", ``), manifest("beside", ``), "inside", ""},
		"the file wins over the description": {describing, manifest("beside", ``), "beside", ""},
		"a file that is wrong wins, too":     {describing, "{", "", "a.wasm: the manifest is not JSON"},
		"the description is the last resort": {describing, "", "described", ""},
		"a module that cannot describe itself needs no description with a file": {
			moduleDescribing + mute, manifest("beside", ``), "beside", "",
		},
		"a module that cannot describe itself":                  {moduleDescribing + mute, "", "", "a.wasm: the module does not describe itself"},
		"a file without tools is the rights of those described": {describing, `{"limits":{"memory_pages":9}}`, "described", ""},
		"a section without tools, too":                          {moduleWith + `{"limits":{}}`, "", "", `a.wasm: field "name" is missing`},
		"a description belongs to a tool": {
			describing, `{"description":"All of them."}`, "",
			`a.wasm: field "description" belongs to one tool, and the manifest names none`,
		},
		"rights are checked": {describing, `{"limits":{"memory":9}}`, "", `a.wasm: unknown field "tools[0].limits.memory"; the nearest known one is "log"`},
		"nothing anywhere": {
			moduleWithout, "", "",
			"a.wasm: it has no manifest: neither a section chatterbox.tool in it nor a file *.tool.json beside it",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			f.put(t, "a.wasm", tt.module)
			if tt.beside != "" {
				f.put(t, "a.tool.json", tt.beside)
			}
			box := open(t, Options{Dir: string(f)})
			if got := strings.Join(names(box), " "); got != tt.offered {
				t.Errorf("offered %q, want %q", got, tt.offered)
			}
			if got := problemsOf(box); got != tt.problem {
				t.Errorf("problems %q, want %q", got, tt.problem)
			}
		})
	}
}

func TestTwinsAreRefused(t *testing.T) {
	f := newFolder(t)
	builtin := fstest.MapFS{"get_weather.wasm": {Data: []byte(moduleWith + manifest("get_weather", ``))}}
	f.put(t, "a.wasm", moduleWith+manifest("switch_light", ``))
	f.put(t, "b.wasm", moduleWith+manifest("Switch-Light", ``))
	f.put(t, "c.wasm", moduleWith+manifest("getWeather", ``))
	f.put(t, "d.wasm", moduleWith+manifest("other", ``))
	box := open(t, Options{Dir: string(f), Builtin: builtin})
	if got := names(box); !slices.Equal(got, []string{"get_weather", "other"}) {
		t.Errorf("offered %v", got)
	}
	want := `a.wasm: its tool "switch_light" has the name of "Switch-Light" in DIR/b.wasm
b.wasm: its tool "Switch-Light" has the name of "switch_light" in DIR/a.wasm
c.wasm: its tool "getWeather" has the name of "get_weather" in get_weather.wasm`
	if got := strings.ReplaceAll(problemsOf(box), string(f), "DIR"); got != want {
		t.Errorf("problems:\n%s", got)
	}
	f.remove(t, "b.wasm")
	box.rescan(t)
	if got := names(box); !slices.Equal(got, []string{"get_weather", "other", "switch_light"}) {
		t.Errorf("offered after one twin is gone: %v", got)
	}
}

func TestFolderIsWatched(t *testing.T) {
	f := newFolder(t)
	w := &workers{}
	var log bytes.Buffer
	box := open(t, Options{Dir: string(f), Workers: w, Log: logTo(&log)})
	steps := []struct {
		name    string
		change  func()
		offered []string
		problem string
	}{
		{"a new tool", func() { f.put(t, "a.wasm", moduleWith+manifest("a", ``)) }, []string{"a"}, ""},
		{"nothing", func() {}, []string{"a"}, ""},
		{"another version", func() { f.put(t, "a.wasm", moduleWith+manifest("a2", ``)) }, []string{"a2"}, ""},
		{"a broken version", func() { f.put(t, "a.wasm", "garbage") }, nil, "a.wasm: the module is cut short"},
		{"nothing again", func() {}, nil, "a.wasm: the module is cut short"},
		{"without a manifest", func() { f.put(t, "a.wasm", moduleWithout) }, nil, "a.wasm: it has no manifest: neither a section chatterbox.tool in it nor a file *.tool.json beside it"},
		{"with one beside it", func() { f.put(t, "a.tool.json", manifest("a3", ``)) }, []string{"a3"}, ""},
		{"another one beside it", func() { f.put(t, "a.tool.json", manifest("a4", ``)) }, []string{"a4"}, ""},
		{"only touched", func() { f.put(t, "a.tool.json", manifest("a4", ``)) }, []string{"a4"}, ""},
		{"gone", func() { f.remove(t, "a.wasm"); f.remove(t, "a.tool.json") }, nil, ""},
	}
	for _, step := range steps {
		step.change()
		box.rescan(t)
		if got := names(box); !slices.Equal(got, step.offered) || problemsOf(box) != step.problem {
			t.Errorf("%s: offered %v, problems %q", step.name, got, problemsOf(box))
		}
		if w.modules() != len(step.offered) {
			t.Errorf("%s: %d modules are held", step.name, w.modules())
		}
	}
	if n := strings.Count(log.String(), "tool not in use"); n != 2 {
		t.Errorf("two problems were logged %d times:\n%s", n, log.String())
	}
}

func TestFileThatIsBeingWritten(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+manifest("a", ``))
	box := open(t, Options{Dir: string(f)})
	file := filepath.Join(string(f), "a.wasm")
	if err := os.WriteFile(file, []byte(moduleWith+`{"name":"a`), 0o600); err != nil {
		t.Fatal(err)
	}
	box.rescan(t)
	if len(names(box)) != 1 || problemsOf(box) != "" {
		t.Errorf("while half of it is there: %v, %s", names(box), problemsOf(box))
	}
	box.scan(t.Context(), time.Now().Add(2*quiet))
	if len(names(box)) != 0 || !strings.Contains(problemsOf(box), "not JSON") {
		t.Errorf("when the half was left alone: %v, %s", names(box), problemsOf(box))
	}
	// Same size, same time as a moment ago: only the content tells.
	for _, name := range []string{"b1", "b2"} {
		if err := os.WriteFile(file, []byte(moduleWith+manifest(name, ``)), 0o600); err != nil {
			t.Fatal(err)
		}
		now := time.Now().Truncate(time.Second)
		if err := os.Chtimes(file, now, now); err != nil {
			t.Fatal(err)
		}
		box.scan(t.Context(), now)
		if got := names(box); !slices.Equal(got, []string{name}) {
			t.Errorf("offered %v, want %s", got, name)
		}
	}
}

// TestWhatIsWrittenAnewIsAdmittedAnew holds for the same bytes too: it lifts the suspension of a tool.
func TestWhatIsWrittenAnewIsAdmittedAnew(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+manifest("a", ``))
	w := &workers{}
	box := open(t, Options{Dir: string(f), Workers: w})
	before := w.adds
	box.rescan(t)
	if w.adds != before {
		t.Errorf("admitted %d times more, though nothing was written", w.adds-before)
	}
	f.put(t, "a.wasm", moduleWith+manifest("a", ``))
	box.rescan(t)
	if w.adds != before+1 || w.modules() != 1 || len(names(box)) != 1 {
		t.Errorf("admitted %d times more, %d modules, offered %v", w.adds-before, w.modules(), names(box))
	}
}

func TestFailingWorkersAreTriedAgain(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+manifest("a", ``))
	w := &workers{broken: errors.New("no worker can be started")}
	box := open(t, Options{Dir: string(f), Workers: w})
	if problemsOf(box) != "a.wasm: no worker can be started" {
		t.Errorf("problems %s", problemsOf(box))
	}
	w.mu.Lock()
	w.broken = nil
	w.mu.Unlock()
	box.rescan(t)
	if len(names(box)) != 1 {
		t.Errorf("offered %v, problems %s", names(box), problemsOf(box))
	}
}

func TestFolderThatComesLater(t *testing.T) {
	f := folder(filepath.Join(t.TempDir(), "tools"))
	box := open(t, Options{Dir: string(f)})
	if len(names(box)) != 0 || problemsOf(box) != "" {
		t.Errorf("before it is there: offered %v, problems %s", names(box), problemsOf(box))
	}
	if err := os.Mkdir(string(f), 0o700); err != nil {
		t.Fatal(err)
	}
	f.put(t, "a.wasm", moduleWith+manifest("a", ``))
	box.rescan(t)
	if len(names(box)) != 1 || problemsOf(box) != "" {
		t.Errorf("offered %v, problems %s", names(box), problemsOf(box))
	}
}

func TestFolderThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := problemsOf(open(t, Options{Dir: file})); !strings.Contains(got, "the folder of tools cannot be read") {
		t.Errorf("problems %s", got)
	}
}

func TestTooManyFiles(t *testing.T) {
	f := newFolder(t)
	for i := range filesMax + 1 {
		f.put(t, fmt.Sprintf("%d.wasm", i), "x")
	}
	if got := problemsOf(open(t, Options{Dir: string(f)})); !strings.Contains(got, "there are more than 256 tools in it") {
		t.Errorf("problems %s", got)
	}
}

func TestWatcherLooksByItself(t *testing.T) {
	f := newFolder(t)
	synctest.Test(t, func(t *testing.T) {
		box, err := Open(t.Context(), Options{Dir: string(f), Workers: &workers{}})
		if err != nil {
			t.Fatal(err)
		}
		defer box.Close()
		f.put(t, "a.wasm", moduleWith+manifest("a", ``))
		time.Sleep(watchInterval + time.Millisecond)
		synctest.Wait()
		if len(names(box)) != 1 {
			t.Errorf("offered %v", names(box))
		}
	})
}

// settings is a configuration of single values.
func settings(values map[string]string) func(name string) ([]string, string) {
	return func(name string) ([]string, string) {
		if value, ok := values[name]; ok {
			return []string{value}, name
		}
		return nil, name
	}
}

func TestBuiltinToolsHaveWhatTheyAskAndWhatIsConfigured(t *testing.T) {
	f := newFolder(t)
	asks := `,"effects":"write","confirm":"never","env":{"A":"manifest","B":"manifest"},"limits":{"per_minute":2},
		"settings":[{"name":"tool.url","env":"B"},{"name":"tool.word","env":"C"},{"name":"tool.none","env":"A"},
			{"name":"tool.token","secret":"Authorization"},{"name":"other.token","secret":"X-Other"}],
		"net":[{"scheme":"https","host":"a.example.com","timeout_ms":9000}]`
	builtin := fstest.MapFS{
		"dist/tool.wasm":      {Data: []byte(moduleWithout)},
		"dist/tool.tool.json": {Data: []byte(manifest("tool", asks))},
		"dist/digests.json":   {Data: []byte("{}")},
	}
	var seen map[string]string
	w := &workers{call: func(_ ctx, call call, _ hostFunc) output {
		seen = call.Env
		return output{Result: []byte("{}")}
	}}
	box := open(t, Options{Dir: string(f), Builtin: builtin, Workers: w,
		Setting: settings(map[string]string{"tool.url": "http://192.168.1.5:8123/api?key=1", "tool.word": "plain",
			"tool.token": "t", "other.token": "o", "not.asked": "for"})})
	if result := do(t, box, "tool", `{}`); result.Failed {
		t.Errorf("got %+v", result)
	}
	want := map[string]string{"A": "manifest", "B": "http://192.168.1.5:8123/api?key=1", "C": "plain"}
	if !reflect.DeepEqual(seen, want) {
		t.Errorf("environment %v, want %v", seen, want)
	}
	rules := box.current.Load().tools["tool"].rules
	if len(rules) != 2 || !rules[0].Private || rules[0].Host != "192.168.1.5" || rules[0].Port != 8123 || rules[0].Path != "/api" ||
		rules[0].Timeout != 9*time.Second || rules[1].Private {
		t.Errorf("rules %+v", rules)
	}
	secrets := box.current.Load().tools["tool"].rights.Secrets
	if want := []Secret{{Ref: "tool.token", Header: "Authorization", OnlyTo: "192.168.1.5"}}; !reflect.DeepEqual(secrets, want) {
		t.Errorf("secrets %+v", secrets)
	}
	do(t, box, "tool", `{}`)
	if message := errorOf(t, do(t, box, "tool", `{}`)); !strings.Contains(message, "2 times a minute") {
		t.Errorf("a limit that the manifest names: %s", message)
	}
}

// TestHammerReload calls a tool while its file is replaced: every call is answered by one whole version, or told that the
// tool has changed or is gone, and no module is forgotten while a call uses it.
func TestHammerReload(t *testing.T) {
	f := newFolder(t)
	f.put(t, "a.wasm", moduleWith+manifest("a", `,"title":"0"`))
	w := &workers{call: func(_ ctx, call call, _ hostFunc) output {
		time.Sleep(50 * time.Microsecond)
		return output{Result: []byte(`{"by":"` + call.Digest + `"}`)}
	}}
	box := open(t, Options{Dir: string(f), Workers: w})
	done := make(chan struct{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				call := loop.Call{Name: "a", Arguments: `{}`}
				verdict := box.Check(t.Context(), call)
				result := box.Call(t.Context(), call, verdict)
				if result.Failed && !strings.Contains(result.Content, "has changed") && !strings.Contains(result.Content, "Unknown tool") {
					t.Errorf("got %s", result.Content)
				}
				box.Offered()
				box.Tools()
				box.Problems()
			}
		})
	}
	for i := range 60 {
		switch i % 5 {
		case 3:
			f.put(t, "a.wasm", "garbage")
		case 4:
			f.remove(t, "a.wasm")
		default:
			f.put(t, "a.wasm", moduleWith+manifest("a", fmt.Sprintf(`,"title":"%d"`, i)))
		}
		box.rescan(t)
	}
	close(done)
	callers.Wait()
	box.Close()
	if w.unknown != 0 || w.modules() != 0 {
		t.Errorf("%d calls met a module that was gone; %d modules are left", w.unknown, w.modules())
	}
}
