package egress

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server on loopback and a rule that allows all of it.
func serve(t *testing.T, handler http.HandlerFunc) (base string, rule Rule) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL, ruleFor(t, server.URL)
}

func ruleFor(t *testing.T, base string) Rule {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(u.Port())
	return Rule{Scheme: u.Scheme, Host: u.Hostname(), Port: port, Methods: methods, Path: "/*", Private: true}
}

func newClient(t *testing.T, options Options) *Client {
	t.Helper()
	client := New(options)
	t.Cleanup(client.Close)
	return client
}

func kindOf(err error) Kind {
	var typed *Error
	if errors.As(err, &typed) {
		return typed.Kind
	}
	return ""
}

func TestRequestAndResponseAreWhole(t *testing.T) {
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Twice", "1")
		w.Header().Add("X-Twice", "2")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.URL, r.Header.Get("X-Own"), r.UserAgent(), body)
	})
	response, err := newClient(t, Options{}).Do(t.Context(), Request{Method: "POST", URL: base + "/a%20b?q=%2f",
		Headers: map[string]string{"X-Own": "mine"}, Body: []byte("text"), Rules: []Rule{rule}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "POST /a%20b?q=%2f mine chatterbox text"; response.Status != 418 || string(response.Body) != want {
		t.Errorf("got %d %q, want %q", response.Status, response.Body, want)
	}
	if response.Headers["x-twice"] != "1, 2" {
		t.Errorf("headers %v", response.Headers)
	}
}

func TestHeadersThatAreTheHosts(t *testing.T) {
	var requests atomic.Int32
	base, rule := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	client := newClient(t, Options{})
	many := map[string]string{}
	for i := range headersMax + 1 {
		many["X-"+strconv.Itoa(i)] = "1"
	}
	for name, headers := range map[string]map[string]string{
		"Host": {"Host": "evil.test"}, "framing": {"transfer-encoding": "chunked"}, "length": {"Content-Length": "3"},
		"hop by hop": {"Connection": "X-Secret"}, "proxy": {"Proxy-Authorization": "x"}, "upgrade": {"Upgrade": "h2c"},
		"agent": {"User-Agent": "x"}, "encoding": {"Accept-Encoding": "br"}, "te": {"TE": "trailers"},
		"line break in a value": {"X-A": "1\r\nX-B: 2"}, "line feed in a value": {"X-A": "1\nX-B: 2"},
		"zero in a value": {"X-A": "1\x00"}, "line break in a name": {"X-A: 1\r\nX-B": "2"}, "a space in a name": {"X A": "1"},
		"a colon in a name": {"Host:": "x"}, "an empty name": {"": "1"}, "a letter that is not ASCII": {"X-Ä": "1"},
		"the same name twice": {"x-a": "1", "X-A": "2"}, "too many": many, "too long": {"X-A": strings.Repeat("x", headerBytesMax)},
	} {
		_, err := client.Do(t.Context(), Request{URL: base + "/", Headers: headers, Rules: []Rule{rule}})
		if kindOf(err) != Invalid {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
	if requests.Load() != 0 {
		t.Errorf("%d requests arrived", requests.Load())
	}
}

func TestRedirects(t *testing.T) {
	var otherSaw atomic.Pointer[http.Header]
	other, otherRule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		otherSaw.Store(&r.Header)
		fmt.Fprintf(w, "other %s", r.Method)
	})
	var first string
	first, firstRule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, target, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		code, _ := strconv.Atoi(status)
		switch {
		case code == 0:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "end %s %s", r.Method, body)
		case target == "other":
			http.Redirect(w, r, other+"/x", code)
		case target == "loop":
			http.Redirect(w, r, r.URL.Path, code)
		case target == "metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", code)
		case target == "file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(code)
		default:
			w.Header().Set("Location", "/end") // relative
			w.WriteHeader(code)
		}
	})
	for name, test := range map[string]struct {
		path  string
		rules []Rule
		want  string
		kind  Kind
	}{
		"to a path of the same host":            {"/301/end", []Rule{firstRule}, "end GET ", ""},
		"that keeps method and body":            {"/307/end", []Rule{firstRule}, "end POST text", ""},
		"to another granted host":               {"/302/other", []Rule{firstRule, otherRule}, "other GET", ""},
		"to a host that is not granted":         {"/302/other", []Rule{firstRule}, "", Refused},
		"to metadata":                           {"/302/metadata", []Rule{firstRule}, "", Refused},
		"to a file":                             {"/302/file", []Rule{firstRule}, "", Refused},
		"without end":                           {"/302/loop", []Rule{firstRule}, "", Redirect},
		"to a method that is not granted there": {"/303/end", []Rule{only(firstRule, "POST")}, "", Refused},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := newClient(t, Options{}).Do(t.Context(), Request{Method: "POST", URL: first + test.path,
				Body: []byte("text"), Rules: test.rules,
				Headers: map[string]string{"Authorization": "Bearer canary", "X-Api-Key": "canary", "Accept": "text/plain"}})
			if string(response.Body) != test.want || kindOf(err) != test.kind {
				t.Errorf("got %q and %v", response.Body, err)
			}
		})
	}
	if saw := otherSaw.Load(); saw == nil || saw.Get("Authorization")+saw.Get("X-Api-Key") != "" || saw.Get("Accept") != "text/plain" {
		t.Errorf("the other host saw %v", saw)
	}
}

