package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule allows requests to one host and port. Nothing in it is optional unless it says so.
type Rule struct {
	Scheme  string   // "http" or "https"
	Host    string   // a name, or an address without brackets; no wildcards
	Port    int      // 1 to 65535
	Methods []string // in capitals
	// Path is compared with the path of the URL, both percent-decoded. A * at its end stands for any rest. The query is
	// free.
	Path string
	// ResponseBytes and Timeout replace the client's defaults up to its maxima; 0 leaves the defaults.
	ResponseBytes int64
	Timeout       time.Duration
	// Private allows loopback, private and shared addresses for this host and port. Set it only for what the person or
	// the operator named.
	Private bool
}

// methods that a rule may name: HTTP's, and those of calendars and address books. CONNECT and TRACE are no way to use a
// service.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT"}

// Validate says what is wrong with the rule; the message begins with the field's name.
func (r Rule) Validate() error {
	if r.Scheme != "http" && r.Scheme != "https" {
		return fmt.Errorf(`scheme must be "http" or "https", not %q`, r.Scheme)
	}
	if strings.Contains(r.Host, "*") {
		return fmt.Errorf("host %q: wildcards are not allowed, name each host", r.Host)
	}
	if _, err := canonicalHost(r.Host); err != nil {
		return fmt.Errorf("host %q: %w", r.Host, err)
	}
	if r.Port < 1 || r.Port > 65535 {
		return fmt.Errorf("port must be 1 to 65535, not %d", r.Port)
	}
	if len(r.Methods) == 0 {
		return errors.New("methods must name at least one")
	}
	for _, method := range r.Methods {
		if !slices.Contains(methods, method) {
			return fmt.Errorf("methods: %q is none of %s", method, strings.Join(methods, ", "))
		}
	}
	if !strings.HasPrefix(r.Path, "/") && r.Path != "*" {
		return fmt.Errorf("path must begin with / or be *, not %q", r.Path)
	}
	if strings.Contains(strings.TrimSuffix(r.Path, "*"), "*") {
		return fmt.Errorf("path %q: a * may stand at the end only", r.Path)
	}
	if r.ResponseBytes < 0 || r.Timeout < 0 {
		return errors.New("response_bytes and timeout_ms must not be negative")
	}
	return nil
}

// target is a request's URL, taken apart and checked.
type target struct {
	scheme, host string
	port         int
	path         string // percent-decoded
	url          *url.URL
}

// authority is how error messages and logs name the target.
func (t target) authority() string {
	if strings.Contains(t.host, ":") {
		return "[" + t.host + "]:" + strconv.Itoa(t.port)
	}
	return t.host + ":" + strconv.Itoa(t.port)
}

// parseTarget accepts one spelling per URL: what it refuses is what two parsers could read differently.
func parseTarget(text string) (target, *Error) {
	if text == "" || len(text) > urlBytesMax {
		return target{}, invalid("the URL must have 1 to %d bytes", urlBytesMax)
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return target{}, invalid("the URL must be percent-encoded: byte %d is not allowed", i)
		}
	}
	parsed, err := url.Parse(text)
	if err != nil {
		return target{}, invalid("the URL cannot be read")
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" {
		return target{}, invalid("the URL must begin with http:// or https://")
	}
	if parsed.User != nil {
		return target{}, invalid("the URL must not carry a user name")
	}
	if parsed.Opaque != "" || parsed.Host == "" {
		return target{}, invalid("the URL names no host")
	}
	host, err := canonicalHost(parsed.Hostname())
	if err != nil {
		return target{}, invalid("host %q: %v", parsed.Hostname(), err)
	}
	port := map[string]int{"http": 80, "https": 443}[parsed.Scheme]
	if text := parsed.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return target{}, invalid("port %q is none", text)
		}
	}
	if err := checkPath(parsed); err != nil {
		return target{}, err
	}
	t := target{scheme: parsed.Scheme, host: host, port: port, path: parsed.Path}
	if t.path == "" {
		t.path = "/"
	}
	t.url = &url.URL{
		Scheme: t.scheme, Host: t.authority(), Path: t.path, RawPath: parsed.RawPath, RawQuery: parsed.RawQuery,
	}
	return t, nil
}

const urlBytesMax = 8 << 10

// checkPath refuses paths that a server may take for another one than the rule was compared with.
func checkPath(u *url.URL) *Error {
	escaped := strings.ToLower(u.EscapedPath())
	for _, hidden := range []string{"%2f", "%5c", "%00", "%25"} {
		if strings.Contains(escaped, hidden) {
			return invalid("the path must not contain %s", hidden)
		}
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return invalid("the path must not contain . or .. segments")
		}
	}
	return nil
}

// canonicalHost gives the one spelling of a host that is compared and resolved: lower case without a final dot, or an
// address as netip writes it. A host that some resolver would read as a number (2130706433, 0x7f.1, 127.1, 0177.0.0.1)
// is refused.
func canonicalHost(host string) (string, error) {
	if strings.Contains(host, ":") {
		address, err := netip.ParseAddr(host)
		if err != nil || address.Zone() != "" {
			return "", errors.New("not an IPv6 address without a zone")
		}
		return address.String(), nil
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "" || len(host) > 253 {
		return "", errors.New("a name has 1 to 253 characters")
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("a name consists of letters, digits and hyphens (write other letters in the xn-- form)")
		}
	}
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		address, err := netip.ParseAddr(host)
		if err != nil {
			return "", errors.New("an IPv4 address is written as four decimal numbers")
		}
		return address.String(), nil
	}
	return host, nil
}

// match gives the first rule that allows the method on the target. Where none does, the error says what was closest.
func match(rules []Rule, method string, t target) (Rule, *Error) {
	closest := "no rule allows " + t.scheme + "://" + t.authority()
	for _, rule := range rules {
		host, err := canonicalHost(rule.Host)
		if err != nil || rule.Scheme != t.scheme || host != t.host || rule.Port != t.port {
			continue
		}
		if !matchPath(rule.Path, t.path) {
			closest = "no rule allows this path on " + t.authority()
			continue
		}
		if !slices.Contains(rule.Methods, method) {
			closest = fmt.Sprintf("no rule allows %q on %s", method, t.authority())
			continue
		}
		return rule, nil
	}
	return Rule{}, refuse("%s", closest)
}

func matchPath(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return pattern == path
}
