package report

import (
	"fmt"
	"os"
	"strings"

	"chatterbox/evals/judge"
)

// Logs are the logs of evaluations: read for what they add up to, and again where whole trials are needed.
type Logs struct {
	Collector
	// Torn are the logs whose last line had no end. It is left out.
	Torn  []string
	files []logFile
	known judge.Ledger
}

// logFile is a log as it was when it was opened.
type logFile struct {
	name   string
	trials int // lines
}

// Open reads logs, once unless they have several lines about a trial. Those with trials of one subject on several
// versions of a scenario are refused: such trials cannot be counted together.
func Open(names []string) (*Logs, error) {
	l := &Logs{}
	for _, name := range names {
		file := logFile{name: name}
		torn, err := read(name, func(t judge.Trial) error {
			file.trials++
			l.known.Add(t)
			l.Add(t)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if torn {
			l.Torn = append(l.Torn, name)
		}
		l.files = append(l.files, file)
	}
	if mixed := l.Mixed(); len(mixed) > 0 {
		return nil, fmt.Errorf("%s: trials of several versions of %s cannot be counted together",
			strings.Join(names, ", "), strings.Join(mixed, ", "))
	}
	if !l.known.Repeats() {
		return l, nil
	}
	l.Collector = Collector{}
	return l, l.Each(func(t judge.Trial) error {
		l.Add(t)
		return nil
	})
}

func read(name string, each func(judge.Trial) error) (torn bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return judge.ReadTornTrials(name, file, each)
}

// Each calls each with the trials that count, whole, in the order of the logs. What was written to them since they were
// opened is left out.
func (l *Logs) Each(each func(judge.Trial) error) error {
	counts := l.known.Counting()
	for _, file := range l.files {
		n := 0
		if _, err := read(file.name, func(t judge.Trial) error {
			if n++; n <= file.trials && counts(t) {
				return each(t)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
