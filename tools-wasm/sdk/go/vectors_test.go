//go:build native

package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestVectors holds the SDK to the vectors of every template, on the machine itself: an address is the number of a
// slice, and the vector answers in the host's place.
func TestVectors(t *testing.T) {
	calls := parse(t, "../../testkit/sdk/my_tool.txtar")
	if len(calls) < 5 {
		t.Fatalf("%d calls", len(calls))
	}
	for i, call := range calls {
		outside = fake{t: t, script: call.host}
		envelope := []byte(`{"name":"my_tool","arguments":` + call.arguments + `}`)
		copy(outside.at(alloc(uint32(len(envelope)))), envelope)
		packed := execute(1, uint32(len(envelope)))
		result := string(outside.at(uint32(packed >> 32))[:uint32(packed)])
		if !same(result, call.output) {
			t.Errorf("call %d: output %s, want %s", i+1, result, call.output)
		}
		if len(outside.script) > 0 {
			t.Errorf("call %d: did not ask %q", i+1, outside.script)
		}
	}
}

type call struct {
	arguments, output string
	host              []exchange
}

type exchange struct{ function, input, answer string }

// parse reads what testkit/README.md describes, as far as an SDK has a part in it; the rest is fatal.
func parse(t *testing.T, file string) (calls []call) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, section := range archive.Files {
		text := strings.TrimSuffix(string(section.Data), "\n")
		kind, function, _ := strings.Cut(section.Name, " ")
		if (kind == "module") != (i == 0) || i > 0 && kind != "call" && len(calls) == 0 {
			t.Fatalf("section %q in the wrong place", section.Name)
		}
		switch kind {
		case "module":
		case "call":
			if text != "" {
				t.Fatalf("unknown key in %q", text)
			}
			calls = append(calls, call{arguments: "{}"})
		case "arguments":
			calls[len(calls)-1].arguments = text
		case "host":
			input, answer, _ := strings.Cut(text, "\n")
			calls[len(calls)-1].host = append(calls[len(calls)-1].host, exchange{function, input, answer})
		case "output":
			calls[len(calls)-1].output = text
		default:
			t.Fatalf("unknown section %q", section.Name)
		}
	}
	return calls
}

func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// fake is the host of one call.
type fake struct {
	t      *testing.T
	memory [][]byte // by address, from 1
	script []exchange
	kept   []byte // the answer that has not been read
}

var outside fake

func (f *fake) at(address uint32) []byte { return f.memory[address-1] }

func (f *fake) ask(function string, address, size uint32) uint32 {
	input := string(f.at(address)[:size])
	if len(f.script) == 0 {
		f.t.Fatalf("the script ran out at %s %s", function, input)
	}
	next := f.script[0]
	f.script, f.kept = f.script[1:], []byte(next.answer)
	if function != next.function || !same(input, next.input) {
		f.t.Fatalf("asked %s %s, want %s %s", function, input, next.function, next.input)
	}
	return uint32(len(f.kept))
}

// What stands in host.go for WebAssembly.

func address(b []byte) uint32 {
	outside.memory = append(outside.memory, b)
	return uint32(len(outside.memory))
}

func hostRead(address uint32) uint32 {
	copied := copy(outside.at(address), outside.kept)
	outside.kept = nil
	return uint32(copied)
}

func hostNow(at, size uint32) uint32          { return outside.ask("now", at, size) }
func hostLog(at, size uint32) uint32          { return outside.ask("log", at, size) }
func hostHTTPRequest(at, size uint32) uint32  { return outside.ask("http_request", at, size) }
func hostKVGet(at, size uint32) uint32        { return outside.ask("kv_get", at, size) }
func hostKVSet(at, size uint32) uint32        { return outside.ask("kv_set", at, size) }
func hostSecretExists(at, size uint32) uint32 { return outside.ask("secret_exists", at, size) }
func hostDeliver(at, size uint32) uint32      { return outside.ask("deliver", at, size) }
