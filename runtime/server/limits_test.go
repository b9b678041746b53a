package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scarce is a listener that is out of descriptors for a while and is then closed.
type scarce struct {
	net.Listener
	failures int
}

func (s *scarce) Accept() (net.Conn, error) {
	if s.failures == 0 {
		return nil, net.ErrClosed
	}
	s.failures--
	return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
}

func TestRunningOutOfDescriptorsPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		l := newListener(&scarce{failures: 20}, 1, 1, slog.New(slog.DiscardHandler))
		if _, err := l.Accept(); !errors.Is(err, io.EOF) {
			t.Errorf("Accept ended with %v, want the ordinary end", err)
		}
		if took := time.Since(began); took < 5*time.Second || took > 20*time.Second {
			t.Errorf("20 failures took %v: it must neither spin nor give up", took)
		}
	})
}
