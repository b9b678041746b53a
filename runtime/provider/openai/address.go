package openai

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"chatterbox/runtime/internal/addresses"
)

const completionsPath = "/chat/completions"

// versioned matches a path that has a version in it, such as /v1 or /api/v3, to which no further /v1 belongs.
var versioned = regexp.MustCompile(`/v[0-9]+[a-z0-9]*(/|$)`)

// parseBase reads a base URL as people write it: with a trailing slash, or with the path of the endpoint itself.
func parseBase(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		text = DefaultBaseURL
	}
	base, err := url.Parse(text)
	if err != nil || !strings.Contains(text, "://") {
		return nil, fmt.Errorf(
			"model address %q: write it with http:// or https:// in front, such as http://127.0.0.1:11434/v1", text)
	}
	query := base.RawQuery != "" || base.Fragment != ""
	base.RawQuery, base.Fragment, base.RawPath = "", "", "" // also so that no key from there reaches a message
	switch {
	case base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("model address %q: the scheme must be http or https", base.Redacted())
	case base.Hostname() == "":
		return nil, fmt.Errorf("model address %q: the host is missing", base.Redacted())
	case query:
		return nil, fmt.Errorf("model address %q: remove what follows it from the ? or # on", base.Redacted())
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.Path = strings.TrimRight(strings.TrimSuffix(base.Path, completionsPath), "/")
	return base, nil
}

// IsPrivate reports whether a base URL names a loopback or private address, or a name that only a local network
// resolves. It asks no name server. Models at such addresses get more time.
func IsPrivate(baseURL string) bool {
	base, err := parseBase(baseURL)
	return err == nil && addresses.Local(base.Hostname())
}

// at names the server in messages.
func at(base *url.URL) string {
	if port := base.Port(); port != "" {
		return base.Scheme + "://" + net.JoinHostPort(base.Hostname(), port)
	}
	return base.Scheme + "://" + base.Hostname()
}

// Public is a base URL without what must not be shown: password, query and fragment. It is empty when it cannot be
// read.
func Public(baseURL string) string {
	base, err := parseBase(baseURL)
	if err != nil {
		return ""
	}
	return base.Redacted()
}
