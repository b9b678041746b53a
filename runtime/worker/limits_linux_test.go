package worker_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"chatterbox/runtime/worker"
)

// TestLowerLimitsOfTheSurroundingsStay has workers started where a hard limit is below their own: they run, within it.
func TestLowerLimitsOfTheSurroundingsStay(t *testing.T) {
	for limit, want := range map[string]string{
		"-d 180000": "Max data size 184320000 184320000 bytes", // of 1024 bytes
		"-f 40000":  "Max file size 20480000 20480000 bytes",   // of 512 bytes
		"-n 48":     "Max open files 48 48 files",
		"-t 1":      "Max cpu time 1 1 seconds",
	} {
		t.Run(limit, func(t *testing.T) {
			if worker.RaceDetector && strings.HasPrefix(limit, "-d") {
				t.Skip("the race detector alone takes more")
			}
			below := append([]string{"/bin/sh", "-c", `ulimit ` + limit + `; exec "$@"`, "sh"}, command...)
			pool := newPool(t, worker.Options{Command: below})
			module := add(t, pool, "echo_reactor")
			out := pool.Call(t.Context(), worker.Call{Digest: module.Digest, Tool: "x", Arguments: []byte(`{"a":1}`)}, nil)
			if out.Fault != worker.NoFault || !strings.Contains(string(out.Result), `"a":1`) {
				t.Fatalf("%s %s %s", out.Result, out.Fault, out.Message)
			}
			held := children()
			if len(held) == 0 {
				t.Error("there is no worker whose limits could be read")
			}
			for _, id := range held {
				text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", id))
				if limits := strings.Join(strings.Fields(string(text)), " "); err != nil || !strings.Contains(limits, want) {
					t.Errorf("the limits are %s, %v", text, err)
				}
			}
		})
	}
}
