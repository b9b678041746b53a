package server

import "github.com/valyala/fasthttp"

// NewCountingFirst is a deliberately broken server, on which the tests of locking out must fail: it counts whatever
// carries no right token, by who connected, and turns a client away before it looks at the token.
func NewCountingFirst(opts Options) (*Server, error) {
	s, err := New(opts)
	if err != nil {
		return nil, err
	}
	right := s.http.Handler
	s.http.Handler = func(ctx *fasthttp.RequestCtx) {
		client := clientOf(addressOf(ctx.RemoteAddr()))
		if s.guesses.blocked(client, ctx.Time()) > 0 {
			s.problem(ctx, fasthttp.StatusTooManyRequests, "Too many requests without the right token.")
			return
		}
		if !s.secret.matchesPassword(string(ctx.Request.Header.Peek(fasthttp.HeaderAuthorization))) {
			s.guesses.failed(client, ctx.Time())
		}
		right(ctx)
	}
	return s, nil
}
