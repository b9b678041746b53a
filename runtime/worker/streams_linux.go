package worker

import (
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Streams are this process's standard streams as [Serve] best uses them. It is called once.
func Streams() (from io.Reader, to io.Writer) {
	if p := newPipe(os.Stdin); p != nil {
		from = p
	} else {
		from = os.Stdin
	}
	if p := newPipe(os.Stdout); p != nil {
		to = p
	} else {
		to = os.Stdout
	}
	return from, to
}

// pipe is a pipe whose system calls never block, so that they need not be announced to Go's scheduler. An announced one
// wakes the scheduler's own thread, which then looks after the process several times over: for a worker that has slept since
// the call before, a third of the processor time of a short call.
type pipe struct {
	file *os.File
	raw  syscall.RawConn
}

// newPipe is nil where file is nothing that can be waited for without a thread.
func newPipe(file *os.File) *pipe {
	descriptor := file.Fd()
	if syscall.SetNonblock(int(descriptor), true) != nil {
		return nil
	}
	p := &pipe{file: os.NewFile(descriptor, file.Name())}
	var err error
	if p.raw, err = p.file.SyscallConn(); err == nil && p.file.SetDeadline(time.Time{}) == nil {
		return p
	}
	_ = syscall.SetNonblock(int(descriptor), false)
	return nil
}

func (p *pipe) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var n uintptr
	var errno syscall.Errno
	err := p.raw.Read(func(descriptor uintptr) bool {
		n, errno = call(syscall.SYS_READ, descriptor, b)
		return errno != syscall.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case errno != 0:
		return 0, errno
	case n == 0:
		return 0, io.EOF
	}
	return int(n), nil
}

func (p *pipe) Write(b []byte) (written int, err error) {
	for written < len(b) {
		var n uintptr
		var errno syscall.Errno
		err := p.raw.Write(func(descriptor uintptr) bool {
			n, errno = call(syscall.SYS_WRITE, descriptor, b[written:])
			return errno != syscall.EAGAIN
		})
		switch {
		case err != nil:
			return written, err
		case errno != 0:
			return written, errno
		}
		written += int(n)
	}
	return written, nil
}

// call makes a system call that does not block.
func call(number, descriptor uintptr, b []byte) (uintptr, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(number, descriptor, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if errno != syscall.EINTR {
			return n, errno
		}
	}
}
