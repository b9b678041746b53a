package runner_test

import (
	"strings"
	"testing"

	"chatterbox/evals/runner"
	"chatterbox/evals/tape"
)

// full is a file that nothing can be written to, as on a full disk.
const full = "/dev/full"

// TestAFullDiskEndsARun shows that what cannot be kept is no trial.
func TestAFullDiskEndsARun(t *testing.T) {
	w := newWorld(t)
	recording, err := tape.Record(full)
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close() //nolint:errcheck // nothing was written
	result, err := w.run(t.Context(), func(o *runner.Options) { o.Tape = recording })
	if err == nil || !strings.Contains(err.Error(), "record: write "+full) || result.Ran != 0 || len(w.trials()) != 0 {
		t.Errorf("the tape's: %+v, %v", result, err)
	}
	log, err := runner.OpenLog(full)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // nothing was written
	result, err = w.run(t.Context(), func(o *runner.Options) { o.Log = log })
	if err == nil || !strings.Contains(err.Error(), "write the log: ") || result.Ran != 0 {
		t.Errorf("the log's: %+v, %v", result, err)
	}
}
