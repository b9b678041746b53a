package run

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"chatterbox/evals/judge"
)

// Merge writes the trials of several logs as one, each trial once, as a ledger counts them. Logs with different
// versions of a scenario are refused. It returns how many trials there are, and which logs have a last line without
// its end, which is left out.
func Merge(to io.Writer, names []string) (trials int, torn []string, err error) {
	var ledger judge.Ledger
	versions := map[string]string{}
	torn, err = eachTrial(names, func(name string, t judge.Trial) error {
		if had := versions[t.Scenario]; t.Version != "" && had != "" && had != t.Version {
			return fmt.Errorf("%s has trials of another version of %s: they cannot be counted together", name, t.Scenario)
		}
		if t.Version != "" {
			versions[t.Scenario] = t.Version
		}
		ledger.Add(t)
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	out := bufio.NewWriter(to)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	counts := ledger.Counting()
	_, err = eachTrial(names, func(_ string, t judge.Trial) error {
		if !counts(t) {
			return nil
		}
		return encoder.Encode(t)
	})
	if err != nil {
		return 0, nil, err
	}
	return ledger.Trials(), torn, out.Flush()
}

// eachTrial reads logs one after the other, and says which of them are torn.
func eachTrial(names []string, each func(name string, t judge.Trial) error) (torn []string, err error) {
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		noEnd, err := judge.ReadTornTrials(name, file, func(t judge.Trial) error { return each(name, t) })
		file.Close()
		if err != nil {
			return nil, err
		}
		if noEnd {
			torn = append(torn, name)
		}
	}
	return torn, nil
}