func only(rule Rule, method string) Rule {
	rule.Methods = []string{method}
	return rule
}

// TestRedirectToMetadataUnderARule shows that the address check is asked for a redirect's target too.
func TestRedirectToMetadataUnderARule(t *testing.T) {
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254:80/x", http.StatusFound)
	})
	wide := Rule{Scheme: "http", Host: "169.254.169.254", Port: 80, Methods: methods, Path: "/*", Private: true}
	_, err := newClient(t, Options{}).Do(t.Context(), Request{URL: base + "/", Rules: []Rule{rule, wide}})
	if kindOf(err) != Refused {
		t.Errorf("got %v, want the address refused", err)
	}
}

func TestSizes(t *testing.T) {
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	for range 8 {
		zip.Write(make([]byte, 1<<20))
	}
	zip.Close()
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Query().Get("size"))
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		case "/headers":
			w.Header().Set("X-Large", strings.Repeat("x", size))
		default:
			w.Write(bytes.Repeat([]byte("x"), size))
		}
	})
	small, large := rule, rule
	small.ResponseBytes, large.ResponseBytes = 100, 1<<40
	for name, test := range map[string]struct {
		path string
		rule Rule
		body int
		want Kind
	}{
		"the last byte that fits":              {"/?size=1048576", rule, 0, ""},
		"one more":                             {"/?size=1048577", rule, 0, TooLarge},
		"more than the rule allows":            {"/?size=101", small, 0, TooLarge},
		"a rule that allows more":              {"/?size=1048577", large, 0, ""},
		"a rule that allows more than anybody": {"/?size=2097153", large, 0, TooLarge},
		"a gzip bomb":                          {"/bomb", rule, 0, TooLarge},
		"headers without end":                  {"/headers?size=100000", rule, 0, Protocol},
		"a body that is too large to send":     {"/", rule, 256<<10 + 1, Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, Options{}).Do(t.Context(),
				Request{Method: "POST", URL: base + test.path, Rules: []Rule{test.rule}, Body: make([]byte, test.body)})
			if kindOf(err) != test.want {
				t.Errorf("got %v, want kind %q", err, test.want)
			}
		})
	}
}

func TestCompressedResponseIsDecompressed(t *testing.T) {
	base, rule := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		io.WriteString(zip, `{"a":1}`)
		zip.Close()
	})
	response, err := newClient(t, Options{}).Do(t.Context(), Request{URL: base + "/", Rules: []Rule{rule}})
	if err != nil || string(response.Body) != `{"a":1}` || response.Headers["content-encoding"] != "" {
		t.Errorf("got %q, %v, %v", response.Body, response.Headers, err)
	}
}

