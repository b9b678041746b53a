//go:build !linux

package target

import "syscall"

// ownProcess is not there on this system.
func ownProcess() *syscall.SysProcAttr { return nil }
