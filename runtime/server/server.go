// Package server is the HTTP front: it decodes and limits requests, decides who may ask, and gives what is left to the
// conversation. It knows HTTP and nothing of models or tools.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"chatterbox/runtime/conversation"
)

// Conversations is what the server needs of conversation.Service, whose contract it has.
type Conversations interface {
	Converse(context.Context, conversation.Request, func(conversation.Emission)) (conversation.Reply, error)
	Delete(ctx context.Context, id string) error
	Clear(ctx context.Context) (int, error)
	Modes() []string
	Mode(ctx context.Context, id string) (string, error)
	SetMode(ctx context.Context, id, name string) (string, error)
}

// Options are what a [Server] is made of. They do not change afterwards.
type Options struct {
	Service Conversations
	// Token is what clients must show; empty is for loopback only.
	Token string
	// Hosts are names that this server answers to beside loopback names, IP literals and the machine's own name.
	// Origins are those of browser pages that may ask beside pages of this server itself, as "https://host:port".
	Hosts, Origins []string
	// TrustedProxies are believed about whom they ask for.
	TrustedProxies []netip.Prefix
	// Health adds to the answer of /health, and may replace "status". It is nil or may be called by several goroutines
	// at once.
	Health        func() map[string]any
	Name, Version string
	// DAV serves the calendars under /dav/, for phones; nil is none.
	DAV http.Handler

	BodyMax           int // bytes of a request's body; 0 is 256 KiB
	ConnsMax          int // open connections; 0 is 16384
	ConnsPerClientMax int // open connections of one client beyond this machine; 0 is 256

	Log *slog.Logger // nil: nothing is logged
}

// Server serves HTTP. All its methods may be called by several goroutines at once.
type Server struct {
	opts    Options
	http    *fasthttp.Server
	hosts   hosts
	origins map[string]struct{}
	secret  secret
	guesses guesses
	routes  []route

	base    context.Context // of every request; ends when requests are abandoned
	abandon context.CancelCauseFunc
	streams sync.WaitGroup
	pool    *pool

	mu        sync.Mutex
	stopping  bool        // guarded by mu
	listeners []*listener // guarded by mu
}

// New returns a server that is ready to serve.
func New(opts Options) (*Server, error) {
	if opts.Service == nil {
		return nil, errors.New("server: no conversations to serve")
	}
	for _, origin := range opts.Origins {
		if _, _, ok := target(origin); !ok || strings.HasSuffix(origin, "/") {
			return nil, fmt.Errorf("server: %q is no origin: write it as https://host or https://host:port", origin)
		}
	}
	if opts.BodyMax <= 0 {
		opts.BodyMax = 256 << 10
	}
	if opts.ConnsMax <= 0 {
		opts.ConnsMax = 16384
	}
	if opts.ConnsPerClientMax <= 0 {
		opts.ConnsPerClientMax = 256
	}
	if opts.Name == "" {
		opts.Name = "Chatterbox"
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	own, err := os.Hostname()
	if err != nil {
		opts.Log.Warn("the machine does not tell its name, so requests must use another", "error", err)
	}
	base, abandon := context.WithCancelCause(context.Background())
	s := &Server{
		opts: opts, hosts: newHosts(own, opts.Hosts), origins: make(map[string]struct{}), secret: newSecret(opts.Token),
		base: base, abandon: abandon, pool: newPool(),
	}
	for _, origin := range opts.Origins {
		s.origins[strings.ToLower(origin)] = struct{}{}
	}
	s.routes = s.table()
	s.http = &fasthttp.Server{
		Handler: s.onPool, ErrorHandler: s.refuse, HeaderReceived: cutShort, ConnState: connState,
		ReadTimeout: readTime, IdleTimeout: idleTime, // writes: see conn
		ReadBufferSize: headerBytesMax, MaxRequestBodySize: opts.BodyMax,
		Concurrency:       opts.ConnsMax + 1, // the listener's bound comes first
		ReduceMemoryUsage: true, DisablePreParseMultipartForm: true, CloseOnShutdown: true,
		NoDefaultServerHeader: true, NoDefaultContentType: true, SecureErrorLogMessage: true,
		Logger: httpLog{opts.Log},
	}
	return s, nil
}

// Serve answers the connections of ln until Shutdown, and then returns nil. It refuses an address beyond loopback when
// there is no token.
func (s *Server) Serve(ln net.Listener) error {
	if !s.secret.set && !local(ln.Addr()) {
		_ = ln.Close()
		return fmt.Errorf("refusing to listen on %s without a token: anyone on the network could ask; set auth.token, "+
			"for example to the output of: head -c 32 /dev/urandom | base64", ln.Addr())
	}
	l := newListener(ln, s.opts.ConnsMax, s.opts.ConnsPerClientMax, s.opts.Log)
	l.proxies = s.opts.TrustedProxies
	l.requestMax = s.opts.BodyMax + 2*headerBytesMax // the second for what was read ahead
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		return l.Close()
	}
	s.listeners = append(s.listeners, l)
	s.mu.Unlock()
	return s.http.Serve(l)
}

