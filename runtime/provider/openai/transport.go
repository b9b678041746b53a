package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/loop"
)

// The bounds of the transport. Those of the answer itself are options.
const (
	wireFactor     = 32 // a stream's bytes for each byte of its answer
	errorBodyBytes = 64 << 10
	drainBytes     = 64 << 10
	drainTime      = time.Second // for the end of a stream after [DONE]
	drainsMax      = 64          // streams that are drained at once; one more loses its connection
	idlePerHost    = 128
	idleTime       = 90 * time.Second // after which a connection that nobody used is closed
	headBytes      = 64 << 10
)

// transport stands between go-openai and the network. Its law:
//
//   - Whatever fails comes back as a *loop.Error, a response with a failure status too, because its headers (Retry-After)
//     would not survive go-openai.
//   - A response that does come back is one that go-openai can read, and bounded: a stream ends with [DONE] or with an
//     error, never silently.
//   - A stream that was read to [DONE] gives its connection back, though nobody reads on to the end of the body.
type transport struct {
	inner    http.RoundTripper
	base     *url.URL
	maxBytes int

	prefix   atomic.Int32 // one of the prefix constants
	noStream atomic.Bool  // the server answers requests for a stream in one piece, or refuses them

	drains sync.WaitGroup
	slots  chan struct{} // one token per drain
}

// What is known about the path of the endpoint.
const (
	prefixUnknown int32 = iota
	prefixNone          // base + /chat/completions
	prefixV1            // base + /v1 + /chat/completions
)

func newTransport(inner http.RoundTripper, base *url.URL, maxBytes int) *transport {
	if inner == nil {
		inner = ownTransport()
	}
	t := &transport{inner: inner, base: base, maxBytes: maxBytes, slots: make(chan struct{}, drainsMax)}
	if versioned.MatchString(base.Path) {
		t.prefix.Store(prefixNone)
	}
	return t
}

// ownTransport is what carries requests.
func ownTransport() http.RoundTripper {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           2 * idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: headBytes,
		ForceAttemptHTTP2:      true,
	}
}

func (t *transport) close() {
	t.drains.Wait()
	if closer, ok := t.inner.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// RoundTrip implements [http.RoundTripper], except that a response with a failure status is an error.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	// The request must outlive its caller's context by the draining of the stream.
	caller := request.Context()
	if caller.Err() != nil { // AfterFunc would tell the request later than it is sent
		return nil, context.Cause(caller)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(caller))
	detach := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })

	request = request.Clone(ctx)
	request.Header.Set("Accept-Encoding", "identity")
	// Not sent: it lets net/http ask again where the server closed the idle connection that was just taken. An answer
	// that nobody got did nothing.
	request.Header["X-Idempotency-Key"] = nil
	var response *http.Response
	asked := caller.Value(contentKey{}).(*content)
	err := asked.into(request)
	if err == nil {
		response, err = t.find(request)
	}
	if err != nil {
		detach()
		cancel(nil)
		return nil, err
	}
	body := &body{transport: t, raw: response.Body, detach: detach, cancel: func() { cancel(nil) }}
	if err := t.admit(response, body); err != nil {
		body.Close() //nolint:errcheck // the error that counts is known
		return nil, err
	}
	response.Body = body
	response.ContentLength = -1
	return response, nil
}

// find sends the request to the endpoint and, where the base URL lacks the /v1 that the server wants, finds that out.
func (t *transport) find(request *http.Request) (*http.Response, error) {
	prefix := t.prefix.Load()
	response, err := t.send(request, prefix == prefixV1)
	if err != nil || !unknownPath(response) {
		if err == nil && prefix == prefixUnknown && response.StatusCode == http.StatusOK {
			t.prefix.CompareAndSwap(prefixUnknown, prefixNone)
		}
		return response, err
	}
	if prefix != prefixUnknown || request.GetBody == nil {
		return response, nil
	}
	first := t.refusal(response)
	again := request.Clone(request.Context())
	if again.Body, err = request.GetBody(); err != nil {
		return nil, first
	}
	response, err = t.send(again, true)
	if err != nil {
		return nil, err
	}
	if unknownPath(response) {
		second := t.refusal(response)
		second.Message += fmt.Sprintf("; the same without /v1: %s", first.Message)
		return nil, second
	}
	t.prefix.Store(prefixV1)
	return response, nil
}

// unknownPath reports whether a response comes from a server that has no such endpoint. One that serves a page on every
// path answers 200 with HTML.
func unknownPath(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	case http.StatusOK:
		return mediaType(response) == "text/html"
	}
	return false
}

func (t *transport) send(request *http.Request, withV1 bool) (*http.Response, error) {
	if withV1 {
		request = request.Clone(request.Context())
		request.URL.Path = strings.TrimSuffix(request.URL.Path, completionsPath) + "/v1" + completionsPath
	}
	response, err := t.inner.RoundTrip(request)
	if err != nil {
		return nil, t.connection(err)
	}
	return response, nil
}

