//go:build linux

package worker

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	fstatat   = unix.SYS_NEWFSTATAT
)
