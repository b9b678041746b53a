package run

import (
	"fmt"
	"io"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// Merge writes the trials of several logs as one, each trial once, as a ledger counts them. Logs with different
// versions of a scenario are refused. It returns how many trials there are, and which logs have a last line without its
// end, which is left out.
func Merge(to io.Writer, names []string) (trials int, torn []string, err error) {
	logs, err := report.Open(names)
	if err != nil {
		return 0, nil, err
	}
	versions := map[string]string{}
	err = logs.Each(func(t judge.Trial) error {
		trials++
		had := versions[t.Scenario]
		if t.Version == "" {
			return nil
		}
		versions[t.Scenario] = t.Version
		if had != "" && had != t.Version {
			return fmt.Errorf("trials of several versions of %s cannot be counted together", t.Scenario)
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	return trials, logs.Torn, report.JSONL(to, logs)
}