// admit checks a response and sets up body to read it.
func (t *transport) admit(response *http.Response, body *body) error {
	if response.StatusCode != http.StatusOK || mediaType(response) == "text/html" {
		return t.refusal(response)
	}
	reader, err := decompressed(response)
	if err != nil {
		return err
	}
	limit := t.maxBytes * wireFactor
	if response.ContentLength > int64(limit) {
		return tooLarge(fmt.Sprintf("%d bytes", response.ContentLength))
	}
	limited := &limitReader{transport: t, from: reader, left: limit}
	body.events = newEventReader(limited, t.maxBytes)
	if mediaType(response) == "text/event-stream" {
		return nil
	}
	first, err := body.events.peek()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if first != '{' && first != '[' && first != '<' && first != 0 {
		return nil
	}
	return t.admitWhole(response, body)
}

// admitWhole reads an answer that came in one piece, which becomes a stream of one event.
func (t *transport) admitWhole(response *http.Response, body *body) error {
	data, err := body.events.rest()
	if err != nil {
		return err
	}
	if isHTML(data) || len(bytes.TrimSpace(data)) == 0 {
		return t.refused(response, data)
	}
	var line bytes.Buffer
	switch err := json.Compact(&line, data); {
	case err != nil:
		return unreadable(data, err)
	case isError(data):
		return errorFromResponse(response, data)
	case !bytes.Contains(data, []byte(`"choices"`)):
		return &loop.Error{
			Kind: loop.KindAPI, Status: response.StatusCode,
			Message: "the model server's answer has no choices: " + excerpt(data),
		}
	}
	t.noStream.Store(true)
	body.events.replace("data: " + line.String() + "\ndata: [DONE]\n")
	return nil
}

// refusal is what a response that is no answer means. It reads and closes the body.
func (t *transport) refusal(response *http.Response) *loop.Error {
	defer response.Body.Close() //nolint:errcheck // nothing is written
	var data []byte
	if reader, err := decompressed(response); err == nil {
		data, _ = io.ReadAll(io.LimitReader(reader, errorBodyBytes)) // what could be read is the message
	}
	return t.refused(response, data)
}

func (t *transport) refused(response *http.Response, data []byte) *loop.Error {
	e := errorFromResponse(response, data)
	place := "POST " + response.Request.URL.Redacted()
	switch location := response.Header.Get("Location"); {
	case response.StatusCode >= 300 && response.StatusCode < 400 && location != "":
		e.Message = fmt.Sprintf("%s redirects to %s: set the model's base_url to what stands there before %s",
			place, clip(location), completionsPath)
	case unknownPath(response) && !namesModel(data):
		e.Message = fmt.Sprintf("%s: %s; the model's base_url must be the address before %s, usually one that ends in /v1",
			place, e.Message, completionsPath)
	case response.StatusCode == http.StatusOK && len(bytes.TrimSpace(data)) == 0:
		e.Message = "the model server's answer is empty"
	}
	return e
}

// namesModel reports whether a 404 is about the model rather than the path.
func namesModel(data []byte) bool {
	_, words, _ := readError(data)
	return !isHTML(data) && strings.Contains(words, "model")
}

func (t *transport) connection(err error) *loop.Error {
	var typed *loop.Error
	if errors.As(err, &typed) {
		return typed
	}
	message := fmt.Sprintf("connection to the model server at %s: %s", at(t.base), clip(err.Error()))
	return &loop.Error{Kind: loop.KindConnection, Message: message}
}

func mediaType(response *http.Response) string {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

func decompressed(response *http.Response) (io.Reader, error) {
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		return response.Body, nil
	case "gzip", "x-gzip":
		return &gzipReader{from: response.Body}, nil
	default:
		message := "the model server's answer has the encoding " + clip(encoding) + ", which was not asked for"
		return nil, &loop.Error{Kind: loop.KindAPI, Status: response.StatusCode, Message: message}
	}
}

// gzipReader reads the header with the first byte that is wanted, so that no response waits for it.
type gzipReader struct {
	from io.Reader
	gzip *gzip.Reader
}

func (g *gzipReader) Read(p []byte) (n int, err error) {
	if g.gzip == nil {
		if g.gzip, err = gzip.NewReader(g.from); err != nil {
			return 0, err
		}
	}
	return g.gzip.Read(p)
}

// limitReader fails where io.LimitReader would end, and gives every failure its kind.
type limitReader struct {
	transport *transport
	from      io.Reader
	left      int
}

func (l *limitReader) Read(p []byte) (int, error) {
	n, err := l.from.Read(p[:min(len(p), l.left+1)])
	l.left -= n
	switch {
	case l.left < 0:
		return 0, tooLarge("more bytes than any answer needs")
	case err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return n, err
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return n, &loop.Error{Kind: loop.KindAPI, Message: "the model server's answer is no gzip"}
	}
	return n, l.transport.connection(err)
}
