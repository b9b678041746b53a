package server

import "golang.org/x/sys/unix"

// peerGone reports whether the other end of the socket has closed it, or its own half. Bytes that wait to be read do
// not hide it, and none is taken.
func peerGone(fd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
}
