//go:build !unix

package openai

import (
	"net"
	"net/http"
	"net/url"
)

// newPlainTransport has none here, where an idle connection cannot be looked at without waiting.
func newPlainTransport(*url.URL, net.Dialer) http.RoundTripper { return nil }
