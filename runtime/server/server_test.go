package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

func TestRoutes(t *testing.T) {
	opts := server.Options{Service: &service{}, Version: "1.2", Health: func() map[string]any { return map[string]any{"tools": 2} }}
	url := "http://" + start(t, opts)
	tests := map[string]struct {
		method, path, body string
		status             int
		answer             string // "" for a problem
		header             string
	}{
		"a turn":                  {"POST", "/conversation", `{"text":"Hi <you>","conversation_id":"a:1"}`, 200, `{"response_text":"Hi <you>","conversation_id":"a:1","extra":{}}`, ""},
		"query is text":           {"POST", "/conversation", `{"query":"Hi","messages":[],"stream":false}`, 200, `{"response_text":"Hi","conversation_id":null,"extra":{}}`, ""},
		"text goes before query":  {"POST", "/conversation", `{"query":"no","text":"Hi"}`, 200, `{"response_text":"Hi","conversation_id":null,"extra":{}}`, ""},
		"null is not given":       {"POST", "/conversation", `{"text":"Hi","conversation_id":null,"trace":null}`, 200, `{"response_text":"Hi","conversation_id":null,"extra":{}}`, ""},
		"a query string is fine":  {"POST", "/conversation?x=http://evil/", `{"text":"Hi"}`, 200, `{"response_text":"Hi","conversation_id":null,"extra":{}}`, ""},
		"delete one":              {"DELETE", "/conversation/a:1", "", 200, `{"cleared":"a:1"}`, ""},
		"delete one, encoded":     {"DELETE", "/conversation/a%3A1", "", 200, `{"cleared":"a:1"}`, ""},
		"delete all":              {"DELETE", "/conversation", "", 200, `{"cleared":"*","count":3}`, ""},
		"health":                  {"GET", "/health", "", 200, `{"entity":"Chatterbox","status":"ok","tools":2,"version":"1.2"}`, ""},
		"health's head":           {"HEAD", "/health", "", 200, "", ""},
		"no such path":            {"GET", "/", "", 404, "", ""},
		"an empty id":             {"DELETE", "/conversation/", "", 404, "", ""},
		"a path that climbs":      {"DELETE", "/conversation/x/..", "", 404, "", ""},
		"a doubled slash":         {"DELETE", "//conversation", "", 404, "", ""},
		"an id that cannot be":    {"DELETE", "/conversation/a%2Fb", "", 400, "", ""},
		"a method too much":       {"PUT", "/conversation", "", 405, "", "Allow: DELETE, OPTIONS, POST"},
		"a method too much there": {"POST", "/conversation/a", "{}", 405, "", "Allow: DELETE, OPTIONS"},
		"what may be done":        {"OPTIONS", "/conversation", "", 204, "", "Allow: DELETE, OPTIONS, POST"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ask(t, tt.method, url+tt.path, tt.body)
			if got.StatusCode != tt.status || strings.TrimSpace(got.body) != tt.answer && tt.answer != "" {
				t.Errorf("got %d %s, want %d %s", got.StatusCode, got.body, tt.status, tt.answer)
			}
			if got.StatusCode >= 400 {
				got.problem(t)
			}
			if name, value, found := strings.Cut(tt.header, ": "); found && got.Header.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, got.Header.Get(name), value)
			}
			if got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", got.Header)
			}
		})
	}
}

