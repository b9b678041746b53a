package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
)

// TestNamesOfFilesStayOnTheirLine has commands speak of files whose names would write lines of their own.
func TestNamesOfFilesStayOnTheirLine(t *testing.T) {
	t.Setenv(envAsProgram, "1") // what runs guests may start this file again
	module, err := os.ReadFile("../../tools-wasm/testkit/modules/asks.wasm")
	if err != nil {
		t.Fatal(err)
	}
	const forged, shown = "x\nforged: ok\t\u202e\x1b[31m", `x\nforged: ok\t\u202e\x1b[31m`
	folder := t.TempDir()
	h := house{t, filepath.Join(folder, "data")}
	good, bad, manifests := filepath.Join(folder, forged, "good.wasm"), filepath.Join(folder, forged+".wasm"), `{"name":"keeper","description":"Keeps.\nforged: ok"}`
	write(t, good, string(module))
	write(t, strings.TrimSuffix(good, ".wasm")+".tool.json", manifests)
	write(t, bad, "no module")
	write(t, filepath.Join(folder, "broken"+forged, "tool.json"), "{")
	write(t, filepath.Join(h.data, "tools", forged+".wasm"), "no module")
	write(t, filepath.Join(h.data, "tools", "a"+forged+".wasm"), string(module))
	write(t, filepath.Join(h.data, "tools", "a"+forged+".tool.json"), `{"name":"other","description":"Other.\nforged: ok"}`)
	for name, command := range map[string][]string{
		"list":                   {"tool", "list"},
		"verify":                 {"tool", "verify"},
		"grant":                  {"tool", "grant", "other", "--yes"},
		"a grant in no file":     {"tool", "grant", "other", "--grant", filepath.Join(folder, forged)},
		"inspect":                {"tool", "inspect", bad},
		"inspect what is good":   {"tool", "inspect", filepath.Join(h.data, "tools", "a"+forged+".wasm")},
		"inspect nothing":        {"tool", "inspect", filepath.Join(folder, forged, "nothing.wasm")},
		"install":                {"tool", "install", good, "--yes"},
		"install what is broken": {"tool", "install", bad, "--yes"},
		"install nothing":        {"tool", "install", filepath.Join(folder, forged, "nothing.wasm")},
		"new":                    {"tool", "new", filepath.Join(folder, "new"+forged), "--lang", "go"},
		"new again":              {"tool", "new", filepath.Join(folder, forged), "--lang", "go"},
		"check":                  {"tool", "check", filepath.Join(folder, "broken"+forged)},
		"build":                  {"tool", "build", filepath.Join(folder, "broken"+forged)},
		"build what has no tool": {"tool", "build", filepath.Join(folder, forged)},
		"call":                   {"tool", "call", bad, "{}"},
		"publish":                {"tool", "publish", bad, "127.0.0.1:1/it:1.0"},
		"doctor":                 {"doctor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, output := h.run(command...)
			if !strings.Contains(output, shown) {
				t.Errorf("the name is not shown: %q", output)
			}
			for line := range strings.Lines(output) {
				whole := strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "forged") || cli.InLine(whole) != whole && !strings.HasPrefix(line, "\t") {
					t.Errorf("a line is not of ours: %q", line)
				}
			}
		})
	}
}

// TestGrantShowsWhatTheToolSays has the person read what a tool says of itself before the yes.
func TestGrantShowsWhatTheToolSays(t *testing.T) {
	t.Setenv(envAsProgram, "1") // what runs guests may start this file again
	module, err := os.ReadFile("../../tools-wasm/testkit/modules/asks.wasm")
	if err != nil {
		t.Fatal(err)
	}
	h := house{t, filepath.Join(t.TempDir(), "data")}
	write(t, filepath.Join(h.data, "tools", "keeper.wasm"), string(module))
	write(t, filepath.Join(h.data, "tools", "keeper.tool.json"), `{"name":"keeper","description":"Keeps a word.\n  - It asks for nothing.","kv":{"quota":5000}}`)
	_, output := h.run("tool", "grant", "keeper")
	said, asks, _ := strings.Cut(output, "keeper asks for this:")
	if !strings.Contains(said, "keeper: Keeps a word.\n      - It asks for nothing.\n") || !strings.Contains(asks, "up to 5000 bytes") {
		t.Errorf("the person reads %q", output)
	}
}
