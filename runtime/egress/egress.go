// Package egress makes the outbound HTTP requests of guests. The law of this package is:
//
//   - a request is made only when a [Rule] names its scheme, host, port, method and path;
//   - every address of the host is checked and the connection goes to a checked address, never to the name again;
//   - a redirect is a new request, checked like the first;
//   - everything has a bound: bytes sent, bytes received after decompression, time, redirects;
//   - nothing of the server's own surroundings goes along: no proxy, no cookies, no credentials.
package egress

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Options are what a Client needs. Zero values mean the default in brackets.
type Options struct {
	// Resolve gives all addresses of a host name [the host's resolver].
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that was checked [TCP].
	Dial    func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	RootCAs *x509.CertPool // [the host's]
	// Internal answers requests to these hosts, in lower case, inside this process and at any port. A rule must name
	// them as it must any other; they are never resolved, and no other host can redirect to them [none].
	Internal map[string]http.Handler
	Limits   Limits
	Log      *slog.Logger // [none]
}

// Limits bound every request. Zero values mean the default in brackets.
type Limits struct {
	RequestBytes     int           // of a body [256 KiB]
	ResponseBytes    int64         // after decompression, where the rule says nothing [1 MiB]
	ResponseBytesMax int64         // whatever the rule says [2 MiB]
	Timeout          time.Duration // of all, redirects included, where the rule says nothing [5 s]
	TimeoutMax       time.Duration // whatever the rule says [30 s]
	Redirects        int           // followed at most [3]; negative follows none
}

// Client makes requests. All methods may be called by several goroutines at once.
type Client struct {
	resolve         func(ctx context.Context, host string) ([]netip.Addr, error)
	dial            func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	limits          Limits
	handlers        map[string]http.Handler // by internal name
	log             *slog.Logger
	public, private *http.Transport
	unchecked       bool // tests only: shows that the address check is what stops a request
}

