package cli

import (
	"context"
	"net"
	"net/http"
	"time"
)

// headerTime bounds how long a client may take to send the head of a request.
const headerTime = 10 * time.Second

// Serve serves at an address until the context ends, which is how it is meant to end. It tells the address first.
func Serve(
	ctx context.Context, command, address string, handler http.Handler, tell func(address string),
) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return Listening(command, address, err)
	}
	tell(listener.Addr().String())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTime}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return Infrastructure("", err)
	case <-ctx.Done():
	}
	if err := server.Close(); err != nil {
		return Infrastructure("", err)
	}
	<-served
	return nil
}
