//go:build unix

package run

import (
	"os"
	"syscall"
)

// lockFile keeps other runs away from a file as long as it is open.
func lockFile(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
