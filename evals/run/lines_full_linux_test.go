package run_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"chatterbox/evals/run"
)

// TestAFullDiskLeavesWholeLines lets no file grow beyond a limit in the middle of a line, as a full disk does.
func TestAFullDiskLeavesWholeLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal")
	j, err := run.OpenLines(name, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Repeat("x", 100))
	for range 3 {
		if err := j.Append(line); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	var had syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &had); err != nil {
		t.Fatal(err)
	}
	full := had
	full.Cur = uint64(info.Size()) + 50
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	first := j.Append(line)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &had); err != nil {
		t.Fatal(err)
	}
	if second := j.Append(line); first == nil || second == nil || j.Err() == nil {
		t.Errorf("%v, then %v", first, second)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(name); err != nil || after.Size() != info.Size() {
		t.Errorf("%d bytes, had %d (%v)", after.Size(), info.Size(), err)
	}
	if again, err := run.OpenLines(name, 0o600); err != nil || again.Torn || again.Close() != nil {
		t.Errorf("torn: %v", err)
	}
}
