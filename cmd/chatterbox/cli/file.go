package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile puts data there whole, or leaves what was there, a program that runs among it. A folder that is missing is made,
// for its owner only.
func WriteFile(file string, data []byte, mode fs.FileMode) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}
