package egress

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
)

// This file serves requests to the names that mean a part of this process. A rule must name them like any host; they
// are never resolved, and nothing from outside can redirect to them.

// internal is the handler behind a target, if it is one of this process.
func (c *Client) internal(t target) (http.Handler, bool) {
	handler, ok := c.handlers[t.host]
	return handler, ok
}

// transportFor is what carries a request to its target.
func (c *Client) transportFor(h hop) http.RoundTripper {
	if handler, ok := c.internal(h.target); ok {
		return inProcess{handler, c.limits.ResponseBytesMax}
	}
	if h.rule.Private {
		return c.private
	}
	return c.public
}

// inProcess answers by a handler. It returns when the handler does.
type inProcess struct {
	handler  http.Handler
	bytesMax int64
}

func (p inProcess) RoundTrip(request *http.Request) (answer *http.Response, err error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	recorded := &recorder{header: http.Header{}, bytesMax: p.bytesMax}
	defer func() {
		if fault := recover(); fault != nil {
			answer, err = nil, fmt.Errorf("the handler of %s panicked: %v", request.URL.Host, fault)
		}
	}()
	if request.Body == nil {
		request.Body = http.NoBody
	}
	request.RequestURI = request.URL.RequestURI()
	request.Host = request.URL.Host
	p.handler.ServeHTTP(recorded, request)
	recorded.WriteHeader(http.StatusOK)
	return &http.Response{
		StatusCode: recorded.status, Header: recorded.header, Body: readCloser{&recorded.body}, Request: request,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// recorder keeps what a handler answers. One byte beyond the bound is kept, so that the reader can tell.
type recorder struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	bytesMax int64
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

var errTooLarge = errors.New("the answer is too large")

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	room := max(0, r.bytesMax+1-int64(r.body.Len()))
	if int64(len(p)) > room {
		r.body.Write(p[:room])
		return int(room), errTooLarge
	}
	return r.body.Write(p)
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }
