//go:build unix

package files

import (
	"errors"
	"os"
)

// SyncFolder makes a name that is new in a folder, or removed from it, durable.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
