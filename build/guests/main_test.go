package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheManifestBecomesACustomSection(t *testing.T) {
	header := []byte("\x00asm\x01\x00\x00\x00")
	for name, manifest := range map[string]string{
		"a short one":            `{ "name" : "x" }`,
		"one beyond 127 bytes":   `{"description":"` + strings.Repeat("a", 200) + `"}`,
		"one beyond 16384 bytes": `{"description":"` + strings.Repeat("b", 20_000) + `"}`,
	} {
		module, err := withManifest(header, []byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		compact := strings.ReplaceAll(manifest, " ", "")
		if !bytes.HasPrefix(module, append(header, 0)) || !strings.HasSuffix(string(module), "\x0fchatterbox.tool"+compact) {
			t.Errorf("%s became %q", name, module[:min(40, len(module))])
		}
		size, shift, at := 0, 0, len(header)+1
		for ; module[at] >= 0x80; at++ {
			size |= int(module[at]&0x7f) << shift
			shift += 7
		}
		size |= int(module[at]) << shift
		if size != len(module)-at-1 {
			t.Errorf("%s says %d bytes and has %d", name, size, len(module)-at-1)
		}
	}
	if _, err := withManifest(header, []byte("{")); err == nil {
		t.Error("a manifest that is not JSON is accepted")
	}
}

func TestOnlyTheRecordedCompilerMustBuildTheSameBytes(t *testing.T) {
	dist := t.TempDir()
	if err := os.WriteFile(filepath.Join(dist, "a.wasm"), []byte("committed"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		built, version string
		ok             bool
	}{
		"the same bytes":                    {"committed", zigVersion, true},
		"other bytes":                       {"other", zigVersion, false},
		"other bytes from another compiler": {"other", "0.1.0", true},
	} {
		err := compare(map[string][]byte{"a.wasm": []byte(test.built)}, dist, test.version)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if compare(map[string][]byte{"b.wasm": nil}, dist, zigVersion) == nil {
		t.Error("a file that is not committed is accepted")
	}
}
