//go:build unix

package agenda

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// locked runs change while nobody else, in this process or another, changes the folder.
func (s *store) locked(change func() error) (err error) {
	lock, err := os.OpenFile(filepath.Join(s.dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which gives the lock back
	for {
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return err
	}
	return change()
}
