package egress

import (
	"net/http"
	"strings"
)

const (
	headersMax     = 64
	headerBytesMax = 16 << 10
	userAgent      = "chatterbox"
)

// reserved headers are the host's: they frame the message, route it, or say who speaks.
var reserved = map[string]bool{
	"host": true, "content-length": true, "transfer-encoding": true, "te": true, "trailer": true, "connection": true,
	"keep-alive": true, "upgrade": true, "expect": true, "http2-settings": true, "accept-encoding": true, "user-agent": true,
}

// keptAcrossOrigins go along with a redirect to another host; others could be credentials for the first.
var keptAcrossOrigins = []string{"Accept", "Accept-Language", "Content-Type"}

// requestHeader checks a guest's headers and adds the host's own.
func requestHeader(headers map[string]string) (http.Header, *Error) {
	if len(headers) > headersMax {
		return nil, invalid("at most %d headers are allowed", headersMax)
	}
	header := http.Header{"User-Agent": {userAgent}}
	total := 0
	for name, value := range headers {
		total += len(name) + len(value)
		lower := strings.ToLower(name)
		if !isToken(name) {
			return nil, invalid("header name %q is not allowed", name)
		}
		if reserved[lower] || strings.HasPrefix(lower, "proxy-") {
			return nil, invalid("header %s is set by the host only", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, invalid("the value of header %s has control characters", name)
		}
		if _, twice := header[http.CanonicalHeaderKey(name)]; twice {
			return nil, invalid("header %s is given twice", name)
		}
		header.Set(name, value)
	}
	if total > headerBytesMax {
		return nil, invalid("headers may have at most %d bytes", headerBytesMax)
	}
	return header, nil
}

// isToken says whether a header name is one by the HTTP grammar.
func isToken(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}

// responseHeader is what a guest sees: names in lower case, repeated fields joined as HTTP allows.
func responseHeader(header http.Header) map[string]string {
	seen := make(map[string]string, len(header))
	for name, values := range header {
		lower := strings.ToLower(name)
		if lower == "connection" || lower == "keep-alive" || strings.HasPrefix(lower, "proxy-") {
			continue
		}
		seen[lower] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return seen
}
