//go:build unix && !linux

package server

import "golang.org/x/sys/unix"

// peerGone reports whether the other end of the socket has closed it, or its own half. None of the bytes that wait to
// be read is taken; while some wait, the end behind them is not seen.
func peerGone(fd uintptr) bool {
	var b [1]byte
	n, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil {
		return err != unix.EAGAIN && err != unix.EINTR
	}
	return n == 0
}
