package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"chatterbox/runtime/internal/addresses"
)

const (
	addressesMax        = 16 // of one name that are looked at
	attemptMax          = 4  // of them that are dialled
	idleConnections     = 16
	idleConnectionsHost = 2
	idleTime            = 30 * time.Second
	responseHeaderMax   = 64 << 10
)

// transport dials under one policy. Public and private requests have one each, so that a connection which only a
// private rule allowed is never reused by another.
func (c *Client) transport(allowPrivate bool, roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy: nil, // the environment of the server is no business of a guest
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return c.connect(ctx, address, allowPrivate)
		},
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		MaxIdleConns:           idleConnections,
		MaxIdleConnsPerHost:    idleConnectionsHost,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: responseHeaderMax,
	}
}

// connect resolves the host, checks every address and connects to a checked one. One forbidden address refuses them
// all: a name that points both outside and inside is how rebinding looks.
func (c *Client) connect(ctx context.Context, authority string, allowPrivate bool) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(authority)
	if err != nil {
		return nil, refuse("%s names no port", authority)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, refuse("%s names no port", authority)
	}
	resolved, err := c.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, address := range resolved {
		switch kind := addresses.Of(address); {
		case c.unchecked:
		case kind == addresses.Never:
			return nil, refuse("%s has an address that no tool may reach", host)
		case kind == addresses.Private && !allowPrivate:
			return nil, refuse("%s has a private address; that needs a grant that names this host and port", host)
		}
	}
	var failure error
	for _, address := range resolved[:min(len(resolved), attemptMax)] {
		connection, err := c.dial(ctx, netip.AddrPortFrom(address.Unmap(), uint16(port)))
		if err == nil {
			return connection, nil
		}
		failure = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, &Error{Connect, "no connection to " + authority, failure}
}

func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	addresses, err := c.resolve(ctx, host)
	if err != nil {
		return nil, &Error{DNS, "the name " + host + " cannot be resolved", err}
	}
	if len(addresses) == 0 || len(addresses) > addressesMax {
		return nil, &Error{Kind: DNS, Message: "the name " + host + " has no usable number of addresses"}
	}
	return addresses, nil
}

func resolveByHost(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// dialByHost gives each address its share of the time, so that one that swallows packets leaves some for the next.
func dialByHost(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	return dialer.DialContext(ctx, "tcp", address.String())
}

// isTLS says whether the far end could not prove who it is.
func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert)
}
