package worker

import (
	"fmt"
	"math"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
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
	if landlockVersion() > 0 {
		list = append(list, "landlock")
	}
	return strings.Join(list, ", ")
}

func landlockVersion() int {
	version, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}

// restrictFiles leaves the cache as the only folder that this process can use, to read, or to write where it compiles.
// A folder that cannot be opened could not be used either.
func restrictFiles(s setup) bool {
	if landlockVersion() == 0 {
		return false
	}
	known := landlock.V5.BestEffort()
	access := landlock.AccessFSSet(landlocksys.AccessFSReadFile | landlocksys.AccessFSReadDir)
	if s.compile {
		// Best effort would be none where the kernel does not know AccessFSRefer.
		access = landlock.V5.HandledAccessFS &^ (landlocksys.AccessFSExecute | landlocksys.AccessFSRefer)
	}
	return s.cacheDir != "" && known.Restrict(landlock.PathAccess(access, s.cacheDir)) == nil || known.Restrict() == nil
}
