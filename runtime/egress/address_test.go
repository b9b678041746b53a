package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// forbidden are spellings of places that no request may reach under a rule that names the host and nothing more. Names
// are those of fakeDNS.
var forbidden = []string{
	// loopback
	"127.0.0.1", "127.0.0.2", "127.255.255.254", "localhost", "LOCALHOST", "localhost.", "loop.test", "[::1]",
	"[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]",
	// numbers that a resolver of the C library takes for 127.0.0.1
	"2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0x7f.1", "127.0.0.1.",
	"0", "00", "0x0", "127.0.0.0x1", "127.0.0.01",
	// unspecified
	"0.0.0.0", "[::]", "0.1.2.3", "zero.test",
	// private
	"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.1.254", "167772161", "router.test",
	"[fc00::1]", "[fd12:3456:789a::1]",
	// shared
	"100.64.0.1", "100.127.255.254",
	// link-local and metadata
	"169.254.169.254", "169.254.0.1", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "metadata.test", "[fe80::1]",
	"[febf::1]", "[fe80::1%25eth0]", "[fd00:ec2::254]", "[fd20:ce::254]", "100.100.100.200", "168.63.129.16", "192.0.0.192",
	// IPv4 inside IPv6
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:0:127.0.0.1]",
	"[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::7f00:1]",
	"[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:7f00:1::]", "[2001::1]", "nat64.test", "mapped.test",
	// multicast, broadcast, reserved, documentation, benchmarks
	"224.0.0.1", "239.255.255.250", "255.255.255.255", "240.0.0.1", "[ff02::1]", "[ff0e::1]", "192.0.2.1", "198.51.100.7",
	"203.0.113.9", "198.18.0.1", "192.88.99.1", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[fec0::1]", "[4000::1]",
	// a name with a good and a bad address
	"split.test",
}

var fakeDNS = map[string][]string{
	"localhost": {"127.0.0.1", "::1"}, "loop.test": {"127.8.8.8"}, "zero.test": {"0.0.0.0"}, "router.test": {"192.168.0.1"},
	"metadata.test": {"169.254.169.254"}, "nat64.test": {"64:ff9b::c0a8:1"}, "mapped.test": {"::ffff:10.1.1.1"},
	"split.test": {"93.184.216.34", "10.0.0.1"}, "public.test": {"93.184.216.34"}, "six.test": {"2606:2800:220:1::1"},
}

// resolveFake answers names from fakeDNS, and numbers as inet_aton of the C library does.
func resolveFake(_ context.Context, host string) ([]netip.Addr, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	var found []netip.Addr
	for _, text := range fakeDNS[host] {
		found = append(found, netip.MustParseAddr(text))
	}
	if len(found) > 0 {
		return found, nil
	}
	if address, ok := inetAton(host); ok {
		return []netip.Addr{address}, nil
	}
	if address, err := netip.ParseAddr(strings.ReplaceAll(host, "%25", "%")); err == nil {
		return []netip.Addr{address}, nil
	}
	return nil, errors.New("no such host")
}

func inetAton(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		number, err := strconv.ParseUint(part, 0, 32)
		if err != nil {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			value |= number << (24 - 8*i)
		} else {
			value |= number
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

// lab is a listener that answers every connection, and a client whose connections all end there.
type lab struct {
	client *Client
	mu     sync.Mutex
	dialed []netip.AddrPort // guarded by mu
}

func newLab(t *testing.T, answer string, options Options) *lab {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { listener.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer connection.Close()
				reader := bufio.NewReader(connection)
				for {
					line, err := reader.ReadString('\n')
					if err != nil || strings.TrimSpace(line) == "" {
						break
					}
				}
				io.WriteString(connection, answer)
			})
		}
	})
	l := &lab{}
	options.Dial = func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
		l.mu.Lock()
		l.dialed = append(l.dialed, address)
		l.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	}
	if options.Resolve == nil {
		options.Resolve = resolveFake
	}
	l.client = New(options)
	t.Cleanup(l.client.Close)
	return l
}

func (l *lab) dials() []netip.AddrPort {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dialed
}

const helloAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

// get makes a request under a rule that names exactly what it asks for.
func (l *lab) get(spelling string) (Response, error) {
	rule := Rule{Scheme: "http", Host: strings.Trim(spelling, "[]"), Port: 8080, Methods: []string{"GET"}, Path: "/*"}
	return l.client.Do(context.Background(),
		Request{Method: "GET", URL: "http://" + spelling + ":8080/", Rules: []Rule{rule}})
}

