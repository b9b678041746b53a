package server

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// route is one path and what may be done there.
type route struct {
	path   string // one that ends in a slash is followed by one segment, the handler's argument
	tail   string // what follows the segment, such as "/mode"; empty is nothing
	public bool   // answered without a token
	allow  string // the methods, as the Allow header lists them
	do     map[string]handler
}

// handler answers a request. argument is the path's segment that the route leaves open, decoded, where it has one.
type handler func(ctx *fasthttp.RequestCtx, argument string)

func (s *Server) table() []route {
	return []route{
		{path: "/conversation", allow: "DELETE, OPTIONS, POST", do: map[string]handler{
			fasthttp.MethodPost: s.converse, fasthttp.MethodDelete: s.clear,
		}},
		{path: "/conversation/", allow: "DELETE, OPTIONS", do: map[string]handler{fasthttp.MethodDelete: s.delete}},
		{path: "/conversation/", tail: "/mode", allow: "GET, OPTIONS, PUT", do: map[string]handler{
			fasthttp.MethodGet: s.mode, fasthttp.MethodPut: s.setMode,
		}},
		{path: "/health", public: true, allow: "GET, HEAD, OPTIONS", do: map[string]handler{
			fasthttp.MethodGet: s.health, fasthttp.MethodHead: s.health,
		}},
	}
}

// find returns the route of a path, which must be written exactly so: nothing is cleaned or decoded but the open
// segment, so that no other spelling of a path can mean more than it shows.
func (s *Server) find(path string) (found *route, argument string, ok bool) {
	for i := range s.routes {
		r := &s.routes[i]
		if path == r.path && !strings.HasSuffix(r.path, "/") {
			return r, "", true
		}
		rest, under := strings.CutPrefix(path, r.path)
		rest, tailed := strings.CutSuffix(rest, r.tail)
		if !under || !tailed || rest == "" || !strings.HasSuffix(r.path, "/") || strings.Contains(rest, "/") {
			continue
		}
		if argument, err := url.PathUnescape(rest); err == nil {
			return r, argument, true
		}
	}
	return nil, "", false
}

// dispatch takes a request through framing, host, origin and token to its handler.
func (s *Server) dispatch(ctx *fasthttp.RequestCtx) {
	header := &ctx.Request.Header
	if fault := framingFault(header); fault != "" {
		s.malformed(ctx, "The request is not well-formed HTTP/1.1: "+fault+".")
		return
	}
	host := string(header.Host())
	authority, path, ok := target(string(header.RequestURI()))
	if !ok && string(header.RequestURI()) != "*" {
		s.malformed(ctx, "The request target is neither a path nor a web address.")
		return
	}
	if authority != "" && !strings.EqualFold(authority, host) || host == "" {
		s.malformed(ctx, "The request must name one host, and the same in the request target and in Host.")
		return
	}
	if !s.hosts.allow(host) {
		s.problem(ctx, fasthttp.StatusForbidden, fmt.Sprintf(
			"This server does not answer to the host name %q. Use its IP address, or add the name to server.hosts.",
			hostName(host)))
		return
	}
	route, argument, found := s.find(path)
	if !s.allowOrigin(ctx, host, found && route.public) {
		s.problem(ctx, fasthttp.StatusForbidden,
			"Pages of this origin may not ask here. Add the origin to server.origins if they should.")
		return
	}
	if s.opts.DAV != nil && isDAV(path) {
		s.calendars(ctx)
		return
	}
	if found && ctx.IsOptions() {
		s.preflight(ctx, route)
		return
	}
	if (!found || !route.public) && !s.authorize(ctx) {
		return
	}
	if !found {
		s.problem(ctx, fasthttp.StatusNotFound,
			"There is nothing here. The API is POST /conversation; GET /health says how it is.")
		return
	}
	do, known := route.do[string(ctx.Method())]
	if !known {
		ctx.Response.Header.Set(fasthttp.HeaderAllow, route.allow)
		s.problem(ctx, fasthttp.StatusMethodNotAllowed, "This path takes "+route.allow+" only.")
		return
	}
	do(ctx, argument)
}

// malformed refuses a request after which the connection's bytes have no certain meaning.
func (s *Server) malformed(ctx *fasthttp.RequestCtx, detail string) {
	s.problem(ctx, fasthttp.StatusBadRequest, detail)
	ctx.SetConnectionClose()
	if own, ok := ctx.Conn().(*conn); ok {
		own.linger.Store(true)
	}
}

