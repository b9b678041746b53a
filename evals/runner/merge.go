package runner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"chatterbox/evals/trial"
)

// Merge writes the trials of several logs as one, each trial once, as a ledger counts them. Logs with different versions of
// a scenario are refused. It returns how many trials there are.
func Merge(to io.Writer, names []string) (int, error) {
	var ledger trial.Ledger
	versions := map[string]string{}
	err := eachTrial(names, func(name string, t trial.Trial) error {
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
		return 0, err
	}
	out := bufio.NewWriter(to)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	counts := ledger.Counting()
	err = eachTrial(names, func(_ string, t trial.Trial) error {
		if !counts(t) {
			return nil
		}
		return encoder.Encode(t)
	})
	if err != nil {
		return 0, err
	}
	return ledger.Trials(), out.Flush()
}

// eachTrial reads logs one after the other.
func eachTrial(names []string, each func(name string, t trial.Trial) error) error {
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		err = trial.Read(name, file, func(t trial.Trial) error { return each(name, t) })
		file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
