//go:build !linux

package run

import "syscall"

// ownProcess is not there on this system.
func ownProcess() *syscall.SysProcAttr { return nil }
