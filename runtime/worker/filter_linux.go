//go:build amd64 || arm64

package worker

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterKnown says that there is a filter for this processor.
const filterKnown = true

// harmless are the system calls that Go's runtime, pipes and files in memory need. Everything that is not here fails:
// sockets, programs, other processes.
var harmless = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_PREAD64, unix.SYS_PWRITE64,
	unix.SYS_GETDENTS64, unix.SYS_STATX, unix.SYS_READLINKAT, unix.SYS_FCNTL, unix.SYS_FTRUNCATE, unix.SYS_MEMFD_CREATE,
	unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_FUTEX, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_GETPID,
	unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT,
	unix.SYS_EVENTFD2, unix.SYS_PIPE2, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_RESTART_SYSCALL, unix.SYS_UNAME,
	fstatat,
}

// writing are those that a compile worker needs as well, in the folder that it may use.
var writing = []uint32{
	unix.SYS_OPENAT, unix.SYS_MKDIRAT, unix.SYS_RENAMEAT, unix.SYS_UNLINKAT, unix.SYS_UTIMENSAT, unix.SYS_FSYNC,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT,
}

// Where the kernel puts what a filter looks at.
const (
	offsetCall = 0
	offsetArch = 4
	argument0  = 16
	argument2  = 32

	permit   = unix.SECCOMP_RET_ALLOW
	refusal  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	noCall   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	writable = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC
)

func statement(code int, k uint32) unix.SockFilter { return unix.SockFilter{Code: uint16(code), K: k} }

func jump(code int, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: uint16(code), Jt: yes, Jf: no, K: k}
}

// program is the filter, for a process with this number.
func program(pid uint32, compiles bool) []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		set   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
	)
	list := []unix.SockFilter{
		statement(load, offsetArch), jump(equal, auditArch, 1, 0), statement(ret, refusal),
		statement(load, offsetCall),
	}
	calls := harmless
	if compiles {
		calls = append(append([]uint32{}, harmless...), writing...)
	}
	for _, call := range calls {
		list = append(list, jump(equal, call, 0, 1), statement(ret, permit))
	}
	return append(list,
		// A new thread, never a new process.
		jump(equal, unix.SYS_CLONE, 0, 4),
		statement(load, argument0), jump(set, unix.CLONE_THREAD, 0, 1), statement(ret, permit), statement(ret, refusal),
		// A signal to itself.
		jump(equal, unix.SYS_TGKILL, 0, 4),
		statement(load, argument0), jump(equal, pid, 0, 1), statement(ret, permit), statement(ret, refusal),
		// A file to read.
		jump(equal, unix.SYS_OPENAT, 0, 4),
		statement(load, argument2), jump(set, writable, 1, 0), statement(ret, permit), statement(ret, refusal),
		jump(equal, unix.SYS_CLONE3, 0, 1), statement(ret, noCall),
		statement(ret, refusal),
	)
}

// filterCalls puts the filter in place for all threads.
func filterCalls(compiles bool) bool {
	list := program(uint32(unix.Getpid()), compiles)
	filter := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&filter)))
	return errno == 0
}
