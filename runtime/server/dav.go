package server

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"
)

// This file lets phones and other calendars at Options.DAV. They know no bearer tokens: the token is their password,
// whatever the user's name is.

// isDAV says whether a path is the calendars'.
func isDAV(path string) bool {
	return path == "/.well-known/caldav" || strings.HasPrefix(path, "/dav/")
}

// calendars answers with Options.DAV, whose paths mean what they show, as others do. Its requests end with their
// client.
func (s *Server) calendars(ctx *fasthttp.RequestCtx) {
	if s.authorizeWith(ctx, s.secret.matchesPassword, `Basic realm="Chatterbox", charset="UTF-8"`) {
		asked, _, end := s.requestContext(ctx.Conn())
		defer end()
		fasthttpadaptor.NewFastHTTPHandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.opts.DAV.ServeHTTP(w, r.WithContext(asked))
		})(ctx)
		s.harden(ctx)
	}
}

// matchesPassword is matches for the password of basic authentication too.
func (s secret) matchesPassword(authorization string) bool {
	scheme, encoded, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return s.matches(authorization)
	}
	login, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	_, password, found := strings.Cut(string(login), ":")
	return s.is(password) && err == nil && found
}
