package server

// This file decides whom a request counts for. The rules are: it is who connected, an IPv6 address standing for its
// network, of which every customer has at least 2^64; where that is a trusted proxy, it is whom the proxy names. Names
// are read from the right, since each proxy writes behind what it was sent, and only as long as they come from a
// trusted one: what stands further left anybody can write. What cannot be read, or reads one way in one header and
// another way in the other, counts for the proxy.

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// proxies are the networks of proxies that are believed.
type proxies []netip.Prefix

func (p proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(known netip.Prefix) bool { return known.Contains(addr) })
}

// addressOf is the address of who connected. Anything but TCP, such as a Unix socket, is this machine.
func addressOf(addr net.Addr) netip.Addr {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.IPv6Loopback()
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}

// clientOf is whom an address counts for.
func clientOf(ip netip.Addr) netip.Prefix {
	bits := ip.BitLen()
	if ip.Is6() && !ip.IsLoopback() {
		bits = 64
	}
	prefix, err := ip.Prefix(bits)
	if err != nil { // only for an address that is none
		return netip.Prefix{}
	}
	return prefix
}

// client is whom a request counts for.
func (s *Server) client(ctx *fasthttp.RequestCtx) netip.Prefix { return clientOf(s.asker(ctx)) }

// here reports whether a request was made on this machine. A proxy's word for it is not enough, since its own machine
// may be another.
func (s *Server) here(ctx *fasthttp.RequestCtx) bool {
	return addressOf(ctx.RemoteAddr()).IsLoopback() && s.asker(ctx).IsLoopback()
}

// asker is the address that a request counts for.
func (s *Server) asker(ctx *fasthttp.RequestCtx) netip.Addr {
	peer, known := addressOf(ctx.RemoteAddr()), proxies(s.opts.TrustedProxies)
	if !known.trust(peer) {
		return peer
	}
	header := &ctx.Request.Header
	list := listed(header.PeekAll(fasthttp.HeaderXForwardedFor))
	standard := listed(header.PeekAll(fasthttp.HeaderForwarded))
	for i, element := range standard {
		standard[i] = forwardedFor(element)
	}
	switch {
	case len(list) == 0:
		return known.behind(peer, standard)
	case len(standard) == 0:
		return known.behind(peer, list)
	}
	if client := known.behind(peer, list); client == known.behind(peer, standard) {
		return client
	}
	return peer
}

// behind follows the nodes from the right as far as proxies vouch for them.
func (p proxies) behind(peer netip.Addr, nodes []string) netip.Addr {
	for i := len(nodes) - 1; i >= 0 && p.trust(peer); i-- {
		node, ok := nodeAddress(nodes[i])
		if !ok {
			break
		}
		peer = node
	}
	return peer
}

// listed are the elements of a header that is a list. A comma within quotes cuts too: what a client wrote could else
// take what its proxy wrote behind it for its own.
func listed(lines [][]byte) []string {
	var all []string
	for _, line := range lines {
		all = append(all, strings.Split(string(line), ",")...)
	}
	return all
}

// forwardedFor is the node that an element of Forwarded names, empty without one.
func forwardedFor(element string) string {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(name, "for") {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// nodeAddress reads an address with or without port.
func nodeAddress(node string) (netip.Addr, bool) {
	node = strings.TrimSpace(node)
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(node, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(node)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = with.Addr()
	}
	return addr.Unmap().WithZone(""), true
}