func TestForbiddenAddressesAreNeverDialled(t *testing.T) {
	if len(forbidden) < 60 {
		t.Fatalf("the table has %d spellings", len(forbidden))
	}
	for _, spelling := range forbidden {
		t.Run(spelling, func(t *testing.T) {
			l := newLab(t, helloAnswer, Options{})
			_, err := l.get(spelling)
			var refused *Error
			if !errors.As(err, &refused) || refused.Kind != Refused && refused.Kind != Invalid {
				t.Errorf("a request to it gave %v, want it refused", err)
			}
			// The spelling alone must not be what saves us: past the URL checks, the address is refused as well.
			_, err = l.client.connect(t.Context(), net.JoinHostPort(strings.Trim(spelling, "[]"), "8080"), false)
			if !errors.As(err, &refused) || refused.Kind != Refused {
				t.Errorf("a connection to it gave %v, want it refused", err)
			}
			if n := len(l.dials()); n != 0 {
				t.Errorf("it was dialled %d times", n)
			}
		})
	}
}

// TestForbiddenAddressesWithoutTheCheck is the null control of the table above: without the address check every one of
// these spellings connects, so a check that stopped working would be seen.
func TestForbiddenAddressesWithoutTheCheck(t *testing.T) {
	l := newLab(t, helloAnswer, Options{})
	l.client.unchecked = true
	requests := 0
	for _, spelling := range forbidden {
		connection, err := l.client.connect(t.Context(), net.JoinHostPort(strings.Trim(spelling, "[]"), "8080"), false)
		if err != nil {
			t.Errorf("%s: not connected without the check: %v", spelling, err)
			continue
		}
		connection.Close()
		if response, err := l.get(spelling); err == nil && string(response.Body) == "hello" {
			requests++
		}
	}
	if len(l.dials()) < len(forbidden) || requests < 60 {
		t.Errorf("%d dials and %d answered requests for %d spellings", len(l.dials()), requests, len(forbidden))
	}
}

func TestPublicAddressesAreDialled(t *testing.T) {
	for spelling, want := range map[string]string{
		"public.test": "93.184.216.34:8080", "six.test": "[2606:2800:220:1::1]:8080", "93.184.216.34": "93.184.216.34:8080",
		"[2606:2800:220:1::1]": "[2606:2800:220:1::1]:8080", "[::ffff:93.184.216.34]": "93.184.216.34:8080",
		"[64:ff9b::5db8:d822]": "[64:ff9b::5db8:d822]:8080", "172.32.0.1": "172.32.0.1:8080", "11.0.0.1": "11.0.0.1:8080",
		"100.128.0.1": "100.128.0.1:8080", "PUBLIC.TEST.": "93.184.216.34:8080",
	} {
		l := newLab(t, helloAnswer, Options{})
		response, err := l.get(spelling)
		if err != nil || string(response.Body) != "hello" {
			t.Errorf("%s: %q, %v", spelling, response.Body, err)
			continue
		}
		if got := fmt.Sprint(l.dials()); got != "["+want+"]" {
			t.Errorf("%s: dialled %s, want %s", spelling, got, want)
		}
	}
}

func TestPrivateRuleReachesTheHouseButNeverMetadata(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "router.test": true, "127.0.0.1": true, "192.168.0.1": true, "100.64.0.1": true, "fd12::1": true,
		"mapped.test": true, "public.test": true, "metadata.test": false, "169.254.169.254": false, "fe80::1": false,
		"fd00:ec2::254": false, "100.100.100.200": false, "0.0.0.0": false, "224.0.0.1": false, "nat64.test": false,
	} {
		l := newLab(t, helloAnswer, Options{})
		rule := Rule{Scheme: "http", Host: host, Port: 8080, Methods: []string{"GET"}, Path: "/*", Private: true}
		_, err := l.client.Do(t.Context(),
			Request{URL: "http://" + net.JoinHostPort(host, "8080") + "/", Rules: []Rule{rule}})
		if (err == nil) != want {
			t.Errorf("%s: error %v, want reached: %v", host, err, want)
		}
	}
}

// TestRebinding lets a name change its address between the answers of its server.
func TestRebinding(t *testing.T) {
	var asked atomic.Int32
	resolve := func(context.Context, string) ([]netip.Addr, error) {
		if asked.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	l := newLab(t, helloAnswer, Options{Resolve: resolve})
	if _, err := l.get("rebind.test"); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("one request asked the resolver %d times: the second answer is not the checked one", n)
	}
	var refused *Error
	if _, err := l.get("rebind.test"); !errors.As(err, &refused) || refused.Kind != Refused {
		t.Errorf("after the name moved to loopback: %v", err)
	}
	if got := fmt.Sprint(l.dials()); got != "[93.184.216.34:8080]" {
		t.Errorf("dialled %s", got)
	}
	l.client.unchecked = true
	if _, err := l.get("rebind.test"); err != nil || len(l.dials()) != 2 {
		t.Errorf("null control: without the check the moved name gave %v and %v", err, l.dials())
	}
}
