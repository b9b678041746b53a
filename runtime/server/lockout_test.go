package server_test

import (
	"encoding/base64"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"chatterbox/runtime/server"
)

// lockouts are what somebody sends, again and again, who wants that the house is no longer served.
var lockouts = map[string]struct {
	method, path string
	headers      []string
}{
	"no token":                            {"POST", "/conversation", nil},
	"no token, where nothing is":          {"GET", "/nothing", nil},
	"wrong tokens":                        {"DELETE", "/conversation", []string{"Authorization: Bearer guess"}},
	"wrong tokens at the health":          {"GET", "/health", []string{"Authorization: Bearer guess"}},
	"wrong passwords at the calendars":    {"PROPFIND", "/dav/", []string{"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("a:b"))}},
	"pictures on a page elsewhere":        {"GET", "/conversation", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"}},
	"pictures with a password":            {"GET", "/dav/", []string{"Sec-Fetch-Site: cross-site", "Authorization: Basic YTpi"}},
	"links with a password":               {"GET", "/health", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: document", "Authorization: Basic YTpi"}},
	"forms on a page elsewhere":           {"POST", "/conversation", []string{"Origin: http://evil.example"}},
	"wrong tokens through the same proxy": {"DELETE", "/conversation", []string{"X-Forwarded-For: 203.0.113.9", "Authorization: Bearer guess"}},
}

const attempts = 30

// lockedOut attacks a server and reports what it did to the right token, in its three forms, and to one wrong token of
// somebody else behind the proxy.
func lockedOut(t *testing.T, address, method, path string, headers []string) (right, neighbour bool) {
	for range attempts {
		ask(t, method, "http://"+address+path, "", headers...)
	}
	const through = "X-Forwarded-For: 198.51.100.7"
	for range attempts {
		for _, authorization := range []string{"Bearer s3cret", "Basic " + base64.StdEncoding.EncodeToString([]byte("phone:s3cret"))} {
			got := ask(t, "PROPFIND", "http://"+address+"/dav/", "", "Authorization: "+authorization, through)
			right = right || got.StatusCode != http.StatusMultiStatus
		}
		got := ask(t, "DELETE", "http://"+address+"/conversation", "", "Authorization: Bearer s3cret")
		right = right || got.StatusCode != http.StatusOK
	}
	got := ask(t, "DELETE", "http://"+address+"/conversation", "", "Authorization: Bearer mistyped", through)
	return right, got.StatusCode != http.StatusUnauthorized
}

func TestNobodyLocksTheHouseOut(t *testing.T) {
	opts := server.Options{
		Service: &service{}, Token: "s3cret", DAV: http.HandlerFunc(echoDAV), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
	for name, attack := range lockouts {
		t.Run(name, func(t *testing.T) {
			right, neighbour := lockedOut(t, start(t, opts), attack.method, attack.path, attack.headers)
			if right || neighbour {
				t.Errorf("the right token refused: %v; a neighbour's first wrong one refused as a guess too many: %v", right, neighbour)
			}
		})
		t.Run(name+", null control", func(t *testing.T) {
			broken, err := server.NewCountingFirst(opts)
			if err != nil {
				t.Fatal(err)
			}
			right, neighbour := lockedOut(t, serve(t, broken), attack.method, attack.path, attack.headers)
			if !right || !neighbour {
				t.Errorf("a server that counts first is not found out: right token refused %v, neighbour %v", right, neighbour)
			}
		})
	}
}

// TestProxyIsNoWayIn has who asks through a proxy of this machine be no part of it.
func TestProxyIsNoWayIn(t *testing.T) {
	health := func() map[string]any { return map[string]any{"model": "secret-model"} }
	opts := server.Options{Service: &service{}, Token: "s3cret", Health: health, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	url := "http://" + start(t, opts) + "/health"
	for headers, whole := range map[string]bool{
		"X-Forwarded-For: 192.0.2.9":            false,
		"X-Forwarded-For: 127.0.0.1, 192.0.2.9": false,
		"Forwarded: for=192.0.2.9":              false,
		"X-Forwarded-For: 127.0.0.1":            true,
		"Accept: */*":                           true,
	} {
		if got := ask(t, "GET", url, "", headers); strings.Contains(got.body, "secret-model") != whole {
			t.Errorf("%s got %s", headers, got.body)
		}
	}
}
