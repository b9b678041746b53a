package eval

import (
	"testing"
	"time"

	evalrun "chatterbox/evals/run"
)

func TestProgressLine(t *testing.T) {
	for want, c := range map[string]struct {
		now   evalrun.Progress
		since time.Duration
	}{
		"1 of 560 trials: success 100.0 %, 2.0/min, 4h39m30s left": {evalrun.Progress{Planned: 560, Ran: 1, Passed: 1}, 30 * time.Second},
		"40 of 80 trials: success 75.0 %, 20.0/s, 2s left":         {evalrun.Progress{Planned: 80, Ran: 40, Passed: 30, Failed: 10}, 2 * time.Second},
		"3 of 9 trials: success none yet, 3 errors, 3.0/s, 2s left": {
			evalrun.Progress{Planned: 9, Ran: 3, Errors: 3}, time.Second,
		},
		"10 of 10 trials: success 50.0 %, 1 error, 1 excluded, 0.1250 USD": {
			evalrun.Progress{Planned: 10, Ran: 10, Passed: 4, Failed: 4, Errors: 1, Excluded: 1, CostUSD: .125}, time.Second,
		},
	} {
		if got := progressLine(c.now, c.since); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
