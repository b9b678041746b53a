package server

// This file bounds what a connection may take. The rules are: a request arrives whole within readTime of its first
// byte, each write is taken within writeTime, a connection without a request is closed after idleTime; no client has
// more than its share of the connections; what stands around a body's chunks counts as the body does; and a connection
// that is closed before its request was read to the end is closed in a way that lets the client see the answer.

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	readTime  = 8 * time.Second
	writeTime = 10 * time.Second
	idleTime  = 2 * time.Minute

	headerBytesMax = 8 << 10

	// What a closing connection still reads, so that its client is not reset before it has seen the answer.
	lingerTime     = time.Second
	lingerBytesMax = 16 << 20

	acceptPauseMax = time.Second
)

// Canned answers to connections that are not served. They are written before a byte was read.
const (
	refusedTotal = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"
	refusedShare = "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"
)

// listener accepts connections within the bounds and knows those that are open.
type listener struct {
	net.Listener
	connsMax, shareMax int
	log                *slog.Logger
	proxies            proxies
	requestMax         int // bytes of a request as it was sent; 0 is no limit
	closeOnce          sync.Once

	mu     sync.Mutex
	conns  map[*conn]struct{}   // open; guarded by mu
	shares map[netip.Prefix]int // open, by client; guarded by mu
}

func newListener(ln net.Listener, connsMax, shareMax int, log *slog.Logger) *listener {
	return &listener{
		Listener: ln, connsMax: connsMax, shareMax: shareMax, log: log,
		conns: make(map[*conn]struct{}), shares: make(map[netip.Prefix]int),
	}
}

// Accept returns the next connection that is within the bounds. It fails only when the listener is closed: running out
// of descriptors passes.
func (l *listener) Accept() (net.Conn, error) {
	pause := time.Duration(0)
	for {
		raw, err := l.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, io.EOF // the ordinary end, as fasthttp knows it
		case err != nil:
			pause = min(max(2*pause, 5*time.Millisecond), acceptPauseMax)
			l.log.Warn("cannot accept a connection", "error", err, "pause", pause)
			time.Sleep(pause)
			continue
		}
		pause = 0
		c, refusal := l.admit(raw)
		if c != nil {
			return c, nil
		}
		_ = raw.SetWriteDeadline(time.Now().Add(lingerTime))
		_, _ = io.WriteString(raw, refusal) // a new socket's buffer takes it at once
		_ = raw.Close()
	}
}

// Close stops accepting. It may be called again.
func (l *listener) Close() error {
	var err error
	l.closeOnce.Do(func() { err = l.Listener.Close() })
	return err
}

// admit counts raw in, or says what to answer instead. Clients on this machine and trusted proxies are bound by the sum
// only: they ask for many.
func (l *listener) admit(raw net.Conn) (*conn, string) {
	peer := addressOf(raw.RemoteAddr())
	client := clientOf(peer)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.connsMax {
		return nil, refusedTotal
	}
	if l.shares[client] >= l.shareMax && !peer.IsLoopback() && !l.proxies.trust(peer) {
		return nil, refusedShare
	}
	c := &conn{Conn: raw, listener: l, client: client}
	l.conns[c] = struct{}{}
	l.shares[client]++
	return c, ""
}

func (l *listener) forget(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
	if l.shares[c.client]--; l.shares[c.client] <= 0 {
		delete(l.shares, c.client)
	}
}

// closeConns closes the connections that have no request, or all of them.
func (l *listener) closeConns(all bool) {
	l.mu.Lock()
	var closing []*conn
	for c := range l.conns {
		if all || !c.active.Load() {
			closing = append(closing, c)
		}
	}
	l.mu.Unlock()
	for _, c := range closing {
		c.linger.Store(false)
		_ = c.Close()
	}
}

// conn is an accepted connection. fasthttp reads and writes it on one goroutine at a time.
type conn struct {
	net.Conn
	listener *listener
	client   netip.Prefix
	active   atomic.Bool // a request is being read or answered
	linger   atomic.Bool // see lingerTime
	closed   atomic.Bool
	sinceLF  int  // bytes read since the last line feed
	taken    int  // bytes read since the request began; up to a buffer of the next one may be among them
	late     bool // a read has run into its deadline
	flooded  bool // the request has more bytes than any within the limits
}

var errFlooded = errors.New("more bytes than a request may have")

func (c *conn) Read(p []byte) (int, error) {
	if most := c.listener.requestMax; most > 0 && c.taken > most {
		c.flooded = true
		return 0, errFlooded
	}
	n, err := c.Conn.Read(p)
	c.taken += n
	c.late = c.late || errors.Is(err, os.ErrDeadlineExceeded)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		c.sinceLF = n - i - 1
	} else {
		c.sinceLF += n
	}
	return n, err
}

// Write gives every write its own time, so that an endless stream is fine and a client that does not read is not.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *conn) Close() error {
	if !c.closed.CompareAndSwap(false, true) {
		return nil
	}
	defer c.listener.forget(c)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && c.linger.Load() && half.CloseWrite() == nil {
		_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.Copy(io.Discard, io.LimitReader(c.Conn, lingerBytesMax))
	}
	return c.Conn.Close()
}
