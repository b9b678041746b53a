package judge

import (
	"maps"
	"slices"
)

// Ledger knows which trials logs have and how they ended, in one byte for each. Of several lines about a trial the last
// counts, so that an error that was tried again is none any more, but an error never replaces what is none. The zero
// value is empty. It must not be used by several goroutines at once.
type Ledger struct {
	dense   map[place][]byte // how trial 1 and those after it ended
	sparse  map[key]byte     // how those far beyond ended
	repeats map[key]repeat
	trials  int
}

type place struct{ subject, scenario string }

type key struct {
	place
	n int
}

// repeat is a trial that has several lines: how many, and which of them counts, from 1.
type repeat struct{ lines, counts int }

// ahead is how far beyond the last trial a number may be and still be kept among the dense ones. Trials are numbered
// from 1, mostly without gaps.
const ahead = 64

var outcomes = []Outcome{"", Pass, Fail, Error, Excluded} // by the byte that is kept

// Outcome says how a trial ended, empty when there is no line about it.
func (l *Ledger) Outcome(subject, scenario string, n int) Outcome {
	at := key{place{subject, scenario}, n}
	if dense := l.dense[at.place]; n >= 1 && n <= len(dense) && dense[n-1] != 0 {
		return outcomes[dense[n-1]]
	}
	return outcomes[l.sparse[at]]
}

func (l *Ledger) set(at key, outcome Outcome) {
	ending, dense := byte(slices.Index(outcomes, outcome)), l.dense[at.place]
	if _, far := l.sparse[at]; far || at.n < 1 || at.n > 2*len(dense)+ahead {
		l.sparse[at] = ending
		return
	}
	if missing := at.n - len(dense); missing > 0 {
		dense = append(dense, make([]byte, missing)...)
		l.dense[at.place] = dense
	}
	dense[at.n-1] = ending
}

// Add takes a line in.
func (l *Ledger) Add(t Trial) {
	if l.dense == nil {
		l.dense, l.sparse, l.repeats = map[place][]byte{}, map[key]byte{}, map[key]repeat{}
	}
	at := key{place{t.Subject, t.Scenario}, t.Trial}
	had := l.Outcome(t.Subject, t.Scenario, t.Trial)
	counts := t.Outcome != Error || had == Error || had == ""
	if counts {
		l.set(at, t.Outcome)
	}
	if had == "" {
		l.trials++
		return
	}
	again := l.repeats[at]
	if again.lines == 0 {
		again = repeat{1, 1}
	}
	again.lines++
	if counts {
		again.counts = again.lines
	}
	l.repeats[at] = again
}

// Trials is how many there are, each once.
func (l *Ledger) Trials() int { return l.trials }

// Repeats says whether a trial has several lines.
func (l *Ledger) Repeats() bool { return len(l.repeats) > 0 }

// Counting returns a function that says of each line whether it counts. It must be called with the lines that were
// added, in the same order.
func (l *Ledger) Counting() func(Trial) bool {
	left := maps.Clone(l.repeats)
	return func(t Trial) bool {
		at := key{place{t.Subject, t.Scenario}, t.Trial}
		again, ok := left[at]
		if !ok {
			return true
		}
		again.counts--
		left[at] = again
		return again.counts == 0
	}
}
