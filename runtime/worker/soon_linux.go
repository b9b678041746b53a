package worker

import (
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// soon is a pipe whose other side most often writes at once. Each Read first waits for so long without a word to Go's
// scheduler, which would otherwise wake threads to find other work for the meantime: that costs more than the wait.
type soon struct {
	*os.File
	descriptor int32
	wait       time.Duration
}

func expectSoon(file *os.File, wait time.Duration) io.Reader {
	s := &soon{File: file, wait: wait}
	raw, err := file.SyscallConn()
	if err == nil {
		err = raw.Control(func(descriptor uintptr) { s.descriptor = int32(descriptor) })
	}
	if err != nil {
		return file
	}
	return s
}

// Read waits in vain where the file was closed meanwhile, or where the call is not permitted; File.Read tells.
func (s *soon) Read(p []byte) (int, error) {
	wait := unix.NsecToTimespec(int64(s.wait))
	poll := unix.PollFd{Fd: s.descriptor, Events: unix.POLLIN}
	_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
	return s.File.Read(p)
}
