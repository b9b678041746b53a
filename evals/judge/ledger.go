package judge

import "maps"

// Ledger knows which trials logs have and how they ended, in one byte for each. Of several lines about a trial the last
// counts, so that an error that was tried again is none any more, but an error never replaces what is none. The zero
// value is empty. It must not be used by several goroutines at once.
type Ledger struct {
	scenarios map[place]*endings
	repeats   map[key]repeat
	trials    int
}

type place struct{ subject, scenario string }

type key struct {
	place
	n int
}

// repeat is a trial that has several lines: how many, and which of them counts, from 1.
type repeat struct{ lines, counts int }

// endings are the outcomes of the trials of one scenario. Trials are numbered from 1, mostly without gaps.
type endings struct {
	dense  []byte       // of trial 1 and on
	sparse map[int]byte // of those far beyond
}

// ahead is how far beyond the last trial a number may be and still be kept among the dense ones.
const ahead = 64

var outcomes = [...]Outcome{"", Pass, Fail, Error, Excluded} // by the byte that is kept

func (e *endings) at(n int) byte {
	if n >= 1 && n <= len(e.dense) && e.dense[n-1] != 0 {
		return e.dense[n-1]
	}
	return e.sparse[n]
}

func (e *endings) set(n int, ending byte) {
	_, far := e.sparse[n]
	switch {
	case far || n < 1 || n > 2*len(e.dense)+ahead:
		if e.sparse == nil {
			e.sparse = map[int]byte{}
		}
		e.sparse[n] = ending
		return
	case n > len(e.dense):
		e.dense = append(e.dense, make([]byte, n-len(e.dense))...)
	}
	e.dense[n-1] = ending
}

// Add takes a line in.
func (l *Ledger) Add(t Trial) {
	if l.scenarios == nil {
		l.scenarios, l.repeats = map[place]*endings{}, map[key]repeat{}
	}
	at := place{t.Subject, t.Scenario}
	e := l.scenarios[at]
	if e == nil {
		e = &endings{}
		l.scenarios[at] = e
	}
	had, counts := outcomes[e.at(t.Trial)], true
	if had == "" {
		l.trials++
	} else {
		again, ok := l.repeats[key{at, t.Trial}]
		if !ok {
			again = repeat{1, 1}
		}
		again.lines++
		if counts = t.Outcome != Error || had == Error; counts {
			again.counts = again.lines
		}
		l.repeats[key{at, t.Trial}] = again
	}
	if counts {
		for ending, outcome := range outcomes {
			if outcome == t.Outcome {
				e.set(t.Trial, byte(ending))
			}
		}
	}
}

// Outcome says how a trial ended, empty when there is no line about it.
func (l *Ledger) Outcome(subject, scenario string, n int) Outcome {
	e := l.scenarios[place{subject, scenario}]
	if e == nil {
		return ""
	}
	return outcomes[e.at(n)]
}

// Trials is how many there are, each once.
func (l *Ledger) Trials() int { return l.trials }

// Repeats says whether a trial has several lines.
func (l *Ledger) Repeats() bool { return len(l.repeats) > 0 }

// Counting returns a function that says of each line whether it counts. It must be called with the lines that were added,
// in the same order.
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
