package server

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

func TestHosts(t *testing.T) {
	h := newHosts("Pi.fritz.box", []string{"Talk.example.org:8765", "2001:db8::1"})
	tests := map[string]bool{
		"localhost": true, "localhost:8765": true, "LOCALHOST.": true, "app.localhost": true,
		"127.0.0.1": true, "127.0.0.1:80": true, "192.168.1.5:8765": true, "[::1]:8765": true, "[::1]": true, "[fe80::1%eth0]": true,
		"pi": true, "pi.local": true, "PI.local:8765": true, "pi.fritz.box": true, "pi.local.": true, "talk.example.org": true,
		"": false, "evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "pi.evil.example": false,
		"evil.example:8765": false, "0x7f000001": false, "2130706433": false, "127.1": false, "[evil]": false, "::1]": false,
		"fritz.box": false, "[": false, "localhost@evil.example": false,
	}
	for host, want := range tests {
		if got := h.allow(host); got != want {
			t.Errorf("allow(%q) = %v, want %v", host, got, want)
		}
	}
	if newHosts("", nil).allow("") {
		t.Error("without a name of its own a machine answers to no name at all")
	}
}

func TestSameOrigin(t *testing.T) {
	tests := map[string]struct {
		origin, host string
		want         bool
	}{
		"the same":            {"http://127.0.0.1:8765", "127.0.0.1:8765", true},
		"the same, encrypted": {"https://Pi.local", "pi.local", true},
		"another port":        {"http://127.0.0.1:3000", "127.0.0.1:8765", false},
		"another name":        {"http://evil.example", "127.0.0.1:8765", false},
		"a sandboxed page":    {"null", "null", false},
		"a file":              {"file://", "", false},
		"no origin at all":    {"://", "127.0.0.1", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sameOrigin(tt.origin, tt.host); got != tt.want {
				t.Errorf("sameOrigin(%q, %q) = %v", tt.origin, tt.host, got)
			}
		})
	}
}

func TestSecret(t *testing.T) {
	s := newSecret("s3cret")
	for authorization, want := range map[string]bool{
		"Bearer s3cret": true, "bearer s3cret": true, "Bearer  s3cret": true,
		"": false, "Bearer": false, "Bearer ": false, "s3cret": false, "Bearer s3cre": false, "Bearer s3crets": false,
		"Bearer S3CRET": false, "Basic s3cret": false, "Bearer s3cret extra": false,
	} {
		if got := s.matches(authorization); got != want {
			t.Errorf("matches(%q) = %v, want %v", authorization, got, want)
		}
	}
}

func TestGuesses(t *testing.T) {
	var g guesses
	mallory, alice := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range failuresMax {
		if wait := g.blocked(mallory, at); wait != 0 {
			t.Fatalf("turned away for %v after %d wrong tokens", wait, i)
		}
		g.failed(mallory, at)
		at = at.Add(time.Second)
	}
	if wait := g.blocked(mallory, at); wait != 50*time.Second {
		t.Errorf("turned away for %v, want the rest of the minute", wait)
	}
	if wait := g.blocked(alice, at); wait != 0 {
		t.Errorf("another client is turned away for %v", wait)
	}
	at = at.Add(50 * time.Second)
	if wait := g.blocked(mallory, at); wait != 0 {
		t.Errorf("still turned away for %v", wait)
	}
	g.failed(mallory, at)
	if wait := g.blocked(mallory, at); wait != 0 {
		t.Errorf("the new minute began with the old guesses: %v", wait)
	}
}

func TestGuessesAreBounded(t *testing.T) {
	var g guesses
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 3 * guessersMax {
		ip := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		g.failed(netip.PrefixFrom(ip, 32), at)
		if len(g.counts) > guessersMax {
			t.Fatalf("%d clients are kept", len(g.counts))
		}
	}
}

