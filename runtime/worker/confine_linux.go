package worker

import (
	"fmt"
	"math"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filesMax is how many descriptors a worker may have.
const filesMax = 64

// attributes make a worker end with its server, whatever ends that, and keep the keys of a terminal from it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// noNewPrivileges makes the calling thread, and what it starts, unable to gain rights by starting programs.
func noNewPrivileges() { _ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }

// closeOnExec keeps what this process has open from the programs that it starts, whoever opened it and however. Kernels
// before 5.11 cannot; there it is up to those who open.
func closeOnExec() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// confine shuts this process in and says which walls hold. The limits must hold, those that its surroundings set lower
// as they are; the rest is as the kernel has it.
func confine(s setup) (held string, err error) {
	for _, limit := range []struct {
		what int
		most uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_NOFILE, filesMax},
		{unix.RLIMIT_FSIZE, uint64(compileMemory)}, // files in memory count
		{unix.RLIMIT_DATA, uint64(s.memory)},
		{unix.RLIMIT_CPU, uint64(s.processor)},
	} {
		if limit.what == unix.RLIMIT_CPU && limit.most == 0 {
			continue
		}
		if raceDetector && (limit.what == unix.RLIMIT_DATA || limit.what == unix.RLIMIT_CPU) {
			continue
		}
		var given unix.Rlimit // unlimited is more than any number
		if err := unix.Getrlimit(limit.what, &given); err != nil {
			return "", fmt.Errorf("read limit %d: %w", limit.what, err)
		}
		most := min(limit.most, given.Max)
		if err := unix.Setrlimit(limit.what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return "", fmt.Errorf("limit %d: %w", limit.what, err)
		}
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	walls := []string{"rlimit"}
	if set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err == nil && set == 1 {
		walls = append(walls, "no_new_privs")
	}
	fenced := restrictFiles(s)
	if filterCalls(s.compile) {
		walls = append(walls, "seccomp")
	}
	if fenced {
		walls = append(walls, "landlock")
	}
	return strings.Join(walls, ", "), nil
}

// walls are those that a worker will have as far as can be told without one.
func walls() string {
	list := []string{"rlimit", "no_new_privs"}
	if filterKnown {
		if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err == nil {
			list = append(list, "seccomp")
		}
	}
	if landlockVersion() > 0 && reachesAllThreads() {
		list = append(list, "landlock")
	}
	return strings.Join(list, ", ")
}

// reachesAllThreads says whether Go can have all threads make a system call: not where the program is linked with C.
func reachesAllThreads() bool {
	_, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0)
	return errno != syscall.ENOTSUP
}

// What landlock can refuse, by the version that began it.
const (
	filesV1 = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	filesV2 = unix.LANDLOCK_ACCESS_FS_REFER
	filesV3 = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	netV4   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	filesV5 = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	mayRead = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

func landlockVersion() int {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// restrictFiles leaves the cache as the only folder that this process can use, to read, or to write where it compiles.
func restrictFiles(s setup) bool {
	version := landlockVersion()
	if version < 1 {
		return false
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: filesV1}
	size := uintptr(8)
	for _, more := range []struct {
		version    int
		files, net uint64
	}{{2, filesV2, 0}, {3, filesV3, 0}, {4, 0, netV4}, {5, filesV5, 0}} {
		if version >= more.version {
			rules.Handled_access_fs |= more.files
			rules.Handled_access_net |= more.net
		}
	}
	if version >= 4 {
		size = 16
	}
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return false
	}
	defer unix.Close(int(fd))
	if s.cacheDir != "" {
		access := uint64(mayRead)
		if s.compile {
			access = rules.Handled_access_fs &^ unix.LANDLOCK_ACCESS_FS_EXECUTE
		}
		allow(int(fd), s.cacheDir, access)
	}
	// Of each thread: one that is not in is a way out.
	_, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	return errno == 0
}

// allow makes an exception of a folder. Where it cannot be opened it could not be used either.
func allow(rules int, folder string, access uint64) {
	dir, err := unix.Open(folder, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(dir)}
	_, _, _ = unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
}