// New returns a client. Close it when it is no longer needed.
func New(options Options) *Client {
	c := &Client{
		resolve: options.Resolve, dial: options.Dial, handlers: options.Internal,
		limits: options.Limits.withDefaults(), log: options.Log,
	}
	if c.resolve == nil {
		c.resolve = resolveByHost
	}
	if c.dial == nil {
		c.dial = dialByHost
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.public = c.transport(false, options.RootCAs)
	c.private = c.transport(true, options.RootCAs)
	return c
}

func (l Limits) withDefaults() Limits {
	set(&l.RequestBytes, 256<<10)
	set(&l.ResponseBytes, 1<<20)
	set(&l.ResponseBytesMax, 2<<20)
	set(&l.Timeout, 5*time.Second)
	set(&l.TimeoutMax, 30*time.Second)
	set(&l.Redirects, 3)
	return l
}

func set[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// Close drops the kept connections. Requests that run are not disturbed.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
}

// Request is one request of a guest.
type Request struct {
	Method  string // [GET]
	URL     string // absolute and percent-encoded
	Headers map[string]string
	Body    []byte
	Rules   []Rule        // the first that matches decides; none is no request
	Secrets []Secret      // added where they belong
	Timeout time.Duration // of the whole exchange; 0 is the rule's. It shortens only
}

// Response is what came back, whatever its status.
type Response struct {
	Status  int
	Headers map[string]string // names in lower case
	Body    []byte            // decompressed
}

// Do makes the request and follows redirects that a rule allows. The error is an *[Error].
func (c *Client) Do(ctx context.Context, request Request) (Response, error) {
	started := time.Now()
	if request.Method == "" {
		request.Method = http.MethodGet
	}
	response, host, err := c.follow(ctx, request)
	if err != nil {
		c.log.DebugContext(ctx, "egress request failed", "method", request.Method, "host", host,
			"kind", string(err.Kind), "error", err.Message, "cause", err.Err, "took", time.Since(started))
		return Response{}, err
	}
	c.log.DebugContext(ctx, "egress request", "method", request.Method, "host", host, "status", response.Status,
		"bytes", len(response.Body), "took", time.Since(started))
	return response, nil
}

// hop is one request of a chain of redirects.
type hop struct {
	target target
	rule   Rule
	method string
	header http.Header
	body   []byte
}

func (c *Client) follow(ctx context.Context, request Request) (Response, string, *Error) {
	current, err := c.first(request)
	if err != nil {
		return Response{}, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout(current.rule, request))
	defer cancel()
	for redirects := 0; ; redirects++ {
		authority := current.target.authority()
		response, location, failure := c.exchange(ctx, current, request.Secrets)
		if failure != nil {
			return Response{}, authority, asError(ctx, authority, failure)
		}
		if location == "" {
			return response, authority, nil
		}
		if redirects >= c.limits.Redirects {
			return Response{}, authority, &Error{Kind: Redirect, Message: authority + " redirects too often"}
		}
		if current, err = next(current, response.Status, location, request.Rules); err != nil {
			return Response{}, authority, refuse("redirected by %s: %s", authority, err.Message)
		}
		if _, inside := c.internal(current.target); inside && current.target.authority() != authority {
			return Response{}, authority, refuse("redirected by %s to a name that nothing outside may mean", authority)
		}
	}
}

func (c *Client) timeout(rule Rule, request Request) time.Duration {
	bound := c.limits.Timeout
	if rule.Timeout > 0 {
		bound = rule.Timeout
	}
	if request.Timeout > 0 {
		bound = min(bound, request.Timeout)
	}
	return min(bound, c.limits.TimeoutMax)
}

// first checks everything that can be known before a connection.
func (c *Client) first(request Request) (hop, *Error) {
	if !slices.Contains(methods, request.Method) {
		return hop{}, invalid("method %q is none of %s", request.Method, strings.Join(methods, ", "))
	}
	t, err := parseTarget(request.URL)
	if err != nil {
		return hop{}, err
	}
	rule, err := match(request.Rules, request.Method, t)
	if err != nil {
		return hop{}, err
	}
	if len(request.Body) > c.limits.RequestBytes {
		return hop{}, invalid("the body has %d bytes, %d are allowed", len(request.Body), c.limits.RequestBytes)
	}
	header, err := requestHeader(request.Headers)
	if err != nil {
		return hop{}, err
	}
	return hop{t, rule, request.Method, header, request.Body}, nil
}

// next gives the request that a redirect asks for, if a rule allows it.
func next(from hop, status int, location string, rules []Rule) (hop, *Error) {
	reference, parseErr := from.target.url.Parse(location)
	if parseErr != nil {
		return hop{}, invalid("its Location cannot be read")
	}
	reference.Fragment, reference.RawFragment = "", ""
	to, err := parseTarget(reference.String())
	if err != nil {
		return hop{}, err
	}
	method, body := from.method, from.body
	if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect && method != http.MethodHead {
		method, body = http.MethodGet, nil
	}
	rule, err := match(rules, method, to)
	if err != nil {
		return hop{}, err
	}
	header := from.header.Clone()
	if to.scheme != from.target.scheme || to.host != from.target.host || to.port != from.target.port {
		header = http.Header{"User-Agent": {userAgent}}
		for _, name := range keptAcrossOrigins {
			if values := from.header.Values(name); len(values) > 0 {
				header[name] = values
			}
		}
	}
	if body == nil {
		header.Del("Content-Type")
	}
	return hop{to, rule, method, header, body}, nil
}

// exchange sends one request. A location is given where the answer is a redirect.
func (c *Client) exchange(
	ctx context.Context, h hop, secrets []Secret,
) (response Response, location string, err error) {
	request, err := http.NewRequestWithContext(ctx, h.method, h.target.url.String(), bytes.NewReader(h.body))
	if err != nil {
		return Response{}, "", invalid("the URL cannot be requested")
	}
	header, sent, err := addSecrets(h, secrets)
	if err != nil {
		return Response{}, "", err
	}
	request.Header = header
	answer, err := c.transportFor(h).RoundTrip(request)
	if err != nil {
		return Response{}, "", err
	}
	defer answer.Body.Close()
	if location = answer.Header.Get("Location"); location != "" && isRedirect(answer.StatusCode) {
		if echoes(Response{Headers: map[string]string{"location": location}}, sent) {
			return Response{}, "", echoed(h)
		}
		return Response{Status: answer.StatusCode}, location, nil
	}
	bound := c.limits.ResponseBytes
	if h.rule.ResponseBytes > 0 {
		bound = h.rule.ResponseBytes
	}
	bound = min(bound, c.limits.ResponseBytesMax)
	body, err := io.ReadAll(io.LimitReader(answer.Body, bound+1))
	if err != nil {
		return Response{}, "", err
	}
	if int64(len(body)) > bound {
		return Response{}, "", &Error{Kind: TooLarge,
			Message: h.target.authority() + " answered with more than the allowed size"}
	}
	response = Response{answer.StatusCode, responseHeader(answer.Header), body}
	if echoes(response, sent) {
		return Response{}, "", echoed(h)
	}
	return response, "", nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