func TestClientOf(t *testing.T) {
	tests := map[string]struct {
		addr net.Addr
		want string
	}{
		"IPv4":                 {&net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 1}, "192.0.2.7/32"},
		"IPv4 in IPv6":         {&net.TCPAddr{IP: net.ParseIP("::ffff:192.0.2.7"), Port: 1}, "192.0.2.7/32"},
		"IPv6 is a network":    {&net.TCPAddr{IP: net.ParseIP("2001:db8:1:2:3:4:5:6")}, "2001:db8:1:2::/64"},
		"loopback is one host": {&net.TCPAddr{IP: net.IPv6loopback}, "::1/128"},
		"a zone":               {&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}, "fe80::/64"},
		"a Unix socket":        {&net.UnixAddr{Name: "@x"}, "::1/128"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := clientOf(addressOf(tt.addr)).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// addressed is a connection from somewhere.
type addressed struct {
	net.Conn
	from net.Addr
}

func (a addressed) RemoteAddr() net.Addr { return a.from }
func (a addressed) Close() error         { return nil }

func TestConnectionsAreShared(t *testing.T) {
	l := newListener(nil, 5, 2, nil)
	from := func(ip string) (*conn, string) { return l.admit(addressed{from: &net.TCPAddr{IP: net.ParseIP(ip)}}) }
	first, _ := from("192.0.2.1")
	from("192.0.2.1")
	if c, refusal := from("192.0.2.1"); c != nil || !strings.Contains(refusal, "429") {
		t.Errorf("the third connection of one client got %q", refusal)
	}
	if c, _ := from("192.0.2.2"); c == nil {
		t.Error("another client was refused")
	}
	for range 2 {
		if c, _ := from("127.0.0.1"); c == nil {
			t.Error("this machine was refused")
		}
	}
	if c, refusal := from("192.0.2.3"); c != nil || !strings.Contains(refusal, "503") {
		t.Errorf("one more than all got %q", refusal)
	}
	for range 2 { // closing twice frees one place
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
	if c, _ := from("192.0.2.1"); c == nil {
		t.Error("a place that was left is not free")
	}
	if c, _ := from("192.0.2.4"); c != nil {
		t.Error("closing twice freed two places")
	}
}

func TestTrustedProxiesAreNotShared(t *testing.T) {
	l := newListener(nil, 5, 2, nil)
	l.proxies = proxies{netip.MustParsePrefix("192.0.2.0/28")}
	for range 3 {
		if c, refusal := l.admit(addressed{from: &net.TCPAddr{IP: net.ParseIP("192.0.2.1")}}); c == nil {
			t.Errorf("a trusted proxy was refused: %q", refusal)
		}
	}
}

// TestAsker is whom a request counts for that a proxy of 10.0.0.0/8 or this machine has sent.
func TestAsker(t *testing.T) {
	const xff, forwarded = "X-Forwarded-For: ", "Forwarded: "
	s := &Server{opts: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}}}
	tests := map[string]struct {
		peer    string
		headers []string
		want    string
	}{
		"nobody in front":                    {"192.0.2.9", nil, "192.0.2.9"},
		"a stranger's word":                  {"192.0.2.9", []string{xff + "127.0.0.1"}, "192.0.2.9"},
		"a proxy's word":                     {"10.0.0.1", []string{xff + "192.0.2.9"}, "192.0.2.9"},
		"this machine's proxy":               {"127.0.0.1", []string{xff + "192.0.2.9"}, "192.0.2.9"},
		"a proxy that says nothing":          {"10.0.0.1", nil, "10.0.0.1"},
		"what the client wrote before it":    {"10.0.0.1", []string{xff + "127.0.0.1, 1.1.1.1, 192.0.2.9"}, "192.0.2.9"},
		"over two lines":                     {"10.0.0.1", []string{xff + "1.1.1.1", xff + "192.0.2.9"}, "192.0.2.9"},
		"two proxies":                        {"10.0.0.1", []string{xff + "1.1.1.1, 192.0.2.9, 10.0.0.2"}, "192.0.2.9"},
		"proxies only":                       {"10.0.0.1", []string{xff + "10.0.0.3,10.0.0.2"}, "10.0.0.3"},
		"what cannot be read":                {"10.0.0.1", []string{xff + "1.1.1.1, unknown"}, "10.0.0.1"},
		"nothing at the end":                 {"10.0.0.1", []string{xff + "1.1.1.1, "}, "10.0.0.1"},
		"with a port":                        {"10.0.0.1", []string{xff + "192.0.2.9:4711"}, "192.0.2.9"},
		"IPv6":                               {"10.0.0.1", []string{xff + "2001:db8::1"}, "2001:db8::1"},
		"IPv6 in brackets":                   {"10.0.0.1", []string{xff + "[2001:db8::1]"}, "2001:db8::1"},
		"IPv4 in IPv6":                       {"10.0.0.1", []string{xff + "::ffff:192.0.2.9"}, "192.0.2.9"},
		"the standard header":                {"10.0.0.1", []string{forwarded + "for=1.1.1.1, proto=https;For=192.0.2.9;by=10.0.0.1"}, "192.0.2.9"},
		"the standard header, IPv6":          {"10.0.0.1", []string{forwarded + `for="[2001:db8::1]:47011"`}, "2001:db8::1"},
		"the standard header, hidden":        {"10.0.0.1", []string{forwarded + "for=_hidden"}, "10.0.0.1"},
		"the standard header, no node":       {"10.0.0.1", []string{forwarded + "proto=https"}, "10.0.0.1"},
		"a quote that swallows what follows": {"10.0.0.1", []string{forwarded + `for="1.1.1.1, for=192.0.2.9`}, "192.0.2.9"},
		"both agree":                         {"10.0.0.1", []string{xff + "192.0.2.9", forwarded + "for=192.0.2.9"}, "192.0.2.9"},
		"one of them is the client's own":    {"10.0.0.1", []string{xff + "192.0.2.9", forwarded + "for=1.1.1.1"}, "10.0.0.1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var request fasthttp.Request
			for _, header := range tt.headers {
				name, value, _ := strings.Cut(header, ": ")
				request.Header.Add(name, value)
			}
			var ctx fasthttp.RequestCtx
			ctx.Init(&request, &net.TCPAddr{IP: net.ParseIP(tt.peer), Port: 1}, nil)
			if got := s.asker(&ctx).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// FuzzAsker holds what a trusted proxy appends to be what counts, whatever stood before.
func FuzzAsker(f *testing.F) {
	for _, seed := range []string{"", "1.1.1.1", `for="`, "a,b;c=d", `"`, "[", "10.0.0.1", "for=10.0.0.1, "} {
		f.Add(seed)
	}
	p := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	peer, want := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("192.0.2.9")
	f.Fuzz(func(t *testing.T, before string) {
		if got := p.behind(peer, listed([][]byte{[]byte(before + ", 192.0.2.9")})); got != want {
			t.Errorf("after %q the client counts as %s", before, got)
		}
		standard := listed([][]byte{[]byte(before + ", for=192.0.2.9;proto=http")})
		for i := range standard {
			standard[i] = forwardedFor(standard[i])
		}
		if got := p.behind(peer, standard); got != want {
			t.Errorf("after %q the client counts as %s", before, got)
		}
	})
}

func FuzzHosts(f *testing.F) {
	for _, seed := range []string{"localhost", "[::1]:1", "a:b:c", "[", "]", "x@y", "127.0.0.1:99999"} {
		f.Add(seed)
	}
	h := newHosts("pi", nil)
	f.Fuzz(func(t *testing.T, host string) {
		if !h.allow(host) {
			return
		}
		name := strings.ToLower(hostName(host))
		_, err := netip.ParseAddr(name)
		if _, own := h[name]; err != nil && !own && !strings.HasSuffix(name, ".localhost") {
			t.Errorf("%q is allowed as %q", host, name)
		}
	})
}

func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{`{"text":"x"}`, `{"query":1}`, `null`, `{"text":null,"query":null}`, `[`, `{"text":"\ud800"}`, `{"a":[[[[]]]]}`, "\xff", `"\"{"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		request, err := decodeRequest(body)
		if err != nil {
			if p := problemOf(err); p.Status != 400 || p.Field == "" {
				t.Errorf("%q gives the problem %+v", body, p)
			}
			return
		}
		if tooDeep(body, jsonDepthMax) {
			t.Errorf("%q is too deep and was read as %+v", body, request)
		}
		if err := request.Validate(); err == nil && strings.TrimSpace(request.Text) == "" {
			t.Errorf("%q has no text and is valid", body)
		}
	})
}

func FuzzTarget(f *testing.F) {
	for _, seed := range []string{"/", "*", "http://a/b?c", "https://a", "http:///x", "/x?http://y", "a:1", "HTTP://A?b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		authority, path, ok := target(uri)
		if ok && (path == "" || strings.Contains(path, "?") || strings.ContainsAny(authority, "/?")) {
			t.Errorf("target(%q) = %q, %q", uri, authority, path)
		}
		if ok && authority == "" && !strings.HasPrefix(uri, "/") {
			t.Errorf("target(%q) is neither a path nor has an authority", uri)
		}
	})
}
