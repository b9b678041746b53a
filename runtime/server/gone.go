package server

import (
	"net"
	"sync"
	"syscall"
	"time"
)

// goneEvery is how often a running turn looks whether its client is still there.
const goneEvery = 250 * time.Millisecond

// watch calls gone, at most once, when the client of c has left, until stop is called. It looks without reading, so
// that a request sent ahead stays in the connection. A client that only closed its sending half counts as gone too: the
// two cannot be told apart before something is written.
func watch(c net.Conn, gone func()) (stop func()) {
	own, ok := c.(*conn)
	if !ok {
		return func() {}
	}
	socket, ok := own.Conn.(syscall.Conn)
	if !ok {
		return func() {}
	}
	w := &watcher{socket: socket, gone: gone}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(goneEvery, w.look)
	return w.stop
}

type watcher struct {
	socket syscall.Conn
	gone   func()

	mu    sync.Mutex
	timer *time.Timer // guarded by mu; nil once stopped
}

func (w *watcher) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	left := true
	if raw, err := w.socket.SyscallConn(); err == nil {
		// Control, unlike Read, does not mind that the deadline for reading the request has passed.
		if raw.Control(func(fd uintptr) { left = peerGone(fd) }) != nil {
			left = true // closed on this side
		}
	}
	if left {
		w.timer = nil
		w.gone()
		return
	}
	w.timer.Reset(goneEvery)
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}
