package bfcl

import "io"

// ReadScore reads a published score file: a first object with the totals, then one for each result that failed. It
// gives the ids of those; name is the file's, for errors.
func ReadScore(name string, from io.Reader) (failed map[string]bool, err error) {
	failed = map[string]bool{}
	err = objects(name, from, func(entry *dict) error {
		if _, isTotal := entry.values["total_count"]; isTotal {
			return nil
		}
		id, err := idOf(entry)
		if err != nil {
			return err
		}
		failed[id] = entry.values["valid"] != true
		return nil
	})
	return failed, err
}
