package worker_test

import (
	"testing"

	"chatterbox/runtime/worker"
)

// TestWorkIsCounted holds that the same call is the same work, also in an instance that was used before, and that a
// call which does next to nothing is less than a step.
func TestWorkIsCounted(t *testing.T) {
	pool := newPool(t, worker.Options{})
	for name, least := range map[string]int64{"computes": 2 * worker.WorkStep, "echo_reactor": 0} {
		module := add(t, pool, name)
		var first int64
		for i := range 3 {
			output := pool.Call(t.Context(), worker.Call{Digest: module.Digest, Tool: "it", Arguments: []byte("{}")}, nil)
			if output.Fault != worker.NoFault || output.Work < least || output.Work%worker.WorkStep != 0 || least == 0 && output.Work != 0 {
				t.Errorf("%s: %+v, want work of at least %d", name, output, least)
			}
			if i == 0 {
				first = output.Work
			} else if output.Work != first {
				t.Errorf("%s: call %d is %d units of work, the first was %d", name, i, output.Work, first)
			}
		}
	}
}
