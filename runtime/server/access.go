package server

// This file decides who may ask. The rules are: the Host must be a name that can only mean this machine, or one that
// the operator listed, so that a foreign page cannot reach us through a name of its own; what a browser asks for must
// come from a page of this server or a listed one; beyond loopback a token is required. A right one is always served.
// Only a wrong one is a guess, and a client that keeps guessing is told to wait: nobody can lock the house out by
// asking without a token, by having its browsers ask, or by guessing from an address that others share.

import (
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	failuresMax   = 10 // per client and window
	failureWindow = time.Minute
	guessersMax   = 4096
)

// hosts is the set of host names that this server answers to, in lower case.
type hosts map[string]struct{}

// newHosts returns the loopback names, the machine's own name with and without domain and .local, and the listed names.
func newHosts(own string, listed []string) hosts {
	h := hosts{"localhost": {}, "localhost.localdomain": {}, "ip6-localhost": {}}
	own = strings.ToLower(strings.TrimSuffix(own, "."))
	if own != "" {
		short, _, _ := strings.Cut(own, ".")
		h[own], h[short], h[short+".local"] = struct{}{}, struct{}{}, struct{}{}
	}
	for _, name := range listed {
		h[hostName(strings.ToLower(name))] = struct{}{}
	}
	return h
}

// allow reports whether the value of a Host header, with or without port, means this server. An IP literal always does:
// no name can be made to point here with it.
func (h hosts) allow(host string) bool {
	name := strings.ToLower(hostName(host))
	if _, ok := h[name]; ok || strings.HasSuffix(name, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// hostName returns host without port, brackets and the root's dot.
func hostName(host string) string {
	if strings.HasPrefix(host, "[") {
		if end := strings.IndexByte(host, ']'); end > 0 {
			return host[1:end]
		}
		return host
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.IndexByte(host, ':') == i {
		host = host[:i]
	}
	return strings.TrimSuffix(host, ".")
}

// sameOrigin reports whether a browser's origin is the server that it asked as host.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// secret is a token of which only the digest is kept. The zero value is no token.
type secret struct {
	set    bool
	digest [sha256.Size]byte
}

func newSecret(token string) secret {
	return secret{set: token != "", digest: sha256.Sum256([]byte(token))}
}

// matches reports whether an Authorization header carries the token, in a time that does not depend on it.
func (s secret) matches(authorization string) bool {
	scheme, token, _ := strings.Cut(authorization, " ")
	return s.is(strings.TrimSpace(token)) && strings.EqualFold(scheme, "Bearer")
}

func (s secret) is(token string) bool {
	digest := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(digest[:], s.digest[:]) == 1
}

// guesses counts wrong tokens by client.
type guesses struct {
	mu     sync.Mutex
	counts map[netip.Prefix]guess // guarded by mu
}

type guess struct {
	failures int
	since    time.Time
}

// blocked returns how long a client is still turned away; 0 is not at all.
func (g *guesses) blocked(client netip.Prefix, now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	guess := g.counts[client]
	if guess.failures < failuresMax {
		return 0
	}
	return max(guess.since.Add(failureWindow).Sub(now), 0)
}

// failed counts a wrong token.
func (g *guesses) failed(client netip.Prefix, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.counts == nil {
		g.counts = make(map[netip.Prefix]guess)
	}
	guess, known := g.counts[client]
	if !known && len(g.counts) >= guessersMax {
		g.makeRoom(now)
	}
	if now.Sub(guess.since) >= failureWindow {
		guess.failures, guess.since = 0, now
	}
	guess.failures++
	g.counts[client] = guess
}

// makeRoom drops the windows that have passed, and half of all when that is not enough: it is not called often then.
func (g *guesses) makeRoom(now time.Time) {
	maps.DeleteFunc(g.counts, func(_ netip.Prefix, one guess) bool { return now.Sub(one.since) >= failureWindow })
	for client := range g.counts {
		if len(g.counts) <= guessersMax/2 {
			return
		}
		delete(g.counts, client)
	}
}
