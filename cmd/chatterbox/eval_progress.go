package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	evalrun "chatterbox/evals/run"
)

// Progress is shown so often: where a person watches, and as plain lines elsewhere.
const (
	progressEvery = 200 * time.Millisecond
	plainEvery    = 15 * time.Second
)

// lineAgain empties the line of a terminal.
const lineAgain = "\r\x1b[K"

// evalProgress shows how far a run is: one line that changes on a terminal, else a line now and then. Time passes there
// also while no trial ends.
type evalProgress struct {
	to      io.Writer
	screen  *os.File // nil where no person watches
	started time.Time
	stop    chan struct{}
	stopped sync.WaitGroup

	mu  sync.Mutex
	now *evalrun.Progress // guarded by mu; nil before the first trial is over
}

// startEvalProgress begins to show, until end.
func startEvalProgress(env env) *evalProgress {
	p := &evalProgress{to: env.Stderr, screen: env.Screen, started: time.Now(), stop: make(chan struct{})}
	p.stopped.Go(p.tick)
	return p
}

// tick draws now and then, and once at the end.
func (p *evalProgress) tick() {
	every := plainEvery
	if p.screen != nil {
		every = progressEvery
		fmt.Fprint(p.screen, "no trial is over yet")
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	drawn := ""
	for running := true; running; {
		select {
		case <-ticker.C:
		case <-p.stop:
			running = false
		}
		if line := p.line(running); line != "" && line != drawn {
			p.draw(line)
			drawn = line
		}
	}
	switch {
	case p.screen == nil:
	case drawn == "":
		fmt.Fprint(p.screen, lineAgain) // nothing ran
	default:
		fmt.Fprintln(p.screen)
	}
}

// took takes in how far the run is.
func (p *evalProgress) took(now evalrun.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = &now
}

// line is what is shown now, empty before the first trial is over.
func (p *evalProgress) line(running bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == nil {
		return ""
	}
	since := time.Duration(0)
	if running {
		since = time.Since(p.started)
	}
	return progressLine(*p.now, since)
}

func (p *evalProgress) draw(line string) {
	if p.screen == nil {
		fmt.Fprintln(p.to, line)
		return
	}
	if width, _, err := term.GetSize(int(p.screen.Fd())); err == nil && width > 0 && len(line) >= width {
		line = line[:width-1] // a line that is broken by the terminal could not be drawn over
	}
	fmt.Fprint(p.screen, lineAgain+line)
}

// end shows how far the run came.
func (p *evalProgress) end() {
	close(p.stop)
	p.stopped.Wait()
}

// progressLine has ASCII only. Without a time it does not say how long the rest takes.
func progressLine(now evalrun.Progress, since time.Duration) string {
	parts := []string{"success none yet"}
	if judged := now.Passed + now.Failed; judged > 0 {
		parts[0] = "success " + percent(float64(now.Passed)/float64(judged))
	}
	if now.Errors > 0 {
		parts = append(parts, plural(now.Errors, "error"))
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

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
