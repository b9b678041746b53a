package worker_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"chatterbox/runtime/worker"
)

const testkit = "../../tools-wasm/testkit"

// dist is a flag so that rebuilt guests can be held to the vectors before they are committed.
var dist = flag.String("dist", "../../tools-wasm/dist", "the folder of the built-in tools")

// TestVectors runs the vectors of the specification. Its format is in the testkit's README.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit, "*.txtar"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d vectors: %v", len(files), err)
	}
	for _, file := range files {
		if filepath.Base(file) == "refused.txtar" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for engine, interpret := range map[string]bool{"compiler": false, "interpreter": true} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				t.Parallel()
				v := parseVectors(t, file)
				v.run(t, moduleBytes(t, v.module), newPool(t, worker.Options{Interpret: interpret}))
			})
		}
	}
}

func TestModulesThatAreNotFitAreRefusedEachWithItsSentence(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join(testkit, "refused.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	pool := newPool(t, worker.Options{})
	listed := map[string]bool{}
	for _, section := range archive.Files {
		name, ok := strings.CutPrefix(section.Name, "module ")
		if !ok {
			t.Fatalf("unknown section %q", section.Name)
		}
		listed[name] = true
		_, err := pool.Add(t.Context(), moduleBytes(t, name))
		want := strings.TrimSpace(string(section.Data))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: refused with %v, want %q", name, err, want)
		}
	}
	modules, _ := filepath.Glob(filepath.Join(testkit, "modules", "refused_*.wasm"))
	if len(modules) != len(listed) {
		t.Errorf("%d modules to refuse, %d listed", len(modules), len(listed))
	}
	if n := pool.Status().Modules; n != 0 {
		t.Errorf("%d modules were let in", n)
	}
}

// vectors are the calls of one file.
type vectors struct {
	module   string
	manifest *string // what the module says of itself
	calls    []vector
}

type vector struct {
	number    int
	call      worker.Call
	host      []exchange
	output    *string
	log       *string
	fault     worker.Fault
	message   string
	truncated bool
}

type exchange struct{ function, input, answer string }

func parseVectors(t *testing.T, file string) vectors {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	for i, section := range archive.Files {
		text := strings.TrimSuffix(string(section.Data), "\n")
		kind, function, _ := strings.Cut(section.Name, " ")
		if (kind == "module") != (i == 0) || i > 0 && kind != "call" && kind != "manifest" && len(v.calls) == 0 {
			t.Fatalf("section %q in the wrong place", section.Name)
		}
		var last *vector
		if len(v.calls) > 0 {
			last = &v.calls[len(v.calls)-1]
		}
		switch kind {
		case "module":
			v.module = text
		case "manifest":
			v.manifest = &text
		case "call":
			v.calls = append(v.calls, parseCall(t, text, v.module))
			v.calls[len(v.calls)-1].number = len(v.calls)
		case "arguments":
			last.call.Arguments = []byte(text)
		case "host":
			input, answer, ok := strings.Cut(text, "\n")
			if !ok && text == "" {
				t.Fatalf("section %q is empty", section.Name)
			}
			last.host = append(last.host, exchange{function, input, answer})
		case "output":
			last.output = &text
		case "log":
			last.log = &text
		default:
			t.Fatalf("unknown section %q", section.Name)
		}
	}
	return v
}

func parseCall(t *testing.T, text, module string) vector {
	t.Helper()
	v := vector{call: worker.Call{Tool: module, Arguments: []byte("{}"), Env: map[string]string{}}}
	number := func(value string) int {
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch limits := &v.call.Limits; key {
		case "tool":
			v.call.Tool = value
		case "env":
			name, literal, _ := strings.Cut(value, "=")
			v.call.Env[name] = literal
		case "wall_ms":
			limits.Wall = time.Duration(number(value)) * time.Millisecond
		case "memory_pages":
			limits.MemoryPages = uint32(number(value))
		case "input":
			limits.InputBytes = number(value)
		case "output":
			limits.OutputBytes = number(value)
		case "log":
			limits.LogBytes = number(value)
		case "fault":
			v.fault = worker.Fault(value)
		case "message":
			v.message = value
		case "truncated":
			v.truncated = value == "true"
		default:
			t.Fatalf("unknown key %q", key)
		}
	}
	return v
}

// run makes the calls of the module.
func (v vectors) run(t *testing.T, binary []byte, pool *worker.Pool) {
	t.Helper()
	module, err := pool.Add(t.Context(), binary)
	if err != nil {
		t.Fatal(err)
	}
	if v.manifest != nil {
		described, err := pool.Describe(t.Context(), module.Digest)
		if err != nil || !sameText(string(described), *v.manifest) {
			t.Errorf("describes itself with %s (%v)", described, err)
		}
	}
	for _, call := range v.calls {
		call.call.Digest = module.Digest
		for _, problem := range call.run(t.Context(), pool) {
			t.Errorf("call %d (%.100s): %s", call.number, call.call.Arguments, problem)
		}
	}
}

// run makes the call and answers what is not as the vector says.
func (v vector) run(ctx context.Context, pool *worker.Pool) (problems []string) {
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	script := slices.Clone(v.host)
	out := pool.Call(ctx, v.call, func(_ context.Context, function string, input []byte) []byte {
		if len(script) == 0 {
			complain("the script ran out at %s %s", function, input)
			return []byte(`{"error":"the script ran out"}`)
		}
		next := script[0]
		script = script[1:]
		if function != next.function || !sameText(string(input), next.input) {
			complain("asked %s %s, want %s %s", function, input, next.function, next.input)
		}
		return []byte(next.answer)
	})
	if len(script) > 0 {
		complain("%d host functions were not called", len(script))
	}
	if out.Fault != v.fault || !strings.Contains(out.Message, v.message) {
		complain("fault %q (%s), want %q (%s)", out.Fault, out.Message, v.fault, v.message)
	}
	if out.Truncated != v.truncated {
		complain("truncated is %v", out.Truncated)
	}
	if want := v.output; want == nil && out.Result != nil || want != nil && !sameText(string(out.Result), *want) {
		complain("output %s", out.Result)
	}
	if v.log != nil && strings.TrimSuffix(string(out.Log), "\n") != *v.log {
		complain("log %q", out.Log)
	}
	return problems
}

// sameText compares as JSON where both are, exactly to the digit, and as text otherwise.
func sameText(a, b string) bool {
	x, errX := decoded(a)
	y, errY := decoded(b)
	if errX != nil || errY != nil {
		return a == b
	}
	return reflect.DeepEqual(x, y)
}

func decoded(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err = decoder.Decode(&value); err == nil && decoder.More() {
		err = fmt.Errorf("more than one value")
	}
	return value, err
}

func newPool(t testing.TB, options worker.Options) *worker.Pool {
	t.Helper()
	pool, err := worker.NewPool(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

func moduleBytes(t testing.TB, name string) []byte {
	t.Helper()
	for _, folder := range []string{*dist, filepath.Join(testkit, "modules")} {
		if binary, err := os.ReadFile(filepath.Join(folder, name+".wasm")); err == nil {
			return binary
		}
	}
	t.Fatalf("no module %s", name)
	return nil
}
