package run

import (
	"encoding/json"
	"fmt"
	"sync"

	"chatterbox/evals/judge"
)

// Log is the log of a run, open to be continued: a trial is one line, written when it is over.
type Log struct {
	*Lines

	mu       sync.Mutex
	done     judge.Ledger      // guarded by mu
	versions map[string]string // by scenario
	spent    float64           // in USD, by what it had when it was opened
}

// OpenLog opens a log, which is made if it is not there, and reads which trials it has. A log that another run writes
// to is refused.
func OpenLog(name string) (*Log, error) {
	file, err := OpenLines(name, 0o644)
	if err != nil {
		return nil, err
	}
	l := &Log{Lines: file, versions: map[string]string{}}
	if err := judge.ReadTrials(name, file.Written(), l.had); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// had takes in a trial that the log has.
func (l *Log) had(t judge.Trial) error {
	l.done.Add(t)
	if t.CostUSD != nil {
		l.spent += *t.CostUSD
	}
	if t.Version != "" {
		l.versions[t.Scenario] = t.Version
	}
	return nil
}

// Has says how a trial ended, empty when the log does not have it.
func (l *Log) Has(subject, scenario string, n int) judge.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done.Outcome(subject, scenario, n)
}

// Version is the version of a scenario that the log has trials of, empty for none.
func (l *Log) Version(scenario string) string { return l.versions[scenario] }

// Append writes a trial.
func (l *Log) Append(t judge.Trial) error {
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.Lines.Append(line); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	l.done.Add(t)
	return nil
}
