package server

// This file holds a request to the framing that all of HTTP/1.1 agrees on. The rule is: whatever two readers could cut
// differently is refused and the connection closed, because the rest of what it carries has no certain meaning.
// fasthttp has parsed the header before; what is checked here is what it lets pass.

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"
)

// framingFault says what is wrong with a request's header; empty is nothing.
func framingFault(h *fasthttp.RequestHeader) string {
	if p := h.Protocol(); string(p) != "HTTP/1.1" && string(p) != "HTTP/1.0" {
		return "only HTTP/1.1 and HTTP/1.0 are spoken here"
	}
	if bytes.IndexByte(h.RequestURI(), '#') >= 0 || !ascii(h.RequestURI()) {
		return "the request target has a character that must be percent-encoded"
	}
	var length, encoding bool
	for rest := h.RawHeaders(); len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		line, crlf := bytes.CutSuffix(line, []byte("\r"))
		switch {
		case !crlf:
			return "every line of the header must end in CR LF"
		case len(line) == 0:
			continue
		case line[0] == ' ' || line[0] == '\t':
			return "a header field must not be folded over lines"
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if !token(name) {
			return "a header field has a name that is none"
		}
		value = bytes.Trim(value, " \t")
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if !digits(value) {
				return "Content-Length must be one number"
			}
			length = true
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			if !bytes.EqualFold(value, []byte("chunked")) {
				return "the only Transfer-Encoding is chunked"
			}
			encoding = true
		}
	}
	if length && encoding {
		return "a request has either Content-Length or Transfer-Encoding"
	}
	return ""
}

// cutShort runs when a header has arrived. Of a request with faulty framing no body is read, as nobody knows where it
// would end; the handler then refuses it.
func cutShort(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if framingFault(h) != "" {
		h.SetContentLength(0)
	}
	return fasthttp.RequestConfig{}
}

// target splits a request target into the authority, empty unless it is in absolute form, and the path as it was sent,
// without the query. ok is false for what is neither a path nor a web address.
func target(uri string) (authority, path string, ok bool) {
	if !strings.HasPrefix(uri, "/") {
		scheme, rest, found := strings.Cut(uri, "://")
		if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
			return "", "", false
		}
		end := strings.IndexAny(rest, "/?")
		if end < 0 {
			end = len(rest)
		}
		authority, uri = rest[:end], rest[end:]
		if authority == "" {
			return "", "", false
		}
	}
	path, _, _ = strings.Cut(uri, "?")
	if path == "" {
		path = "/"
	}
	return authority, path, true
}

// token reports whether name is a header field's name.
func token(name []byte) bool {
	return len(name) > 0 && !bytes.ContainsFunc(name, func(r rune) bool {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func digits(text []byte) bool {
	return len(text) > 0 && !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func ascii(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
