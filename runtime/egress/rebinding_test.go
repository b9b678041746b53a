package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"chatterbox/runtime/internal/addresses"
)

// nameServer answers each look-up of a name with the next of its answers, at last with the last one for good. No answer
// may be kept.
type nameServer struct {
	answers [][]netip.Addr

	mu    sync.Mutex
	asked map[uint16]int // guarded by mu: questions by their type
}

const (
	typeA    = 1
	typeAAAA = 28
)

// useNameServer makes a name server on loopback the one that the whole process asks.
func useNameServer(t *testing.T, answers ...[]netip.Addr) *nameServer {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{answers: answers, asked: map[uint16]int{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		question := make([]byte, 1500)
		for {
			size, from, err := socket.ReadFrom(question)
			if err != nil {
				return
			}
			_, _ = socket.WriteTo(s.answer(question[:size]), from)
		}
	}()
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = usual
		_ = socket.Close()
		<-ended
	})
	return s
}

// answer makes the message: the question comes back, and each address is a record of the same name that lasts 0
// seconds.
func (s *nameServer) answer(message []byte) []byte {
	const header = 12
	end := header
	for message[end] != 0 {
		end += int(message[end]) + 1
	}
	end += 5 // the root, type and class
	kind := binary.BigEndian.Uint16(message[end-4:])
	s.mu.Lock()
	addresses := s.answers[min(s.asked[kind], len(s.answers)-1)]
	s.asked[kind]++
	s.mu.Unlock()
	out := slices.Clone(message[:end])
	copy(out[2:], []byte{0x84, 0x00, 0, 1, 0, 0, 0, 0, 0, 0}) // an answer with authority; one question
	for _, address := range addresses {
		if address.Is4() == (kind == typeA) {
			bytes := address.AsSlice()
			out[7]++
			out = append(out, 0xC0, header, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(bytes)))
			out = append(out, bytes...)
		}
	}
	return out
}

func (s *nameServer) lookups() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[typeA]
}

// TestNameThatChanges has a name server whose answers change, and a server on loopback that no guest may reach. Names
// are looked up as in the product; only what goes out to the world comes to a server of the test.
func TestNameThatChanges(t *testing.T) {
	outside := netip.MustParseAddr("93.184.216.34")
	loopback, mapped := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1")
	for name, c := range map[string]struct {
		answers [][]netip.Addr
		down    bool   // whether nobody answers outside
		want    string // what each request comes to
		reached string // and where addresses are not checked
	}{
		"between two requests":          {answers: [][]netip.Addr{{outside}, {loopback}}, want: "outside refused", reached: "outside inside"},
		"between two requests, as IPv6": {answers: [][]netip.Addr{{outside}, {mapped}}, want: "outside refused", reached: "outside inside"},
		"after the first, and back":     {answers: [][]netip.Addr{{outside}, {loopback}, {outside}}, want: "outside refused outside", reached: "outside inside outside"},
		"both at once, and one is down": {answers: [][]netip.Addr{{outside, loopback}}, down: true, want: "refused", reached: "inside"},
		"nothing changes":               {answers: [][]netip.Addr{{outside}, {outside}}, want: "outside outside", reached: "outside outside"},
	} {
		for _, unchecked := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", without the check"}[unchecked], func(t *testing.T) {
				names := useNameServer(t, c.answers...)
				var insideSaw atomic.Int32
				inside, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					insideSaw.Add(1)
					w.Header().Set("Connection", "close")
					_, _ = io.WriteString(w, "inside")
				})
				world, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Connection", "close") // so that the next request looks the name up again
					_, _ = io.WriteString(w, "outside")
				})
				client := newClient(t, Options{Dial: func(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
					switch {
					case address.Addr().IsLoopback():
						return dialByHost(ctx, address)
					case c.down:
						return nil, errors.New("nobody is there")
					default:
						return (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(world, "http://"))
					}
				}})
				client.unchecked = unchecked
				rule := ruleFor(t, inside)
				rule.Host, rule.Private = "rebinding.test", false
				var got []string
				for range c.answers {
					response, err := client.Do(t.Context(), Request{URL: "http://rebinding.test:" + strconv.Itoa(rule.Port) + "/", Rules: []Rule{rule}})
					if err != nil {
						got = append(got, string(kindOf(err)))
						continue
					}
					got = append(got, string(response.Body))
				}
				want := c.want
				if unchecked {
					want = c.reached
				}
				if got := strings.Join(got, " "); got != want {
					t.Errorf("the requests came to %s, want %s", got, want)
				}
				if !unchecked && insideSaw.Load() != 0 {
					t.Errorf("%d requests arrived inside", insideSaw.Load())
				}
				if names.lookups() != len(c.answers) {
					t.Errorf("%d look-ups for %d requests: a request must look a name up once", names.lookups(), len(c.answers))
				}
			})
		}
	}
}

// TestNameThatChangesBetweenCheckAndUse shows with the same name server what a client does that checks a name and then
// connects to the name.
func TestNameThatChangesBetweenCheckAndUse(t *testing.T) {
	outside, loopback := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1")
	inside, rule := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") })
	rule.Host, rule.Private = "rebinding.test", false
	target := strings.Replace(inside, "127.0.0.1", rule.Host, 1)

	useNameServer(t, []netip.Addr{outside}, []netip.Addr{loopback})
	resolved, err := resolveByHost(t.Context(), rule.Host)
	if err != nil || len(resolved) != 1 || addresses.Of(resolved[0]) != addresses.Public {
		t.Fatalf("the check sees %v, %v", resolved, err)
	}
	careless := &http.Transport{}
	defer careless.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := careless.RoundTrip(request)
	if err != nil {
		t.Fatalf("the careless client does not get in, so that the name server shows nothing: %v", err)
	}
	_ = response.Body.Close()

	useNameServer(t, []netip.Addr{outside}, []netip.Addr{loopback})
	var dialled []netip.AddrPort
	client := newClient(t, Options{Dial: func(_ context.Context, address netip.AddrPort) (net.Conn, error) {
		dialled = append(dialled, address)
		return nil, errors.New("nobody is there")
	}})
	if _, err := client.Do(t.Context(), Request{URL: target, Rules: []Rule{rule}}); kindOf(err) != Connect {
		t.Errorf("the request came to %v", err)
	}
	if want := netip.AddrPortFrom(outside, uint16(rule.Port)); len(dialled) != 1 || dialled[0] != want {
		t.Errorf("it connected to %v, want only %v", dialled, want)
	}
}
