package run_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/evals/run"
)

func TestATornEndIsCutOff(t *testing.T) {
	long := strings.Repeat("x", 200<<10) // more than is looked at in one go
	for text, want := range map[string]string{
		"": "", "a\n": "a\n", "a": "", "a\nb": "a\n", "a\n\nb": "a\n\n", "a\n" + long: "a\n", long: "", long + "\n" + "b": long + "\n",
	} {
		name := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := run.OpenLines(name, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		had, err := io.ReadAll(j.Written())
		if err != nil || string(had) != want || j.Torn != (text != want) {
			t.Errorf("%.20q: read %.20q, torn %t, %v", text, had, j.Torn, err)
		}
		if err := j.Append([]byte("new")); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want+"new\n" {
			t.Errorf("%.20q has become %.20q, %v", text, got, err)
		}
	}
}

func TestOneWritesAtATime(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, err := run.OpenLines(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.OpenLines(name, 0o600); err == nil || !strings.Contains(err.Error(), "another run writes to this file") {
		t.Errorf("%v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := run.OpenLines(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
