package server_test

import (
	"net/http"
	"strings"
	"testing"

	"chatterbox/runtime/server"
)

func TestWhoMayAsk(t *testing.T) {
	double := &service{}
	opts := server.Options{
		Service: double, Token: "s3cret", Hosts: []string{"talk.example.org"}, Origins: []string{"https://app.example.org"},
	}
	address := start(t, opts)
	url := "http://" + address
	const bearer = "Authorization: Bearer s3cret"
	tests := map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"with the token":                        {"POST", "/conversation", []string{bearer}, 200},
		"a stream with the token":               {"POST", "/conversation", []string{bearer, "Accept: text/event-stream"}, 200},
		"without":                               {"POST", "/conversation", nil, 401},
		"a stream without":                      {"POST", "/conversation", []string{"Accept: text/event-stream"}, 401},
		"with another":                          {"DELETE", "/conversation", []string{"Authorization: Bearer s3crex"}, 401},
		"what does not exist, without":          {"GET", "/secret", nil, 401},
		"health needs none":                     {"GET", "/health", nil, 200},
		"a listed host":                         {"GET", "/health", []string{"Host: talk.example.org"}, 200},
		"a rebound name":                        {"GET", "/health", []string{"Host: evil.example"}, 403},
		"a rebound name with the token":         {"POST", "/conversation", []string{bearer, "Host: evil.example:8765"}, 403},
		"a page of this server":                 {"POST", "/conversation", []string{bearer, "Origin: " + url}, 200},
		"a foreign page":                        {"POST", "/conversation", []string{bearer, "Origin: http://evil.example"}, 403},
		"a page on another port":                {"POST", "/conversation", []string{bearer, "Origin: http://127.0.0.1:1"}, 403},
		"a sandboxed page":                      {"POST", "/conversation", []string{bearer, "Origin: null"}, 403},
		"a foreign page that only looks":        {"GET", "/health", []string{"Origin: http://evil.example"}, 403},
		"a listed page":                         {"POST", "/conversation", []string{bearer, "Origin: https://app.example.org"}, 200},
		"a listed page asks first":              {"OPTIONS", "/conversation", []string{"Origin: https://app.example.org"}, 204},
		"a foreign page asks first":             {"OPTIONS", "/conversation", []string{"Origin: http://evil.example"}, 403},
		"a foreign form":                        {"POST", "/conversation", []string{bearer, "Sec-Fetch-Site: cross-site"}, 403},
		"a link from elsewhere":                 {"GET", "/health", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"}, 200},
		"a link to what is not public":          {"GET", "/conversation", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document"}, 403},
		"a picture from elsewhere":              {"GET", "/health", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"}, 403},
		"a frame elsewhere":                     {"GET", "/health", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: iframe"}, 403},
		"a picture from another port":           {"GET", "/health", []string{"Sec-Fetch-Site: same-site"}, 403},
		"an address that was typed":             {"GET", "/health", []string{"Sec-Fetch-Site: none"}, 200},
		"a WebSocket from elsewhere":            {"GET", "/health", []string{"Origin: http://evil.example", "Upgrade: websocket", "Connection: Upgrade"}, 403},
		"a forwarded address is not believed":   {"POST", "/conversation", []string{"X-Forwarded-For: 127.0.0.1"}, 401},
		"a token in another scheme's clothes":   {"POST", "/conversation", []string{"Authorization: Basic s3cret"}, 401},
		"a listed page whose origin was padded": {"POST", "/conversation", []string{bearer, "Origin: https://app.example.org.evil.example"}, 403},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := double.count()
			got := ask(t, tt.method, url+tt.path, `{"text":"x"}`, tt.headers...)
			if got.StatusCode != tt.status {
				t.Fatalf("got %d %s, want %d", got.StatusCode, got.body, tt.status)
			}
			if got.StatusCode >= 400 {
				got.problem(t)
				if double.count() != before {
					t.Error("the conversations were asked all the same")
				}
			}
			if got.StatusCode == 401 && got.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("WWW-Authenticate is %q", got.Header.Get("WWW-Authenticate"))
			}
			allowed := got.Header.Get("Access-Control-Allow-Origin")
			if want := strings.HasPrefix(name, "a listed page") && got.StatusCode < 300; (allowed == "https://app.example.org") != want || !want && allowed != "" {
				t.Errorf("Access-Control-Allow-Origin is %q", allowed)
			}
		})
	}
}

func TestGuessingIsTurnedAway(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "s3cret"}) + "/conversation"
	for i := range 10 {
		if got := ask(t, "DELETE", url, "", "Authorization: Bearer guess"); got.StatusCode != http.StatusUnauthorized {
			t.Fatalf("guess %d got %d", i, got.StatusCode)
		}
	}
	got := ask(t, "DELETE", url, "", "Authorization: Bearer guess")
	if got.StatusCode != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("after ten guesses a wrong token got %d, Retry-After %q", got.StatusCode, got.Header.Get("Retry-After"))
	}
	if got := ask(t, "DELETE", url, "", "Authorization: Bearer s3cret"); got.StatusCode != http.StatusOK {
		t.Errorf("after ten guesses the right token got %d", got.StatusCode)
	}
}
