// Package files puts whole files on the disk.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts a file there whole, or leaves what was there, whatever happens meanwhile. It is on the disk when Write
// returns. A folder that is missing is made, for its owner alone.
func Write(path string, data []byte, mode fs.FileMode) (err error) {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = errors.Join(file.Chmod(mode), file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return SyncFolder(folder)
}