// Shutdown stops accepting, lets the requests that are being answered end, and returns when none is left. When ctx ends
// first, the rest is abandoned: their turns are cancelled with [conversation.ErrStopping], their connections closed,
// and ctx's error is returned. To give turns less time than connections, shut the conversation service down first or
// meanwhile.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	listeners := s.listeners
	s.mu.Unlock()

	for _, l := range listeners {
		if err := l.Close(); err != nil {
			s.opts.Log.Warn("cannot close a listener", "address", l.Addr(), "error", err)
		}
		l.closeConns(false)
	}
	abandon := sync.OnceFunc(func() {
		s.abandon(conversation.ErrStopping)
		for _, l := range listeners {
			l.closeConns(true)
		}
	})
	release := context.AfterFunc(ctx, abandon)
	err := s.http.ShutdownWithContext(ctx)
	s.pool.dismiss()
	if err == nil {
		s.streams.Wait()
	}
	if inTime := release(); err != nil || !inTime {
		abandon()
		return fmt.Errorf("stop serving: %w", context.Cause(ctx))
	}
	return nil
}

// local reports whether only this machine can reach addr.
func local(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return !ok || tcp.AddrPort().Addr().Unmap().IsLoopback()
}

// connState notes which connections have a request, and where one begins. It is called on the goroutine that reads.
func connState(c net.Conn, state fasthttp.ConnState) {
	if own, ok := c.(*conn); ok {
		own.active.Store(state == fasthttp.StateActive)
		if state == fasthttp.StateActive {
			own.taken = 0
		}
	}
}

// refuse answers a request that could not be read.
func (s *Server) refuse(ctx *fasthttp.RequestCtx, err error) {
	own, _ := ctx.Conn().(*conn)
	var small *fasthttp.ErrSmallBuffer
	late := own != nil && own.late
	if own != nil && !late { // who was late has had its time
		own.linger.Store(true)
	}
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge), own != nil && own.flooded:
		s.problem(ctx, fasthttp.StatusRequestEntityTooLarge,
			fmt.Sprintf("The body is larger than %d bytes, the limit here.", s.opts.BodyMax))
	case errors.As(err, &small) && own != nil && own.sinceLF >= headerBytesMax:
		s.problem(ctx, fasthttp.StatusRequestURITooLong,
			fmt.Sprintf("The request line is longer than %d bytes, the limit here.", headerBytesMax))
	case errors.As(err, &small):
		s.problem(ctx, fasthttp.StatusRequestHeaderFieldsTooLarge,
			fmt.Sprintf("The header is larger than %d bytes, the limit here.", headerBytesMax))
	case late:
		s.problem(ctx, fasthttp.StatusRequestTimeout, fmt.Sprintf("The request did not arrive within %v.", readTime))
	default:
		s.problem(ctx, fasthttp.StatusBadRequest, "The request is not well-formed HTTP/1.1.")
	}
}

// onPool runs Handler on another goroutine and waits for it, where there are many connections. A connection keeps its
// goroutine while it is idle, and with it the stack that its deepest request has grown; this halves what an idle
// connection costs.
func (s *Server) onPool(ctx *fasthttp.RequestCtx) {
	if s.http.GetOpenConnectionsCount() <= poolMax {
		s.Handler(ctx)
		return
	}
	done := make(chan struct{})
	s.pool.do(func() {
		defer close(done)
		s.Handler(ctx)
	})
	<-done
}

// Handler answers one request. It never panics.
func (s *Server) Handler(ctx *fasthttp.RequestCtx) {
	defer func() {
		if r := recover(); r != nil {
			s.opts.Log.Error("request panicked", "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			ctx.Response.Reset()
			s.problem(ctx, fasthttp.StatusInternalServerError, wentWrong)
		}
	}()
	s.dispatch(ctx)
}

// requestContext returns the context of a request: it ends when requests are abandoned, and with cause
// [conversation.ErrClientGone] when the client has left.
func (s *Server) requestContext(c net.Conn) (context.Context, context.CancelCauseFunc, func()) {
	ctx, cancel := context.WithCancelCause(s.base)
	stop := watch(c, func() { cancel(conversation.ErrClientGone) })
	return ctx, cancel, func() {
		stop()
		cancel(nil)
	}
}

// httpLog gives fasthttp's own messages, which are about broken connections, to the log.
type httpLog struct{ log *slog.Logger }

func (l httpLog) Printf(format string, arguments ...any) {
	l.log.Debug("http", "message", strings.TrimSpace(fmt.Sprintf(format, arguments...)))
}
