package toolswasm_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	toolswasm "chatterbox/tools-wasm"
)

var everySDK = flag.Bool("sdk.all", false, "fails where a compiler is missing")

// TestSDKs runs the test that each SDK has in its own language: the SDK as the machine's own compiler builds it, a host
// that only answers what the vectors say, and the vectors.
func TestSDKs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the tests in C and Rust ask Linux for memory in the first 4 GiB")
	}
	vectors, err := filepath.Abs("testkit/sdk/my_tool.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(vectors); err != nil { // so that the result is not kept when they change
		t.Fatal(err)
	}
	rustc := "rustc"
	if named := os.Getenv("RUSTC"); named != "" {
		rustc = named
	}
	for language, steps := range map[string][][]string{
		"go": {{"go", "version"}, {"go", "test", "-tags", "native", "."}},
		"c": {
			{"cc", "--version"},
			{
				"cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error",
				"-I../../get_weather", "vectors_test.c", "-o", "OUT/vectors",
			},
			{"OUT/vectors", vectors},
		},
		"rust": {
			{rustc, "--version"},
			{"objcopy", "--version"},
			{rustc, "--edition", "2021", "--crate-type", "rlib", "--crate-name", "my_tool", "-C", "panic=abort", "-D", "warnings", "--out-dir", "OUT/", "lib.rs"},
			{"objcopy", "--redefine-sym", "read=host_read", "--redefine-sym", "now=host_now", "OUT/libmy_tool.rlib"},
			{rustc, "--edition", "2021", "-C", "panic=abort", "-D", "warnings", "--extern", "my_tool=OUT/libmy_tool.rlib", "-o", "OUT/vectors", "vectors_test.rs"},
			{"OUT/vectors", vectors},
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			run(t, filepath.Join("sdk", language), steps)
		})
	}
}

// run makes the steps. Those that ask for a version try the programs: where one is missing or cannot run there is no
// test.
func run(t *testing.T, folder string, steps [][]string) {
	out := t.TempDir()
	for _, step := range steps {
		for i := range step {
			step[i] = strings.Replace(step[i], "OUT/", out+"/", 1)
		}
		command := exec.Command(step[0], step[1:]...)
		command.Dir = folder
		printed, err := command.CombinedOutput()
		tried := strings.HasSuffix(step[len(step)-1], "version")
		if err != nil && tried && !*everySDK {
			t.Skipf("the SDK's own test needs %s: %v %s", step[0], err, printed)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", step[0], err, printed)
		}
	}
}

func TestNewToolsHaveNoTestsOfTheSDK(t *testing.T) {
	for _, language := range toolswasm.Languages() {
		files, ok := toolswasm.Template(language, "hello")
		for file := range files {
			if !ok || strings.Contains(file, "_test.") {
				t.Errorf("%s: %s", language, file)
			}
		}
	}
}
