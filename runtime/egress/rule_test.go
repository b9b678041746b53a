package egress

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

var weather = Rule{Scheme: "https", Host: "api.example.com", Port: 443, Methods: []string{"GET", "POST"}, Path: "/v1/*"}

func TestMatch(t *testing.T) {
	for name, test := range map[string]struct {
		method, url string
		want        bool
	}{
		"the granted path":                       {"GET", "https://api.example.com/v1/x", true},
		"with a query":                           {"GET", "https://api.example.com/v1/x?a=/v2/../b&c=%2f", true},
		"with its port":                          {"GET", "https://api.example.com:443/v1/x", true},
		"in capitals, with a final dot":          {"GET", "HTTPS://API.Example.com./v1/x", true},
		"percent-encoded letters":                {"GET", "https://api.example.com/%76%31/x", true},
		"another granted method":                 {"POST", "https://api.example.com/v1/", true},
		"a method that is not granted":           {"DELETE", "https://api.example.com/v1/x", false},
		"a method in small letters":              {"get", "https://api.example.com/v1/x", false},
		"a method that smuggles":                 {"GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "https://api.example.com/v1/x", false},
		"plain http":                             {"GET", "http://api.example.com/v1/x", false},
		"another port":                           {"GET", "https://api.example.com:8443/v1/x", false},
		"another host":                           {"GET", "https://example.com/v1/x", false},
		"a longer host":                          {"GET", "https://api.example.com.evil.test/v1/x", false},
		"a host before the at sign":              {"GET", "https://api.example.com@evil.test/v1/x", false},
		"a user name for the right host":         {"GET", "https://u:p@api.example.com/v1/x", false},
		"a backslash before the host ends":       {"GET", `https://evil.test\@api.example.com/v1/x`, false},
		"a fragment that hides the host":         {"GET", "https://evil.test#@api.example.com/v1/x", false},
		"another path":                           {"GET", "https://api.example.com/v2/x", false},
		"the path without its slash":             {"GET", "https://api.example.com/v1", false},
		"a path that climbs":                     {"GET", "https://api.example.com/v1/../admin", false},
		"a path that climbs, encoded":            {"GET", "https://api.example.com/v1/%2e%2e/admin", false},
		"a path that climbs by an encoded slash": {"GET", "https://api.example.com/v1/..%2fadmin", false},
		"a path that climbs with a parameter":    {"GET", "https://api.example.com/v1/..;/admin", false},
		"a path that is encoded twice":           {"GET", "https://api.example.com/v1/%252e%252e/admin", false},
		"a backslash in the path":                {"GET", `https://api.example.com/v1/..\admin`, false},
		"a backslash in the path, encoded":       {"GET", "https://api.example.com/v1/..%5cadmin", false},
		"a zero byte":                            {"GET", "https://api.example.com/v1/x%00", false},
		"a line break":                           {"GET", "https://api.example.com/v1/x\r\nHost: evil.test", false},
		"a space":                                {"GET", "https://api.example.com/v1/x HTTP/1.1", false},
		"a letter that is not ASCII":             {"GET", "https://api.example.com/v1/ü", false},
		"no scheme":                              {"GET", "//api.example.com/v1/x", false},
		"no host":                                {"GET", "https:///v1/x", false},
		"an opaque URL":                          {"GET", "https:api.example.com/v1/x", false},
		"a file":                                 {"GET", "file://api.example.com/v1/x", false},
		"a port that is none":                    {"GET", "https://api.example.com:99999/v1/x", false},
		"an empty label":                         {"GET", "https://api..example.com/v1/x", false},
		"a full-width dot":                       {"GET", "https://api。example.com/v1/x", false},
		"an empty URL":                           {"GET", "", false},
		"a URL without end":                      {"GET", "https://api.example.com/v1/" + strings.Repeat("x", 9000), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).first(Request{Method: test.method, URL: test.url, Rules: []Rule{weather}})
			if (err == nil) != test.want {
				t.Errorf("error %v, want allowed: %v", err, test.want)
			}
			var typed *Error
			if err != nil && (!errors.As(err, &typed) || typed.Kind != Refused && typed.Kind != Invalid) {
				t.Errorf("error %v is no refusal", err)
			}
		})
	}
}

func TestRefusalNamesWhatWasClosest(t *testing.T) {
	for url, want := range map[string]string{
		"https://other.test/":        "no rule allows https://other.test:443",
		"https://api.example.com/v2": "no rule allows this path on api.example.com:443",
	} {
		_, err := New(Options{}).first(Request{Method: "GET", URL: url, Rules: []Rule{weather}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for field, change := range map[string]func(*Rule){
		"scheme":         func(r *Rule) { r.Scheme = "ftp" },
		"host":           func(r *Rule) { r.Host = "*.example.com" },
		"host \"\"":      func(r *Rule) { r.Host = "" },
		"host \"0x7f":    func(r *Rule) { r.Host = "0x7f.1" },
		"port":           func(r *Rule) { r.Port = 0 },
		"methods must":   func(r *Rule) { r.Methods = nil },
		"methods: \"CON": func(r *Rule) { r.Methods = []string{"CONNECT"} },
		"path must":      func(r *Rule) { r.Path = "v1/*" },
		"path \"/a":      func(r *Rule) { r.Path = "/a*b" },
		"response_bytes": func(r *Rule) { r.Timeout = -1 },
	} {
		rule := weather
		change(&rule)
		if err := rule.Validate(); err == nil || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("error %v does not begin with %q", err, field)
		}
	}
	if err := weather.Validate(); err != nil {
		t.Error(err)
	}
}

// FuzzTarget holds that what is compared with the rule is what net/http sends.
func FuzzTarget(f *testing.F) {
	for _, seed := range []string{
		"https://api.example.com/v1/x?y#z", "https://api.example.com:443/v1/%2e%2e/x", "https://u@api.example.com/v1/",
		"https://[::1]:443/v1/", "https://api.example.com/v1/..;a/b", "https://api.example.com:0443/v1/%41", "https://0x7f.1/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseTarget(text)
		if err != nil {
			return
		}
		again, err := parseTarget(parsed.url.String())
		if err != nil || again.authority() != parsed.authority() || again.path != parsed.path {
			t.Fatalf("%q is %+v, and its own URL is %+v, %v", text, parsed, again, err)
		}
		request, failure := http.NewRequest("GET", parsed.url.String(), nil)
		if failure != nil {
			t.Fatalf("%q cannot be requested: %v", text, failure)
		}
		if request.URL.Host != parsed.authority() || request.Host != parsed.authority() {
			t.Fatalf("%q goes to %s, compared was %s", text, request.URL.Host, parsed.authority())
		}
		if _, err := match([]Rule{weather}, "GET", parsed); err == nil {
			if request.URL.Hostname() != "api.example.com" || !strings.HasPrefix(request.URL.Path, "/v1/") ||
				strings.Contains(request.URL.Path, "/../") || strings.HasSuffix(request.URL.Path, "/..") {
				t.Fatalf("%q is allowed and asks for %s", text, request.URL)
			}
		}
	})
}
