//go:build unix

package openai

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	lateBytes = 512                    // of a response after [DONE]
	lastWords = 100 * time.Millisecond // for the answer of a server that stopped to read the request
)

// plainTransport is an [http.RoundTripper] for one server that speaks HTTP/1.1 without TLS, as those at home do. A call is
// made on its caller's goroutine alone, with net/http's own codec; [http.Transport] has two more goroutines for each
// connection, and waking them costs a small machine more than what they do.
//
// A body must be closed, or parked, by the goroutine that reads it. Otherwise all may call at once.
type plainTransport struct {
	address string
	dialer  net.Dialer

	mu    sync.Mutex
	idle  []*plainConn // the one used last at the end
	sweep *time.Timer  // set while there are idle ones
}

func newPlainTransport(base *url.URL, dialer net.Dialer) http.RoundTripper {
	port := base.Port()
	if port == "" {
		port = "80"
	}
	return &plainTransport{address: net.JoinHostPort(base.Hostname(), port), dialer: dialer}
}

// RoundTrip implements [http.RoundTripper].
func (p *plainTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	conn, err := p.take(ctx)
	if err != nil {
		if request.Body != nil {
			request.Body.Close() //nolint:errcheck // the error that counts is known
		}
		return nil, orCause(ctx, err)
	}
	conn.detach = context.AfterFunc(ctx, conn.interrupt)
	response, err := conn.exchange(request)
	if err = orCause(ctx, err); err != nil {
		conn.detach()
		conn.Close() //nolint:errcheck // the error that counts is known
		return nil, err
	}
	response.Body = &plainBody{ctx: ctx, from: response.Body, conn: conn, pool: p, keep: !response.Close && !request.Close}
	return response, nil
}

// orCause is why ctx has ended, or else err.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// take is a connection that nobody else uses.
func (p *plainTransport) take(ctx context.Context) (*plainConn, error) {
	conn := p.reuse()
	reused := conn != nil
	if !reused {
		tcp, err := p.dialer.DialContext(ctx, "tcp", p.address)
		if err != nil {
			return nil, err
		}
		conn = &plainConn{Conn: tcp, writer: bufio.NewWriter(tcp)}
		conn.reader = bufio.NewReader(conn)
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: conn, Reused: reused, WasIdle: reused})
	}
	return conn, nil
}

// reuse is the idle connection that was used last and can carry a call, nil when there is none.
func (p *plainTransport) reuse() *plainConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		conn := p.idle[i]
		state := conn.look()
		if state == unread && time.Since(conn.since) < drainTime {
			continue
		}
		p.idle = slices.Delete(p.idle, i, i+1)
		if state == ready {
			return conn
		}
		conn.Close() //nolint:errcheck // it is of no use
	}
	return nil
}

// put keeps a connection for the next call.
func (p *plainTransport) put(conn *plainConn) {
	conn.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == idlePerHost {
		conn.Close() //nolint:errcheck // it is of no use
		return
	}
	p.idle = append(p.idle, conn)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(idleTime, p.expire)
	}
}

// expire closes the connections that nobody used for a time.
func (p *plainTransport) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := 0
	for old < len(p.idle) && time.Since(p.idle[old].since) >= idleTime {
		p.idle[old].Close() //nolint:errcheck // it is of no use
		old++
	}
	p.idle = append([]*plainConn(nil), p.idle[old:]...)
	p.sweep = nil
	if len(p.idle) > 0 {
		p.sweep = time.AfterFunc(idleTime-time.Since(p.idle[0].since), p.expire)
	}
}

// CloseIdleConnections closes the connections that no call uses.
func (p *plainTransport) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.idle {
		conn.Close() //nolint:errcheck // it is of no use
	}
	p.idle = nil
	if p.sweep != nil {
		p.sweep.Stop()
		p.sweep = nil
	}
}

// plainConn is a connection, used by one call at a time.
type plainConn struct {
	net.Conn
	reader  *bufio.Reader
	writer  *bufio.Writer
	arrived []byte          // what was read from the connection and not yet by reader
	late    [lateBytes]byte // room for it
	chunked bool            // the last response
	left    int             // bytes that may still be read from the connection
	detach  func() bool     // from the call's context
	rest    io.Reader       // of the last response, nil when it was read to the end
	since   time.Time       // when it was last put down
}

