//go:build !race

package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/runtime/worker"
)

// TestAServerWrittenWithThePublicSDK compiles a server with the stock compiler, and lists and calls its tools.
func TestAServerWrittenWithThePublicSDK(t *testing.T) {
	worker.OnlyLong(t, "the server is built by the stock compiler, and is large")
	file := filepath.Join(t.TempDir(), "server.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s", "-o", file, "chatterbox/tools-wasm/testkit/mcpserver")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const name, manifest = "chatterbox.tool", `{"serve":"mcp"}`
	binary = append(binary, 0, byte(1+len(name)+len(manifest)), byte(len(name)))
	binary = append(append(binary, name...), manifest...)
	pool := newPool(t, worker.Options{Command: command})
	module, err := pool.Add(t.Context(), binary)
	if err != nil || module.ABI != worker.MCPStdio {
		t.Fatalf("added %s: %v", module.ABI, err)
	}
	described, err := pool.Describe(t.Context(), module.Digest)
	if err != nil || !strings.Contains(string(described), `{"tools":[{"name":"add","description":"Adds two numbers.","inputSchema":{`) {
		t.Errorf("described %s: %v", described, err)
	}
	for _, tt := range []struct{ tool, arguments, want string }{
		{"add", `{"a":19,"b":23}`, `{"sum":42}`},
		{"divide", `{"a":1,"b":0}`, `{"error":"division by zero"}`},
		{"divide", `{"a":6,"b":3}`, `2`},
		{"multiply", `{}`, `{"error":"unknown tool \"multiply\""}`},
	} {
		out := pool.Call(t.Context(), worker.Call{
			Digest: module.Digest, Tool: tt.tool, Arguments: []byte(tt.arguments), Limits: worker.Limits{MemoryPages: 1024, Wall: generous},
		}, nil)
		if out.Fault != worker.NoFault || string(out.Result) != tt.want {
			t.Errorf("%s %s answers %s (%s %s), log %s", tt.tool, tt.arguments, out.Result, out.Fault, out.Message, out.Log)
		}
	}
}