func TestTheRequestArrivesWhole(t *testing.T) {
	double := &service{}
	url := "http://" + start(t, server.Options{Service: double}) + "/conversation"
	ask(t, "POST", url, `{"text":"ü\u00e4\n","conversation_id":"a","language":"de","mode":"HOME","trace":true,"Text":"no"}`)
	want := conversation.Request{Text: "üä\n", ConversationID: "a", Language: "de", Mode: "HOME", Trace: true}
	if got := double.asked[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	ask(t, "POST", url, `{"query":"x","text":null,"conversation_id":null,"language":null,"mode":null,"trace":null}`)
	if got := double.asked[1]; got != (conversation.Request{Text: "x"}) {
		t.Errorf("null is not as good as absent: %+v", got)
	}
}

func TestBadBodies(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}}) + "/conversation"
	deep := strings.Repeat(`{"a":[`, 16) + "1" + strings.Repeat("]}", 16)
	tests := map[string]struct{ body, field, says string }{
		"nothing":              {"", "body", "JSON object"},
		"no JSON":              {"text=hello", "body", "not JSON"},
		"a list":               {`["text"]`, "body", "JSON object"},
		"null":                 {"null", "body", "JSON object"},
		"half an object":       {`{"text":"x"`, "body", "not JSON"},
		"two objects":          {`{"text":"x"}{"text":"y"}`, "body", "not JSON"},
		"not UTF-8":            {"{\"text\":\"\xff\"}", "body", "UTF-8"},
		"too deep":             {`{"text":"x","extra":` + deep + `}`, "body", "32 levels"},
		"very deep":            {strings.Repeat("[", 200_000), "body", "32 levels"},
		"no text":              {`{}`, "text", "empty"},
		"empty text":           {`{"text":""}`, "text", "empty"},
		"empty text, query":    {`{"text":" ","query":"x"}`, "text", "empty"},
		"text as a number":     {`{"text":5}`, "text", "a string"},
		"text as an object":    {`{"text":{"a":1}}`, "text", "a string"},
		"id as a number":       {`{"text":"x","conversation_id":7}`, "conversation_id", "a string"},
		"id with a space":      {`{"text":"x","conversation_id":"a b"}`, "conversation_id", "letter"},
		"trace as a string":    {`{"text":"x","trace":"yes"}`, "trace", "true or false"},
		"language as a list":   {`{"text":"x","language":["en"]}`, "language", "a string"},
		"a language that's no": {`{"text":"x","language":"../en"}`, "language", "tag"},
		"mode as a number":     {`{"text":"x","mode":1}`, "mode", "a string"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ask(t, "POST", url, tt.body)
			p := got.problem(t)
			if got.StatusCode != 400 || p.Field != tt.field || !strings.Contains(p.Detail, tt.says) {
				t.Errorf("got %d, field %q, detail %q; want 400, %q, … %q …", got.StatusCode, p.Field, p.Detail, tt.field, tt.says)
			}
		})
	}
	if got := ask(t, "POST", url, `{"text":"x","extra":{"a":`+deep[:len(deep)-20]+`}}`); got.StatusCode != 400 {
		t.Errorf("broken JSON of allowed depth got %d", got.StatusCode)
	}
}

func TestFailuresAsStatus(t *testing.T) {
	apology := func(code conversation.ReplyError) conversation.Reply {
		return conversation.Reply{ResponseText: "Sorry.", Extra: conversation.Extra{Error: &code}}
	}
	tests := map[string]struct {
		reply  conversation.Reply
		err    error
		status int
	}{
		"a model that fails is spoken":    {reply: apology(conversation.ReplyError{Kind: "connection"}), status: 200},
		"a rate limit is spoken":          {reply: apology(conversation.ReplyError{Kind: "rate_limit"}), status: 200},
		"an internal failure is spoken":   {reply: apology(conversation.ReplyError{Kind: "internal"}), status: 200},
		"a turn that cannot be stored":    {reply: apology(conversation.ReplyError{Kind: conversation.KindStorage}), status: 503},
		"a turn that came second":         {reply: apology(conversation.ReplyError{Kind: conversation.KindConflict}), status: 409},
		"a queue that is full":            {err: conversation.ErrQueueFull, status: 429},
		"too many turns":                  {err: conversation.ErrBusy, status: 503},
		"a server that stops":             {err: conversation.ErrStopping, status: 503},
		"a request that cannot be":        {err: &conversation.RequestError{Field: "mode", Message: "is unknown"}, status: 400},
		"an error that nobody thought of": {err: errors.New("what?"), status: 503},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			double := &service{converse: func(context.Context, conversation.Request, func(conversation.Emission)) (conversation.Reply, error) {
				return tt.reply, tt.err
			}}
			got := ask(t, "POST", "http://"+start(t, server.Options{Service: double})+"/conversation", `{"text":"x"}`)
			if got.StatusCode != tt.status {
				t.Errorf("got %d %s, want %d", got.StatusCode, got.body, tt.status)
			}
			if tt.err != nil {
				got.problem(t)
				return
			}
			var reply conversation.Reply
			if err := json.Unmarshal([]byte(got.body), &reply); err != nil || reply.ResponseText != "Sorry." || reply.Extra.Error == nil {
				t.Errorf("the body %s is not the ordinary reply (%v)", got.body, err)
			}
		})
	}
	url := "http://" + start(t, server.Options{Service: &service{broken: errors.New("disk")}})
	for _, path := range []string{"/conversation", "/conversation/a"} {
		if got := ask(t, "DELETE", url+path, ""); got.StatusCode != 503 {
			t.Errorf("DELETE %s with a broken store got %d", path, got.StatusCode)
		}
	}
}

