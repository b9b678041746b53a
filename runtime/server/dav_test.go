package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/runtime/server"
)

func echoDAV(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	w.Header().Set("ETag", `"1"`)
	w.WriteHeader(http.StatusMultiStatus)
	fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", string(body), err)
}

func TestCalendarsAreServed(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "right", DAV: http.HandlerFunc(echoDAV)})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for name, c := range map[string]struct {
		method, path, login string // "user:password", "Bearer token" or none
		status              int
		answer              string
	}{
		"a phone":                {"PROPFIND", "/dav/calendars/", "anyone:right", 207, "PROPFIND /dav/calendars/ what<nil>"},
		"a program":              {"REPORT", "/dav/calendars/home/", "Bearer right", 207, "REPORT /dav/calendars/home/ what<nil>"},
		"what may be done":       {"OPTIONS", "/dav/", "anyone:right", 207, "OPTIONS /dav/ what<nil>"},
		"the way there":          {"PROPFIND", "/.well-known/caldav", "anyone:right", 207, "PROPFIND /.well-known/caldav what<nil>"},
		"a path that climbs":     {"PUT", "/dav/calendars/../x", "anyone:right", 207, "PUT /dav/calendars/../x what<nil>"},
		"no login":               {"PROPFIND", "/dav/", "", 401, ""},
		"a wrong password":       {"PROPFIND", "/dav/", "right:wrong", 401, ""},
		"no password":            {"PROPFIND", "/dav/", "right", 401, ""},
		"not the calendars":      {"GET", "/davx", "anyone:right", 401, ""},
		"a password for the API": {"DELETE", "/conversation", "anyone:right", 401, ""},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader("what"))
			if err != nil {
				t.Fatal(err)
			}
			if user, password, ok := strings.Cut(c.login, ":"); ok {
				request.SetBasicAuth(user, password)
			} else if c.login != "" {
				request.Header.Set("Authorization", c.login)
			}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != c.status || c.answer != "" && string(body) != c.answer {
				t.Errorf("%d %s, %v", response.StatusCode, body, err)
			}
			if c.status == 401 && strings.HasPrefix(c.path, "/dav/") && !strings.HasPrefix(response.Header.Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("challenge %q", response.Header.Get("WWW-Authenticate"))
			}
			if response.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", response.Header)
			}
		})
	}
}

// A phone that asks what is wanted is not guessing; one that guesses is told to wait.
func TestCalendarGuesses(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "right", DAV: http.HandlerFunc(echoDAV)})
	ask := func(password string) int {
		request, err := http.NewRequestWithContext(t.Context(), "PROPFIND", url+"/dav/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			request.SetBasicAuth("phone", password)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	for range 30 {
		if got := ask(""); got != http.StatusUnauthorized {
			t.Fatalf("no password: %d", got)
		}
	}
	if got := ask("right"); got != http.StatusMultiStatus {
		t.Errorf("the right one: %d", got)
	}
	for range 10 {
		ask("wrong")
	}
	if got := ask("wrong"); got != http.StatusTooManyRequests {
		t.Errorf("after guesses: %d", got)
	}
	if got := ask("right"); got != http.StatusMultiStatus {
		t.Errorf("after guesses the right one: %d", got)
	}
}

// The calendars are behind the same rules as the rest: a foreign page reaches them neither by a name of its own nor
// with the person's browser.
func TestCalendarsAreForThisHouse(t *testing.T) {
	var asked atomic.Int32
	dav := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "right", DAV: dav, BodyMax: 1000})
	const bearer = "Authorization: Bearer right"
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
	}{
		"a rebound name":        {"PROPFIND", "/dav/", "", []string{bearer, "Host: evil.example"}, 403},
		"and the way there":     {"GET", "/.well-known/caldav", "", []string{bearer, "Host: evil.example"}, 403},
		"a foreign page":        {"DELETE", "/dav/calendars/home/", "", []string{bearer, "Origin: http://evil.example"}, 403},
		"one that asks first":   {"OPTIONS", "/dav/", "", []string{"Origin: http://evil.example"}, 403},
		"a foreign form":        {"POST", "/dav/calendars/home/", "x", []string{bearer, "Sec-Fetch-Site: cross-site"}, 403},
		"an event that is huge": {"PUT", "/dav/calendars/home/a.ics", strings.Repeat("x", 1001), []string{bearer}, 413},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, c.method, url+c.path, c.body, c.headers...); got.StatusCode != c.status || asked.Load() > 0 {
				t.Errorf("%d %s, the calendars were asked %d times", got.StatusCode, got.body, asked.Load())
			}
		})
	}
	if got := ask(t, "PROPFIND", url+"/dav/", "", bearer); got.StatusCode != 200 || asked.Load() != 1 {
		t.Errorf("with the token %d, the calendars were asked %d times", got.StatusCode, asked.Load())
	}
}

func TestNoCalendars(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}})
	if got := ask(t, "GET", url+"/dav/", ""); got.StatusCode != http.StatusNotFound {
		t.Errorf("%d", got.StatusCode)
	}
}

// A look at a calendar ends when nobody waits for it any more.
func TestACalendarRequestEndsWithItsClient(t *testing.T) {
	ended := make(chan struct{})
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "right", DAV: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(ended)
	})})
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	request, err := http.NewRequestWithContext(ctx, "REPORT", url+"/dav/calendars/home/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("anyone", "right")
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		response.Body.Close()
		t.Fatal("it was answered")
	}
	<-ended
}
