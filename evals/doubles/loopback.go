// Package doubles has services of the world for tests and scenarios: a house, the weather. They answer over HTTP as the
// real ones do.
package doubles

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// headerTime bounds how long a client may take to send the head of a request.
const headerTime = 10 * time.Second

// Serve answers handler on a free port that only this machine reaches. It returns host and port, and what ends the
// server: that cuts the connections, waits, and is called once.
func Serve(handler http.Handler) (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTime}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return listener.Addr().String(), func() error {
		closing := server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			closing = errors.Join(closing, err)
		}
		return closing
	}, nil
}
