package eval

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/report"
	evalrun "chatterbox/evals/run"
)

// Progress is shown so often: where a person watches, and as plain lines elsewhere.
const (
	progressEvery = 200 * time.Millisecond
	plainEvery    = 15 * time.Second
)

// lineAgain empties the line of a terminal.
const lineAgain = "\r\x1b[K"

// showProgress shows how far a run is, until its end: one line that changes on a terminal, else a line now and then.
// Time passes there also while no trial ends.
func showProgress(env cli.Env) (took func(evalrun.Progress), end func()) {
	var now atomic.Pointer[evalrun.Progress] // nil before the first trial is over
	over := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() { drawProgress(env, now.Load, over) })
	took = func(p evalrun.Progress) { now.Store(&p) }
	return took, func() {
		close(over)
		showing.Wait()
	}
}

// drawProgress draws now and then, and once at the end.
func drawProgress(env cli.Env, now func() *evalrun.Progress, over <-chan struct{}) {
	every := plainEvery
	if env.Screen != nil {
		every = progressEvery
		fmt.Fprint(env.Screen, "no trial is over yet")
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	started, drawn := time.Now(), ""
	for running := true; running; {
		select {
		case <-ticker.C:
		case <-over:
			running = false
		}
		reached := now()
		if reached == nil {
			continue
		}
		since := time.Duration(0)
		if running {
			since = time.Since(started)
		}
		if line := progressLine(*reached, since); line != drawn {
			drawLine(env, line)
			drawn = line
		}
	}
	switch {
	case env.Screen == nil:
	case drawn == "":
		fmt.Fprint(env.Screen, lineAgain) // nothing ran
	default:
		fmt.Fprintln(env.Screen)
	}
}

func drawLine(env cli.Env, line string) {
	if env.Screen == nil {
		fmt.Fprintln(env.Stderr, line)
		return
	}
	if width := env.Width(); width > 0 && len(line) >= width {
		line = line[:width-1] // a line that is broken by the terminal could not be drawn over
	}
	fmt.Fprint(env.Screen, lineAgain+line)
}

// progressLine has ASCII only. Without a time it does not say how long the rest takes.
func progressLine(now evalrun.Progress, since time.Duration) string {
	parts := []string{"success none yet"}
	if judged := now.Passed + now.Failed; judged > 0 {
		parts[0] = "success " + report.Percent(float64(now.Passed)/float64(judged))
	}
	if now.Errors > 0 {
		parts = append(parts, cli.Count(now.Errors, "error"))
	}
	if now.Excluded > 0 {
		parts = append(parts, fmt.Sprintf("%d excluded", now.Excluded))
	}
	if now.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("%.4f USD", now.CostUSD))
	}
	if since > 0 && now.Ran > 0 && now.Ran < now.Planned {
		each := since / time.Duration(now.Ran)
		parts = append(parts, pace(each), (each*time.Duration(now.Planned-now.Ran)).Round(time.Second).String()+" left")
	}
	return fmt.Sprintf("%d of %d trials: %s", now.Ran, now.Planned, strings.Join(parts, ", "))
}

// pace is how many trials end in a second, or in a minute where that is less than one.
func pace(each time.Duration) string {
	if each = max(each, time.Microsecond); each < time.Second {
		return fmt.Sprintf("%.1f/s", float64(time.Second)/float64(each))
	}
	return fmt.Sprintf("%.1f/min", float64(time.Minute)/float64(each))
}
