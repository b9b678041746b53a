package worker_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/runtime/worker"
)

// sdk is a flag so that templates that were built just now can be held to the vectors.
var sdk = flag.String("sdk", filepath.Join(testkit, "sdk"), "the folder of the templates' tools, built")

// plugin names an extism plugin that was built with extism's own library.
var plugin = flag.String("plugin", "", "the module of testkit/plugin, built")

func TestAPluginWrittenWithExtismsLibrary(t *testing.T) {
	if *plugin == "" {
		t.Skip("-plugin names no module: .ci/templates builds it")
	}
	binary, err := os.ReadFile(*plugin)
	if err != nil {
		t.Fatal(err)
	}
	vectors := parseVectors(t, filepath.Join(testkit, "plugin", "plugin.txtar"))
	vectors.run(t, binary, newPool(t, worker.Options{Command: command}))
}

// TestSDKVectors holds the tool of each template, and so the SDK in it, to the same vectors. Only the one in Go is
// built here: the others are as .ci/templates built them.
func TestSDKVectors(t *testing.T) {
	built, err := filepath.Glob(filepath.Join(*sdk, "*.wasm"))
	if err != nil || len(built) != 4 {
		t.Fatalf("%d built tools in %s: %v", len(built), *sdk, err)
	}
	vectors := func(t *testing.T, file string) {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parseVectors(t, filepath.Join(testkit, "sdk", "my_tool.txtar")).run(t, wasm, newPool(t, worker.Options{}))
	}
	for _, file := range built {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".wasm"), func(t *testing.T) { vectors(t, file) })
	}
	t.Run("go", func(t *testing.T) {
		worker.OnlyLong(t, "the tool is built by the stock compiler")
		vectors(t, buildInGo(t))
	})
}

func buildInGo(t *testing.T) string {
	t.Helper()
	inGo := filepath.Join(t.TempDir(), "go.wasm")
	compile := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s", "-o", inGo, ".")
	compile.Dir = filepath.Join(testkit, "..", "sdk", "go")
	compile.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if printed, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("build the tool in Go: %v\n%s", err, printed)
	}
	return inGo
}