func TestTimes(t *testing.T) {
	released := make(chan struct{})
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/drip" {
			for range 1000 {
				if _, err := w.Write([]byte("x")); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-released:
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		}
		<-released
	})
	defer close(released)
	quick := rule
	quick.Timeout = 100 * time.Millisecond
	client := newClient(t, Options{})
	for name, path := range map[string]string{"no answer": "/hang", "a body that drips": "/drip"} {
		started := time.Now()
		_, err := client.Do(t.Context(), Request{URL: base + path, Rules: []Rule{quick}})
		if kindOf(err) != Timeout || time.Since(started) > 15*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(started))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := client.Do(ctx, Request{URL: base + "/hang", Rules: []Rule{rule}}); kindOf(err) != Timeout || !errors.Is(err, context.Canceled) {
		t.Errorf("given up by the caller: %v", err)
	}
}

func TestFarEndFailures(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + free.Addr().String()
	free.Close()
	for name, test := range map[string]struct {
		answer string
		want   Kind
	}{
		"not HTTP":                 {"SSH-2.0-OpenSSH\r\n", Protocol},
		"nothing":                  {"", Protocol},
		"a body that is cut short": {"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", Protocol},
		"a chunk that is none":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Protocol},
		"gzip that is none":        {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", Protocol},
	} {
		if _, err := newLab(t, test.answer, Options{}).get("public.test"); kindOf(err) != test.want {
			t.Errorf("%s: %v, want kind %q", name, err, test.want)
		}
	}
	if _, err := newClient(t, Options{}).Do(t.Context(), Request{URL: closed + "/", Rules: []Rule{ruleFor(t, closed)}}); kindOf(err) != Connect {
		t.Errorf("nobody listens: %v", err)
	}
	if _, err := newLab(t, helloAnswer, Options{}).get("absent.test"); kindOf(err) != DNS {
		t.Errorf("no such name: %v", err)
	}
}

// TestTLSNameIsCheckedOnAPinnedAddress holds that connecting to an address leaves the certificate's name check intact.
func TestTLSNameIsCheckedOnAPinnedAddress(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "safe") }))
	defer server.Close()
	server.Config.ErrorLog = nil
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate()) // valid for example.com
	local := netip.MustParseAddrPort(server.Listener.Addr().String())
	resolve := func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{local.Addr()}, nil }
	for host, want := range map[string]Kind{"example.com": "", "other.test": Connect} {
		client := newClient(t, Options{RootCAs: roots, Resolve: resolve})
		rule := Rule{Scheme: "https", Host: host, Port: int(local.Port()), Methods: []string{"GET"}, Path: "/", Private: true}
		_, err := client.Do(t.Context(), Request{URL: fmt.Sprintf("https://%s:%d/", host, local.Port()), Rules: []Rule{rule}})
		if kindOf(err) != want {
			t.Errorf("%s: %v, want kind %q", host, err, want)
		}
	}
}

// TestKeptConnectionStaysWithItsPolicy lets a private rule open a connection and then asks without one.
func TestKeptConnectionStaysWithItsPolicy(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := newClient(t, Options{})
	rule := ruleFor(t, server.URL)
	for range 3 {
		if _, err := client.Do(t.Context(), Request{URL: server.URL + "/", Rules: []Rule{rule}}); err != nil {
			t.Fatal(err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("three requests opened %d connections", opened.Load())
	}
	rule.Private = false
	if _, err := client.Do(t.Context(), Request{URL: server.URL + "/", Rules: []Rule{rule}}); kindOf(err) != Refused {
		t.Errorf("without the private right: %v", err)
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	if _, err := newLab(t, helloAnswer, Options{}).get("public.test"); err != nil {
		t.Error(err)
	}
}

func TestHammerClient(t *testing.T) {
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.RawQuery) })
	client := newClient(t, Options{})
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for j := range 25 {
				want := fmt.Sprintf("%d-%d", i, j)
				response, err := client.Do(t.Context(), Request{URL: base + "/?" + want, Rules: []Rule{rule}})
				if err != nil || string(response.Body) != want {
					t.Errorf("%s: %q, %v", want, response.Body, err)
				}
			}
		})
	}
	running.Wait()
}
