package run_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/perf/heap"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// right is a subject that does what is right, without a model, and takes its time for it.
type right struct{ takes time.Duration }

func (r right) Prepare(context.Context, scenario.Plan, []scenario.Tool) (run.Setup, error) {
	return run.Setup{Begin: func(context.Context, *run.Connection) (run.Say, error) { return r.say, nil }}, nil
}

func (r right) say(ctx context.Context, _ string) (judge.Observed, error) {
	if r.takes > 0 {
		timer := time.NewTimer(r.takes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return judge.Observed{}, ctx.Err()
		}
	}
	call := judge.Call{Name: "light", Arguments: json.RawMessage(`{"room":"hall"}`), Result: json.RawMessage(`{"done":true}`)}
	return judge.Observed{Answer: "Done.", Calls: []judge.Call{call}, Asked: 2}, nil
}

// bytesPerTrialMost is what a trial may leave in memory until its run is over: how it ended, and room for the next
// ones.
const bytesPerTrialMost = 8

// TestMemoryDoesNotGrowWithTrials looks at the heap after 2,000 and after 20,000 trials of one run.
func TestMemoryDoesNotGrowWithTrials(t *testing.T) {
	const few, many = 2_000, 20_000
	w := newWorld(t)
	var after []int64
	result, err := w.run(t.Context(), func(o *run.Options) {
		o.Scenarios, o.Runs, o.Subjects[0].Strategy, o.Subjects[0].Player = o.Scenarios[:1], many, right{}, nil
		o.Progress = func(p run.Progress) {
			if p.Ran == few || p.Ran == many {
				after = append(after, heap.InUse())
			}
		}
	})
	if err != nil || result.Passed != many || len(after) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	each := float64(after[1]-after[0]) / (many - few)
	t.Logf("heap after %d trials %d KiB, after %d %d KiB: %.1f bytes a trial", few, after[0]>>10, many, after[1]>>10, each)
	if each > bytesPerTrialMost {
		t.Errorf("%.1f bytes a trial stay, want at most %d", each, bytesPerTrialMost)
	}
}
