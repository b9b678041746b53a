package wasm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"
)

// plugin is an extism plugin whose functions are called by name.
type plugin struct {
	module *Module
	log    []byte
}

// published loads a plugin that comes with extism's own SDK, compiled by others with extism's libraries. None of them
// has tools, so that their functions are called as extism would.
func published(t *testing.T, name, function string) (*plugin, []byte) {
	t.Helper()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/extism/go-sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "wasm", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return loadPlugin(t, binary, function), binary
}

func loadPlugin(t *testing.T, binary []byte, function string) *plugin {
	t.Helper()
	m, err := parse(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkImports(m); err != nil {
		t.Fatal(err)
	}
	m.abi, m.pluginCall = Extism, function
	ready, err := instrument(m)
	if err != nil {
		t.Fatal(err)
	}
	module := newModule(NewEngine(Options{}), m, ready)
	t.Cleanup(func() {
		if err := module.Close(); err != nil {
			t.Error(err)
		}
	})
	return &plugin{module: module}
}

// call is one call in an instance that is kept, as [Module.Call] makes it.
func (p *plugin) call(t *testing.T, input string, config map[string]string, host Host) (string, string) {
	t.Helper()
	if err := p.module.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer p.module.leave()
	call := &Call{Env: config, Deadline: time.Now().Add(10 * time.Second), Limits: Limits{1024, 64 << 10, 64 << 10}}
	from := p.module.environment(call)
	in, err := p.module.take(t.Context(), from, call, host)
	if err != nil {
		t.Fatal(err)
	}
	output, result, err := in.callPlugin(p.module.pluginCall, []byte(input))
	fault, message := in.fault(err)
	if fault == NoFault {
		message = result.Message
	}
	answer := string(output)
	p.log = bytes.Clone(in.log.bytes)
	p.module.give(from, in, fault == NoFault)
	return answer, message
}

// TestTheSamePluginGivesTheSameAnswers compares with extism's SDK, twice in a row where state must not matter.
func TestTheSamePluginGivesTheSameAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"method":"`+r.Method+`"}`)
	}))
	defer server.Close()
	for _, tt := range []struct{ module, function, input string }{
		{"count_vowels", "count_vowels", "Hello, World!"},
		{"count_vowels", "count_vowels", ""},
		{"hello", "run_test", "Benjamin"},
		{"config", "run_test", "x"},
		{"input_offset", "input_offset_length", "a plugin that looks at its input's address"},
		{"fail", "run_test", "x"},
		{"var", "run_test", "x"},
		{"log", "run_test", "x"},
		{"replace", "run_test", "foo bar"},
	} {
		t.Run(tt.module, func(t *testing.T) {
			ours, binary := published(t, tt.module, tt.function)
			config := map[string]string{"thing": "hello", "vowels": "aeiouyAEIOUY"}
			theirs, err := extism.NewPlugin(t.Context(), extism.Manifest{
				Wasm: []extism.Wasm{extism.WasmData{Data: binary}}, Config: config,
			}, extism.PluginConfig{EnableWasi: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close(t.Context())
			theirs.SetLogger(func(extism.LogLevel, string) {})
			_, want, failed := theirs.Call(tt.function, []byte(tt.input))
			for range 2 {
				got, message := ours.call(t, tt.input, config, nil)
				if got != string(want) || (message != "") != (failed != nil) {
					t.Errorf("answered %q (%s), extism %q (%v)", got, message, want, failed)
				}
				if failed != nil && !strings.Contains(message, failed.Error()) {
					t.Errorf("failed with %q, extism with %q", message, failed)
				}
			}
		})
	}
}

// TestAPublishedPluginAsksTheHost runs plugins that use HTTP and the log.
func TestAPublishedPluginAsksTheHost(t *testing.T) {
	ours, _ := published(t, "http", "run_test")
	var asked string
	answer, message := ours.call(t, "", nil, func(_ context.Context, function string, input []byte) []byte {
		asked = function + " " + string(input)
		return []byte(`{"status":200,"headers":{},"body":"{\"userId\":1}"}`)
	})
	if answer != `{"userId":1}` || !strings.HasPrefix(asked, `http_request {`) {
		t.Errorf("answered %q (%s) when asked %s", answer, message, asked)
	}
	logs, _ := published(t, "log", "run_test")
	if logs.call(t, "", nil, nil); !bytes.Contains(logs.log, []byte("warn: this is a warning log")) {
		t.Errorf("logged %q", logs.log)
	}
}

// TestNothingOfACallIsLeftInTheKernel calls two plugins in turn whose instance is kept.
func TestNothingOfACallIsLeftInTheKernel(t *testing.T) {
	k := &kernel{limit: 1 << 20}
	at := k.alloc(100)
	copy(k.bytes(at, 100), "a secret")
	k.vars, k.failure = map[string][]byte{"a": nil}, at
	k.reset()
	if k.limit = 1 << 20; k.vars != nil || k.failure != 0 || k.length(at) != 0 {
		t.Errorf("something is left: %+v", k)
	}
	again := k.alloc(100)
	if view := k.bytes(again, 100); !bytes.Equal(view, make([]byte, 100)) {
		t.Errorf("found %q", view)
	}
}

// FuzzKernel lets a plugin do anything with its memory: it stays within its limit and nothing else happens.
func FuzzKernel(f *testing.F) {
	f.Add([]byte{0, 16, 1, 24, 2, 8, 3, 24, 0, 255})
	f.Fuzz(func(t *testing.T, program []byte) {
		k := &kernel{limit: 4 << 10}
		for i := 0; i+1 < len(program); i += 2 {
			argument := uint64(program[i+1])
			if program[i]&0x80 != 0 {
				argument = -argument
			}
			switch program[i] & 7 {
			case 0:
				k.alloc(argument)
			case 1:
				k.free(argument)
			case 2:
				k.store(argument, uint64(i)<<32|argument, 8)
			case 3:
				k.load(argument, 8)
			case 4:
				k.input = argument
				k.loadInput(argument, 8)
			case 5:
				k.bytes(argument, k.length(argument))
			case 6:
				k.store(argument, argument, 1)
			}
		}
		unused := 0
		for _, list := range k.unused {
			unused += len(list)
		}
		if len(k.memory) > 4<<10+2*headerBytes || unused > 4<<10 {
			t.Errorf("%d bytes, %d free blocks", len(k.memory), unused)
		}
	})
}