// errBound is why a response is not read on.
var errBound = fmt.Errorf("the head of the response has more than %d bytes", headBytes)

// Read implements [io.Reader] for the connection's own reader.
func (c *plainConn) Read(p []byte) (int, error) {
	if len(c.arrived) > 0 {
		n := copy(p, c.arrived)
		c.arrived = c.arrived[n:]
		return n, nil
	}
	if c.left == 0 {
		return 0, errBound
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// interrupt ends reading and writing for good.
func (c *plainConn) interrupt() { c.SetDeadline(time.Unix(1, 0)) } //nolint:errcheck // a closed connection has nothing to end

// What an idle connection is good for.
type state int

const (
	ready  state = iota // for the next call
	unread              // for nothing before more of the last response has arrived
	broken              // for nothing
)

// look says what the connection is good for. It reads what has arrived of the last response, and waits for nothing.
func (c *plainConn) look() state {
	have := len(c.arrived)
	if have == lateBytes {
		return broken
	}
	n, err := c.poll(c.late[have:])
	silent := errors.Is(err, syscall.EAGAIN)
	switch {
	case n <= 0 && !silent, c.rest == nil && (!silent || c.reader.Buffered() > 0):
		return broken
	case c.rest == nil:
		return ready
	case n > 0:
		c.arrived = c.late[:have+n]
	}
	if !c.ended() {
		return unread
	}
	c.left = 0
	if _, err := io.Copy(io.Discard, c.rest); err != nil || len(c.arrived) > 0 || c.reader.Buffered() > 0 {
		return broken
	}
	if c.rest = nil; silent {
		return ready
	}
	return c.look()
}

// ended reports whether the end of a response in chunks is among what was read.
func (c *plainConn) ended() bool {
	const end = "0\r\n\r\n"
	ahead, _ := c.reader.Peek(c.reader.Buffered()) // as much as there is
	ahead = ahead[max(0, len(ahead)-len(end)):]
	return !c.chunked || strings.HasSuffix(string(ahead)+string(c.arrived), end)
}

// poll is read(2), which returns EAGAIN when nothing has arrived and 0 at the end.
func (c *plainConn) poll(into []byte) (n int, err error) {
	socket, ok := c.Conn.(syscall.Conn)
	if !ok {
		return 0, nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Read(func(descriptor uintptr) bool {
		n, err = syscall.Read(int(descriptor), into)
		return true
	})
	return n, errors.Join(failed, err)
}

// exchange sends a request and reads the head of its response.
func (c *plainConn) exchange(request *http.Request) (*http.Response, error) {
	err := request.Write(c.writer)
	if err == nil {
		err = c.writer.Flush()
	}
	if err != nil && request.Context().Err() == nil {
		c.SetReadDeadline(time.Now().Add(lastWords)) //nolint:errcheck // reading tells
	}
	c.left = headBytes
	for {
		response, failed := http.ReadResponse(c.reader, request)
		switch {
		case err != nil && failed != nil:
			return nil, err
		case failed != nil:
			return nil, failed
		case response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols:
			c.left, c.chunked = math.MaxInt, len(response.TransferEncoding) > 0
			response.Close = response.Close || err != nil || response.StatusCode == http.StatusSwitchingProtocols
			return response, nil
		}
	}
}

// plainBody is the body of a response.
type plainBody struct {
	ctx  context.Context
	from io.Reader
	conn *plainConn // nil once closed
	pool *plainTransport
	keep bool // the connection, when all was read
	end  bool // all was read
}

func (b *plainBody) Read(p []byte) (int, error) {
	if b.conn == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	if err == io.EOF {
		b.end = true
	} else if err != nil {
		err = orCause(b.ctx, err)
	}
	return n, err
}

// Close closes the connection too, unless all was read.
func (b *plainBody) Close() error { return b.leave(b.end) }

// park is Close for a body of which what is left will soon have arrived. It is read when the connection is wanted again.
func (b *plainBody) park() { b.leave(true) } //nolint:errcheck // nobody is left to tell

func (b *plainBody) leave(keep bool) error {
	conn := b.conn
	if conn == nil {
		return nil
	}
	b.conn = nil
	if !conn.detach() || !keep || !b.keep {
		return conn.Close()
	}
	if !b.end {
		conn.rest = b.from
	}
	b.pool.put(conn)
	return nil
}