func TestAPanicCostsOneRequest(t *testing.T) {
	double := &service{converse: func(_ context.Context, r conversation.Request, _ func(conversation.Emission)) (conversation.Reply, error) {
		if r.Text == "boom" {
			panic("boom")
		}
		return conversation.Reply{ResponseText: r.Text}, nil
	}}
	opts := server.Options{Service: double, Health: func() map[string]any { panic("sick") }}
	url := "http://" + start(t, opts)
	for range 20 {
		got := ask(t, "POST", url+"/conversation", `{"text":"boom"}`)
		if got.problem(t); got.StatusCode != 500 {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	}
	if got := ask(t, "GET", url+"/health", ""); got.StatusCode != 500 {
		t.Errorf("a health that panics got %d", got.StatusCode)
	}
	if got := ask(t, "POST", url+"/conversation", `{"text":"fine"}`); got.StatusCode != 200 {
		t.Errorf("after the panics: %d %s", got.StatusCode, got.body)
	}

	s, err := server.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx := newCtx(http.MethodPost, "/conversation", `{"text":"boom"}`)
	for i := range 10_000 {
		ctx.Response.Reset()
		if s.Handler(ctx); ctx.Response.StatusCode() != 500 {
			t.Fatalf("panic %d was answered with %d", i, ctx.Response.StatusCode())
		}
	}
}

func TestHammerServer(t *testing.T) {
	url := "http://" + start(t, server.Options{Service: &service{}, Token: "secret"})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 100 {
				text := fmt.Sprint(i, ":", n)
				accept := []string{"application/json", "text/event-stream"}[n%2]
				got := ask(t, "POST", url+"/conversation", `{"text":"`+text+`"}`, "Authorization: Bearer secret", "Accept: "+accept)
				if got.StatusCode != 200 || !strings.Contains(got.body, text) {
					t.Errorf("got %d %s, want %s", got.StatusCode, got.body, text)
				}
				ask(t, "GET", url+"/health", "")
			}
		})
	}
	group.Wait()
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("a server without conversations was made")
	}
	for _, origin := range []string{"example.org", "https://example.org/", "ftp://example.org", "*"} {
		if _, err := server.New(server.Options{Service: &service{}, Origins: []string{origin}}); err == nil {
			t.Errorf("the origin %q was taken", origin)
		}
	}
}

func TestBeyondLoopbackATokenIsRequired(t *testing.T) {
	s, err := server.New(server.Options{Service: &service{}})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(ln); err == nil || !strings.Contains(err.Error(), "auth.token") {
		t.Errorf("Serve returned %v, want a refusal that names auth.token", err)
	}
	if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		c.Close()
		t.Error("it listens all the same")
	}
}

func BenchmarkConverse(b *testing.B) {
	s, err := server.New(server.Options{Service: &service{}})
	if err != nil {
		b.Fatal(err)
	}
	ctx := newCtx(http.MethodPost, "/conversation", `{"text":"What time is it?","conversation_id":"abc","language":"en"}`)
	b.ReportAllocs()
	for b.Loop() {
		ctx.Response.Reset()
		s.Handler(ctx)
	}
	if ctx.Response.StatusCode() != http.StatusOK {
		b.Fatalf("got %d %s", ctx.Response.StatusCode(), ctx.Response.Body())
	}
}
