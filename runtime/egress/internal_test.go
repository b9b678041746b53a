package egress

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const inside = "agenda.internal"

func insideRule() Rule {
	return Rule{Scheme: "http", Host: inside, Port: 80, Methods: []string{"GET", "REPORT"}, Path: "/dav/*"}
}

// internalClient has one internal name, and fails the test when a name of it is resolved.
func internalClient(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	client := New(Options{
		Internal: map[string]http.Handler{inside: handler},
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if strings.Contains(host, "internal") {
				t.Errorf("%s is resolved", host)
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	t.Cleanup(client.Close)
	return client
}

func TestAnInternalNameIsAnsweredHere(t *testing.T) {
	client := internalClient(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Host+r.RequestURI+" "+string(body))
		w.WriteHeader(http.StatusMultiStatus)
		io.WriteString(w, "found")
		if err != nil {
			t.Error(err)
		}
	})
	answer, err := client.Do(t.Context(), Request{
		Method: "REPORT", URL: "http://AGENDA.internal./dav/x?y=1", Body: []byte("what"), Rules: []Rule{insideRule()},
	})
	if err != nil || answer.Status != http.StatusMultiStatus || string(answer.Body) != "found" ||
		answer.Headers["x-seen"] != "REPORT agenda.internal:80/dav/x?y=1 what" {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAnInternalNameNeedsARule(t *testing.T) {
	client := internalClient(t, func(http.ResponseWriter, *http.Request) { t.Error("the handler is reached") })
	other := insideRule()
	other.Host = "example.org"
	for name, c := range map[string]struct {
		rules []Rule
		url   string
	}{
		"no rule":             {nil, "http://agenda.internal/dav/x"},
		"a rule for another":  {[]Rule{other}, "http://agenda.internal/dav/x"},
		"another path":        {[]Rule{insideRule()}, "http://agenda.internal/x"},
		"another port":        {[]Rule{insideRule()}, "http://agenda.internal:8080/dav/x"},
		"another scheme":      {[]Rule{insideRule()}, "https://agenda.internal/dav/x"},
		"a name below it":     {[]Rule{insideRule()}, "http://x.agenda.internal/dav/x"},
		"with another method": {[]Rule{{Scheme: "http", Host: inside, Port: 80, Methods: []string{"PUT"}, Path: "*"}}, "http://agenda.internal/dav/x"},
	} {
		_, err := client.Do(t.Context(), Request{URL: c.url, Rules: c.rules})
		var typed *Error
		if !errors.As(err, &typed) || typed.Kind != Refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingOutsideRedirectsToAnInternalName(t *testing.T) {
	client := internalClient(t, func(http.ResponseWriter, *http.Request) { t.Error("the handler is reached") })
	outside := httptest.NewServer(http.RedirectHandler("http://agenda.internal/dav/x", http.StatusFound))
	defer outside.Close()
	u, err := url.Parse(outside.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Do(t.Context(), Request{URL: outside.URL, Rules: []Rule{
		insideRule(), {Scheme: "http", Host: u.Hostname(), Port: port, Methods: []string{"GET"}, Path: "*", Private: true},
	}})
	var typed *Error
	if !errors.As(err, &typed) || typed.Kind != Refused || !strings.Contains(typed.Message, "nothing outside") {
		t.Errorf("%v", err)
	}
}

func TestAnInternalRedirectIsFollowedInside(t *testing.T) {
	client := internalClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dav/old" {
			http.Redirect(w, r, "/dav/new", http.StatusFound)
			return
		}
		io.WriteString(w, r.URL.Path)
	})
	answer, err := client.Do(t.Context(), Request{URL: "http://agenda.internal/dav/old", Rules: []Rule{insideRule()}})
	if err != nil || string(answer.Body) != "/dav/new" {
		t.Errorf("%s, %v", answer.Body, err)
	}
}

func TestAnInternalHandlerIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    Kind
	}{
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
			t.Error("nothing stops the handler")
		}, TooLarge},
		"a panic": {func(http.ResponseWriter, *http.Request) { panic("broken") }, Protocol},
	} {
		_, err := internalClient(t, c.handler).Do(t.Context(), Request{URL: "http://agenda.internal/dav/x", Rules: []Rule{insideRule()}})
		var typed *Error
		if !errors.As(err, &typed) || typed.Kind != c.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	client := internalClient(t, func(http.ResponseWriter, *http.Request) { t.Error("the handler is reached") })
	if _, err := client.Do(stopped, Request{URL: "http://agenda.internal/dav/x", Rules: []Rule{insideRule()}}); err == nil {
		t.Error("a request that was given up is made")
	}
}
