package toolswasm_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	toolswasm "chatterbox/tools-wasm"
)

// TestDistIsWhatItsListSays needs no compiler: the digests are those of the files, the manifests those of the sources.
func TestDistIsWhatItsListSays(t *testing.T) {
	listing, err := fs.ReadFile(toolswasm.FS, "digests.json")
	if err != nil {
		t.Fatal(err)
	}
	var listed map[string]struct {
		Digest, Language, Toolchain string
		Bytes                       int
	}
	if err := json.Unmarshal(listing, &listed); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(toolswasm.FS, "*.wasm")
	if err != nil || len(files) != len(listed) || len(files) < 4 {
		t.Errorf("%d files, %d listed: %v", len(files), len(listed), err)
	}
	languages := map[string]bool{}
	for _, file := range files {
		module, err := fs.ReadFile(toolswasm.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(module)
		says := listed[file]
		languages[says.Language] = true
		if says.Digest != "sha256:"+hex.EncodeToString(sum[:]) || says.Bytes != len(module) || says.Toolchain == "" {
			t.Errorf("%s is listed as %+v", file, says)
		}
		if len(module) > 120<<10 {
			t.Errorf("%s has %d bytes", file, len(module))
		}
		source, err := os.ReadFile(filepath.Join(strings.TrimSuffix(file, ".wasm"), "tool.json"))
		if err != nil {
			t.Fatal(err)
		}
		var manifest bytes.Buffer
		if err := json.Compact(&manifest, source); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasSuffix(module, manifest.Bytes()) {
			t.Errorf("%s does not end with its tool.json: run go run ./build/guests", file)
		}
	}
	if len(languages) != 2 {
		t.Errorf("languages %v", languages)
	}
}

// TestToolsHaveTimeOnABusyMachine: a second or two is what one process may wait for its turn there.
func TestToolsHaveTimeOnABusyMachine(t *testing.T) {
	const wallMSMin = 10_000
	type limited struct {
		Name   string
		Limits struct {
			WallMS *int `json:"wall_ms"` // absent is tools.timeout
		}
	}
	sources, err := filepath.Glob("*/tool.json")
	if err != nil || len(sources) < 4 {
		t.Fatal(sources, err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			limited
			Tools []limited
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		tools := manifest.Tools
		if len(tools) == 0 {
			tools = []limited{manifest.limited}
		}
		for _, tool := range tools {
			if wall := tool.Limits.WallMS; wall != nil && *wall < wallMSMin {
				t.Errorf("%s: the tool %q has %d ms", source, tool.Name, *wall)
			}
		}
	}
}
