package server

import (
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

func TestWhoSeesHowTheHouseIs(t *testing.T) {
	const right, wrong = "Bearer s3cret", "Bearer guess"
	for name, test := range map[string]struct {
		client, token string
		shown         []string // the Authorization of each request; the last one counts
		whole         bool
	}{
		"this machine":                         {"127.0.0.1", "s3cret", []string{""}, true},
		"this machine, by IPv6":                {"::1", "s3cret", []string{""}, true},
		"another without the token":            {"192.168.1.9", "s3cret", []string{""}, false},
		"another with the token":               {"192.168.1.9", "s3cret", []string{right}, true},
		"another with a wrong one":             {"192.168.1.9", "s3cret", []string{wrong}, false},
		"another after guesses of its address": {"192.168.1.9", "s3cret", append(slices.Repeat([]string{wrong}, failuresMax), right), true},
		"another where no token is configured": {"192.168.1.9", "", []string{""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Server{secret: newSecret(test.token), opts: Options{
				Name: "Chatterbox", Version: "1.2", Log: slog.New(slog.DiscardHandler),
				Health: func() map[string]any { return map[string]any{"model": "http://192.168.1.20:11434"} },
			}}
			var body string
			for _, shown := range test.shown {
				var ctx fasthttp.RequestCtx
				ctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.ParseIP(test.client), Port: 40000}, nil)
				if shown != "" {
					ctx.Request.Header.Set(fasthttp.HeaderAuthorization, shown)
				}
				s.health(&ctx, "")
				body = string(ctx.Response.Body())
			}
			if !strings.Contains(body, `"status":"ok"`) || strings.Contains(body, "192.168.1.20") != test.whole {
				t.Errorf("whole %v, got %s", test.whole, body)
			}
		})
	}
}