// allowOrigin reports whether a browser may ask on behalf of the page that it names; what is no browser names none. A
// listed origin is told so. A link to what is public may be followed from anywhere, as by a stranger.
func (s *Server) allowOrigin(ctx *fasthttp.RequestCtx, host string, public bool) bool {
	header := &ctx.Request.Header
	origin := string(header.Peek(fasthttp.HeaderOrigin))
	if origin == "" {
		switch string(header.Peek("Sec-Fetch-Site")) {
		case "", "none", "same-origin":
			return true
		}
		header.Del(fasthttp.HeaderAuthorization)
		return public && (ctx.IsGet() || ctx.IsHead()) && string(header.Peek("Sec-Fetch-Dest")) == "document"
	}
	if _, listed := s.origins[strings.ToLower(origin)]; listed {
		ctx.Response.Header.Set(fasthttp.HeaderAccessControlAllowOrigin, origin)
		ctx.Response.Header.Set(fasthttp.HeaderVary, fasthttp.HeaderOrigin)
		return true
	}
	return sameOrigin(origin, host)
}

// preflight answers a browser that asks what it may ask. Only a listed origin gets leave.
func (s *Server) preflight(ctx *fasthttp.RequestCtx, r *route) {
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderAllow, r.allow)
	h.Set(fasthttp.HeaderAccessControlAllowMethods, r.allow)
	h.Set(fasthttp.HeaderAccessControlAllowHeaders, "Authorization, Content-Type")
	h.Set(fasthttp.HeaderAccessControlMaxAge, "600")
	s.harden(ctx)
	ctx.SetStatusCode(fasthttp.StatusNoContent)
}

// authorize reports whether the request carries the token, and answers it when not.
func (s *Server) authorize(ctx *fasthttp.RequestCtx) bool {
	return s.authorizeWith(ctx, s.secret.matches, "Bearer")
}

// trusted reports whether the request carries the token, for a path that answers in any case. A wrong token counts as a
// guess here, too, or this would be the place to guess at.
func (s *Server) trusted(ctx *fasthttp.RequestCtx) bool {
	shown := string(ctx.Request.Header.Peek(fasthttp.HeaderAuthorization))
	if !s.secret.set || s.secret.matches(shown) {
		return true
	}
	s.guessed(ctx, shown)
	return false
}

// authorizeWith is authorize for a way to show the token, which challenge names.
func (s *Server) authorizeWith(ctx *fasthttp.RequestCtx, matches func(string) bool, challenge string) bool {
	shown := string(ctx.Request.Header.Peek(fasthttp.HeaderAuthorization))
	if !s.secret.set || matches(shown) {
		return true
	}
	if wait := s.guessed(ctx, shown); wait > 0 {
		p := newProblem(fasthttp.StatusTooManyRequests,
			"Too many wrong tokens came from this address. Wait a minute, or send the right one.")
		p.RetryAfter = int(wait.Seconds()) + 1
		s.answerProblem(ctx, p)
		return false
	}
	ctx.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, challenge)
	s.problem(ctx, fasthttp.StatusUnauthorized,
		"This needs the header Authorization: Bearer, with the token of auth.token.")
	return false
}

// guessed counts what was shown and is wrong, and returns how long its client is told to wait; 0 is not at all. Where
// nothing was shown nothing was guessed.
func (s *Server) guessed(ctx *fasthttp.RequestCtx, shown string) time.Duration {
	if shown == "" {
		return 0
	}
	client, now := s.client(ctx), time.Now()
	if wait := s.guesses.blocked(client, now); wait > 0 {
		return wait
	}
	s.guesses.failed(client, now)
	s.opts.Log.Warn("wrong token", "client", client)
	return 0
}

// health answers anyone that it is well. The rest names addresses and counts of this house: beside this machine it is
// for those with the token.
func (s *Server) health(ctx *fasthttp.RequestCtx, _ string) {
	body := map[string]any{"status": "ok", "entity": s.opts.Name, "version": s.opts.Version}
	if s.opts.Health != nil && (s.here(ctx) || s.trusted(ctx)) {
		maps.Copy(body, s.opts.Health())
	}
	s.json(ctx, fasthttp.StatusOK, "application/json", body)
}

func (s *Server) delete(ctx *fasthttp.RequestCtx, id string) {
	if err := s.opts.Service.Delete(s.base, id); err != nil {
		s.answerError(ctx, "delete conversation", err)
		return
	}
	s.json(ctx, fasthttp.StatusOK, "application/json", map[string]string{"cleared": id})
}

func (s *Server) clear(ctx *fasthttp.RequestCtx, _ string) {
	count, err := s.opts.Service.Clear(s.base)
	if err != nil {
		s.answerError(ctx, "delete conversations", err)
		return
	}
	s.json(ctx, fasthttp.StatusOK, "application/json", map[string]any{"cleared": "*", "count": count})
}

// answerError answers with the problem that err is, and logs one that is not the client's.
func (s *Server) answerError(ctx *fasthttp.RequestCtx, operation string, err error) {
	p := problemOf(err)
	if p.Status >= fasthttp.StatusInternalServerError {
		s.opts.Log.Error(operation+" failed", "error", err, "status", strconv.Itoa(p.Status))
	}
	s.answerProblem(ctx, p)
}
