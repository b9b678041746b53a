package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"chatterbox/evals/trial"
)

// This file is the log. Its rules: a trial is one line, written by one call and only when it is over; what was written is
// never changed; an end without a line break is what a killed run leaves behind, and is cut off before more is written;
// what cannot be written whole is taken back, so that a full disk leaves a log that can be read.

// syncEvery is how much a power failure may cost. A run that is killed loses nothing.
const syncEvery = time.Second

// Log is the log of a run, open to be continued.
type Log struct {
	// Torn says that the last line of the log had no end and was cut off.
	Torn bool

	mu     sync.Mutex
	file   *os.File
	size   int64 // of what is whole
	synced time.Time
	broken error // why nothing more is written

	done     trial.Ledger
	versions map[string]string // by scenario
}

// OpenLog opens a log, which is made if it is not there, and reads which trials it has. A log that another run writes to
// is refused.
func OpenLog(name string) (*Log, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	l := &Log{file: file, versions: map[string]string{}}
	if err := l.open(name); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

func (l *Log) open(name string) error {
	if err := lock(l.file); err != nil {
		return fmt.Errorf("%s: another run writes to this log: %w", name, err)
	}
	if err := l.cut(); err != nil {
		return err
	}
	return trial.Read(name, io.NewSectionReader(l.file, 0, l.size), func(t trial.Trial) error {
		l.done.Add(t)
		if t.Version != "" {
			l.versions[t.Scenario] = t.Version
		}
		return nil
	})
}

// cut removes a last line without its end.
func (l *Log) cut() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		start := max(0, end-int64(len(block)))
		n, err := l.file.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := bytes.LastIndexByte(block[:n], '\n'); at >= 0 {
			l.size = start + int64(at) + 1
			break
		}
		end = start
	}
	if l.Torn = l.size != info.Size(); l.Torn {
		return l.file.Truncate(l.size)
	}
	return nil
}

// Has says how a trial ended, empty when the log does not have it.
func (l *Log) Has(subject, scenario string, n int) trial.Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done.Outcome(subject, scenario, n)
}

// Version is the version of a scenario that the log has trials of, empty for none.
func (l *Log) Version(scenario string) string { return l.versions[scenario] }

// Append writes a trial.
func (l *Log) Append(t trial.Trial) error {
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	if _, err := l.file.Write(line); err != nil {
		l.broken = fmt.Errorf("write the log: %w", errors.Join(err, l.file.Truncate(l.size)))
		return l.broken
	}
	l.size += int64(len(line))
	l.done.Add(t)
	if now := time.Now(); now.Sub(l.synced) >= syncEvery {
		l.synced = now
		return l.file.Sync()
	}
	return nil
}

// Close makes the log durable and closes it.
func (l *Log) Close() error { return errors.Join(l.file.Sync(), l.file.Close()) }
