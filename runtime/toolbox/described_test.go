package toolbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// TestToolsThatDescribeThemselves installs plugins and servers as they are, with no more than their rights beside them.
func TestToolsThatDescribeThemselves(t *testing.T) {
	pool, err := worker.NewPool(worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	folder := t.TempDir()
	install(t, folder, "plugin", `{"env":{"CITY":"Berlin"}}`)
	install(t, folder, "plugin_describe", "")
	install(t, folder, "serves_mcp", `{"serve":"mcp","limits":{"memory_pages":16}}`)
	box, err := toolbox.Open(t.Context(), toolbox.Options{Dir: folder, Workers: pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	var listed []string
	for _, info := range box.Tools() {
		listed = append(listed, info.Name+":"+string(info.ABI))
	}
	if got := strings.Join(listed, " "); got != "config:extism echo:extism input:extism one:mcp-stdio two:mcp-stdio" {
		t.Errorf("listed %s (%+v)", got, box.Problems())
	}
	for name, want := range map[string]string{
		"config": `{"text":"Berlin"}`,
		"echo":   `{"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		"one":    `{"text":"it is one"}`,
	} {
		if result := call(t, box, name, "{}"); result.Failed || string(result.Content) != want {
			t.Errorf("%s answers %s", name, result.Content)
		}
	}
}

// TestAServerWhoseManifestIsBesideIt strips the section from a server; the file beside it says how it is called.
func TestAServerWhoseManifestIsBesideIt(t *testing.T) {
	binary, err := os.ReadFile("../../tools-wasm/testkit/modules/serves_mcp.wasm")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(string(binary), "chatterbox.tool")
	bare := []byte(string(binary[:at]) + "somebodys.stuff" + string(binary[at+len("chatterbox.tool"):]))
	pool, err := worker.NewPool(worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	module, manifests, err := toolbox.Inspect(t.Context(), pool, bare, []byte(`{"serve":"mcp","confirm":"always"}`))
	if err != nil || module.ABI != worker.MCPStdio || len(manifests) != 2 || manifests[1].Name != "two" ||
		manifests[1].Asks.Confirm != toolbox.Always {
		t.Errorf("%s %+v: %v", module.ABI, manifests, err)
	}
	echo, err := os.ReadFile("../../tools-wasm/testkit/modules/echo_reactor.wasm")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = toolbox.Inspect(t.Context(), pool, echo, []byte(`{"name":"x","description":"Does it.","serve":"mcp"}`))
	if err == nil || !strings.Contains(err.Error(), `field "serve" is for a command`) {
		t.Errorf("a reactor that serves: %v", err)
	}
	module, _, err = toolbox.Inspect(t.Context(), pool, bare, []byte(`{"name":"x","description":"Does it."}`))
	if err != nil || module.ABI != worker.Stdio {
		t.Errorf("%s: %v", module.ABI, err)
	}
}

func install(t *testing.T, folder, module, manifest string) {
	t.Helper()
	binary, err := os.ReadFile(filepath.Join("../../tools-wasm/testkit/modules", module+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{module + ".wasm": string(binary)}
	if manifest != "" {
		files[module+".tool.json"] = manifest
	}
	for name, content := range files {
		file, past := filepath.Join(folder, name), time.Now().Add(-time.Hour)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
	}
}
