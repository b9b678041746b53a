package server

import (
	"encoding/json"

	"github.com/valyala/fasthttp"

	"chatterbox/runtime/conversation"
)

// mode answers GET /conversation/{id}/mode.
func (s *Server) mode(ctx *fasthttp.RequestCtx, id string) {
	mode, err := s.opts.Service.Mode(s.base, id)
	if err != nil {
		s.answerError(ctx, "read mode", err)
		return
	}
	s.answerMode(ctx, mode)
}

// setMode answers PUT /conversation/{id}/mode.
func (s *Server) setMode(ctx *fasthttp.RequestCtx, id string) {
	name, err := decodeMode(ctx.PostBody())
	if err != nil {
		s.answerProblem(ctx, problemOf(err))
		return
	}
	mode, err := s.opts.Service.SetMode(s.base, id, name)
	if err != nil {
		s.answerError(ctx, "set mode", err)
		return
	}
	s.answerMode(ctx, mode)
}

// answerMode answers with the conversation's mode and those that there are.
func (s *Server) answerMode(ctx *fasthttp.RequestCtx, mode string) {
	s.json(ctx, fasthttp.StatusOK, "application/json", map[string]any{"mode": mode, "modes": s.opts.Service.Modes()})
}

// decodeMode reads the body {"mode": name}. The error is a *[conversation.RequestError].
func decodeMode(body []byte) (string, error) {
	fields, err := decodeObject(body, `{"mode": "HOME"}`)
	if err != nil {
		return "", err
	}
	var name string
	if json.Unmarshal(fields["mode"], &name) != nil || name == "" {
		return "", &conversation.RequestError{Field: "mode", Message: `must be the name of a mode, as in {"mode": "HOME"}`}
	}
	return name, nil
}
