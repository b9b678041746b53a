package report

import (
	"bufio"
	"encoding/json"
	"io"

	"chatterbox/evals/judge"
)

// JSONL writes the trials that count, one a line, with their transcripts: a log again.
func JSONL(to io.Writer, l *Logs) error {
	buffered := bufio.NewWriter(to)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	if err := l.Each(func(t judge.Trial) error { return encoder.Encode(t) }); err != nil {
		return err
	}
	return buffered.Flush()
}
