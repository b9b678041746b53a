package run_test

import (
	"strings"
	"testing"

	"chatterbox/evals/run"
)

// full is a file that nothing can be written to, as on a full disk.
const full = "/dev/full"

// TestAFullDiskEndsARun shows that what cannot be kept is no trial.
func TestAFullDiskEndsARun(t *testing.T) {
	w := newWorld(t)
	recording, err := run.StartRecording(full)
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close() //nolint:errcheck // nothing was written
	result, err := w.run(t.Context(), func(o *run.Options) { o.Recording = recording })
	if err == nil || !strings.Contains(err.Error(), "record: write "+full) || result.Ran != 0 || len(w.trials()) != 0 {
		t.Errorf("the recording's: %+v, %v", result, err)
	}
	log, err := run.OpenLog(full)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() //nolint:errcheck // nothing was written
	result, err = w.run(t.Context(), func(o *run.Options) { o.Log = log })
	if err == nil || !strings.Contains(err.Error(), "write the log: ") || result.Ran != 0 {
		t.Errorf("the log's: %+v, %v", result, err)
	}
}
