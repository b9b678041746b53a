package server

import (
	"errors"
	"strconv"

	"github.com/valyala/fasthttp"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/internal/texts"
)

// problem is the body of an HTTP error: RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`          // a sentence that says what to do
	Field  string `json:"field,omitempty"` // of the request's body, where one is to blame
	// RetryAfter is seconds, as in the header of that name; 0 is none.
	RetryAfter int `json:"retry_after,omitempty"`
}

func newProblem(status int, detail string) problem {
	return problem{Type: "about:blank", Title: fasthttp.StatusMessage(status), Status: status, Detail: detail}
}

// wentWrong is what is said of an error of this program's own.
const wentWrong = "Something went wrong here; the log says what."

// problems are those that errors of Conversations are.
var problems = []struct {
	err                error
	status, retryAfter int
	detail             string
}{
	{conversation.ErrQueueFull, fasthttp.StatusTooManyRequests, 1,
		"Too many requests of this conversation are waiting already. Wait for an answer before the next one."},
	{conversation.ErrBusy, fasthttp.StatusServiceUnavailable, 1,
		"Too many requests are being answered. Try again in a moment."},
	{conversation.ErrStopping, fasthttp.StatusServiceUnavailable, 5,
		"The server is shutting down. Nothing was stored; try again later."},
	{conversation.ErrConflict, fasthttp.StatusConflict, 0,
		"The conversation was changed meanwhile. Look at it, and ask again."},
	{conversation.ErrClientGone, fasthttp.StatusBadRequest, 0,
		"The client closed the connection before the answer."},
}

// problemOf returns the problem that an error of Conversations is.
func problemOf(err error) problem {
	var request *conversation.RequestError
	if errors.As(err, &request) {
		p := newProblem(fasthttp.StatusBadRequest, request.Field+" "+request.Message+".")
		p.Field = request.Field
		return p
	}
	for _, known := range problems {
		if errors.Is(err, known.err) {
			p := newProblem(known.status, known.detail)
			p.RetryAfter = known.retryAfter
			return p
		}
	}
	return newProblem(fasthttp.StatusServiceUnavailable,
		"The conversations cannot be reached in the storage. The log says why.")
}

// problem answers with a problem.
func (s *Server) problem(ctx *fasthttp.RequestCtx, status int, detail string) {
	s.answerProblem(ctx, newProblem(status, detail))
}

func (s *Server) answerProblem(ctx *fasthttp.RequestCtx, p problem) {
	if p.RetryAfter > 0 {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(p.RetryAfter))
	}
	s.json(ctx, p.Status, "application/problem+json", p)
}

// json answers with value. The headers keep browsers from guessing at, keeping or framing what they get.
func (s *Server) json(ctx *fasthttp.RequestCtx, status int, contentType string, value any) {
	s.harden(ctx)
	ctx.SetStatusCode(status)
	ctx.SetContentType(contentType)
	ctx.Response.ResetBody()
	if err := texts.Encoder(ctx).Encode(value); err != nil {
		panic(err) // only a value that this package or Health made wrong
	}
}

func (s *Server) harden(ctx *fasthttp.RequestCtx) {
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	h.Set(fasthttp.HeaderCacheControl, "no-store")
	h.Set(fasthttp.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
}
