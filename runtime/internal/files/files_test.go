package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"chatterbox/runtime/internal/files"
)

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, text := range []string{"first", "second, longer", ""} {
		for _, mode := range []fs.FileMode{0o600, 0o644} {
			if err := files.Write(path, []byte(text), mode); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil || string(got) != text {
				t.Errorf("%q, %v, want %q", got, err, text)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
			}
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(path, []byte("x"), 0o600); err == nil {
		t.Error("a file takes the place of a folder")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if err := files.Write(filepath.Join(path, "full", "..", "..", "b", "c"), nil, 0o600); err != nil {
		t.Error("a folder was not made:", err)
	}
}
