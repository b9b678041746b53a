package runner_test

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"chatterbox/evals/runner"
	"chatterbox/evals/trial"
)

// TestAFullDiskLeavesAWholeLog lets no file grow beyond a limit in the middle of a line, as a full disk does.
func TestAFullDiskLeavesAWholeLog(t *testing.T) {
	w := newWorld(t)
	log, err := runner.OpenLog(w.log)
	if err != nil {
		t.Fatal(err)
	}
	one := trial.Trial{Subject: "s", Scenario: "x", Outcome: trial.Pass, Detail: strings.Repeat("x", 100)}
	add := func(n int) error {
		one.Trial = n
		return log.Append(one)
	}
	for n := 1; n <= 3; n++ {
		if err := add(n); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(w.log)
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
	first, second := add(4), add(5)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &had); err != nil {
		t.Fatal(err)
	}
	if first == nil || second == nil || !strings.Contains(first.Error(), "write the log: ") {
		t.Errorf("%v, then %v", first, second)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(w.log); err != nil || after.Size() != info.Size() {
		t.Errorf("the log has %d bytes, had %d (%v)", after.Size(), info.Size(), err)
	}
	again, err := runner.OpenLog(w.log)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Torn || len(w.trials()) != 3 || again.Has("s", "x", 3) != trial.Pass || again.Has("s", "x", 4) != "" {
		t.Errorf("torn %t, %d trials", again.Torn, len(w.trials()))
	}
}
