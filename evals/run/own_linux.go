package run

import "syscall"

// ownProcess keeps Ctrl-C, which is for the run, away from a product, and ends the product with a run that is killed.
func ownProcess() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
