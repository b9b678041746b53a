package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/loop"
)

// play starts a server with a script and returns a client of it.
func play(t testing.TB, options Options, plan mockllm.Options, replies ...mockllm.Reply) (*Client, *mockllm.Server) {
	t.Helper()
	server := mockllm.New(&mockllm.Script{Name: t.Name(), Replies: replies}, plan)
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	t.Cleanup(server.Close)
	options.BaseURL = front.URL + options.BaseURL
	return open(t, options), server
}

func open(t testing.TB, options Options) *Client {
	t.Helper()
	c, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var hello = loop.Request{Messages: []loop.Message{{Role: loop.User, Content: "Hello"}}}

func TestAddresses(t *testing.T) {
	tests := map[string]struct {
		base     string // after the server's own address
		prefix   string // of the server's paths
		requests int    // for two calls
		says     string // part of the error
	}{
		"as it should be":                 {"/v1", "/v1", 2, ""},
		"with a slash at the end":         {"/v1/", "/v1", 2, ""},
		"without /v1":                     {"", "/v1", 3, ""},
		"without /v1, with a slash":       {"/", "/v1", 3, ""},
		"with the path of the endpoint":   {"/v1/chat/completions", "/v1", 2, ""},
		"with a path before":              {"/gateway/v1", "/gateway/v1", 2, ""},
		"with a path before, without /v1": {"/gateway", "/gateway/v1", 3, ""},
		"a server that has no /v1":        {"/api", "/api", 2, ""},
		"another version":                 {"/openai/v3/", "/openai/v3", 2, ""},
		"a wrong path":                    {"/wrong", "/v1", 4, "base_url"},
		"a wrong path with a version":     {"/wrong/v1", "/v1", 2, "base_url"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := mockllm.New(&mockllm.Script{Replies: []mockllm.Reply{{Content: "hi", Repeat: mockllm.Forever}}}, mockllm.Options{Prefix: test.prefix})
			var seen atomic.Int64
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Add(1)
				server.ServeHTTP(w, r)
			}))
			defer front.Close()
			c := open(t, Options{BaseURL: front.URL + test.base, Model: "m"})
			for range 2 {
				got, err := c.Complete(t.Context(), hello, nil)
				if (err == nil) != (test.says == "") || err == nil && got.Content != "hi" || err != nil && !strings.Contains(err.Error(), test.says) {
					t.Errorf("%q, %v", got.Content, err)
				}
			}
			if seen.Load() != int64(test.requests) {
				t.Errorf("%d requests, want %d", seen.Load(), test.requests)
			}
		})
	}
}

func TestNewSaysWhatIsWrongWithAnAddress(t *testing.T) {
	for base, says := range map[string]string{
		"localhost:11434":           "http://",
		"192.168.1.5:11434/v1":      "http://",
		"ftp://host/v1":             "http or https",
		"http:///v1":                "host is missing",
		"https://host/v1?key=hush":  "remove",
		"https://host/v1#models":    "remove",
		"http://host:port:more/v1":  "http://",
		"https://me:hush@host/v1?x": "remove",
	} {
		_, err := New(Options{BaseURL: base})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", base, err)
		}
	}
	if _, err := New(Options{}); err != nil {
		t.Error("the default:", err)
	}
}

func TestIsPrivate(t *testing.T) {
	for base, want := range map[string]bool{
		"http://localhost:11434/v1": true, "http://127.0.0.1/v1": true, "http://[::1]:8080": true, "http://192.168.0.9/v1": true, "http://10.1.2.3": true,
		"http://ollama:11434/v1": true, "http://nas.local/v1": true, "http://[fd00::5]/v1": true, "http://[::ffff:10.0.0.1]/v1": true,
		"https://api.openai.com/v1": false, "http://8.8.8.8/v1": false, "http://local.example/v1": false, "nonsense": false, "": false,
	} {
		if IsPrivate(base) != want {
			t.Errorf("%q: %v", base, !want)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	type limits struct{ first, between, whole time.Duration }
	for name, test := range map[string]struct {
		options Options
		want    limits
	}{
		"far away":                  {Options{}, limits{20 * time.Second, 15 * time.Second, 60 * time.Second}},
		"at home models load first": {Options{BaseURL: "http://nas.local/v1"}, limits{120 * time.Second, 15 * time.Second, 160 * time.Second}},
		"as configured": {
			Options{BaseURL: "http://nas.local/v1", FirstToken: 1, BetweenTokens: 2, Whole: 3}, limits{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, test.options)
			if got := (limits{c.firstToken, c.betweenTokens, c.whole}); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestPublicShowsNoSecret(t *testing.T) {
	for base, want := range map[string]string{
		"": DefaultBaseURL, "http://host:1/v1/": "http://host:1/v1", "http://me:hush@host/v1": "http://me:xxxxx@host/v1", "http://host/v1?key=hush": "",
	} {
		if got := Public(base); got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

func TestCallsThatAreNotSent(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	c, server := play(t, Options{BaseURL: "/v1", Model: "m"}, mockllm.Options{})
	if _, err := c.Complete(gone, hello, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c, _ = play(t, Options{BaseURL: "/v1", Model: "text-davinci-003"}, mockllm.Options{}) // which go-openai refuses itself
	var failure *loop.Error
	if _, err := c.Complete(t.Context(), hello, nil); !errors.As(err, &failure) || failure.Kind != loop.KindAPI {
		t.Error(err)
	}
	if len(server.Requests()) != 0 {
		t.Errorf("%d requests", len(server.Requests()))
	}
}

func TestRequestOnTheWire(t *testing.T) {
	c, server := play(t, Options{BaseURL: "/v1", Model: "m", APIKey: "sk-1"}, mockllm.Options{}, mockllm.Reply{Content: "ok", Repeat: 2})
	request := loop.Request{
		Messages: []loop.Message{
			{Role: loop.System, Content: "Be brief."},
			{Role: loop.User, Content: "Weather?"},
			{Role: loop.Assistant, ToolCalls: []loop.Call{{ID: "a", Name: "get_weather", Arguments: `{"location":"Oslo"}`}, {ID: "b", Name: "get_weather", Arguments: `{}`}}},
			{Role: loop.FromTool, ToolCallID: "a", Content: `{"temperature_c":3}`},
			{Role: loop.FromTool, ToolCallID: "b", Content: `{"error":"arguments are no JSON"}`},
			{Role: loop.Assistant},
		},
		Tools: []loop.Tool{{Name: "get_weather", Description: "The weather.", Parameters: json.RawMessage(`{"type":"object","x-kept":1}`)}, {Name: "now"}},
	}
	for _, r := range []loop.Request{request, hello} {
		if _, err := c.Complete(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := server.Requests()
	if got[0].Header.Get("Authorization") != "Bearer sk-1" || got[0].Model != "m" || !got[0].Stream || !got[0].Usage {
		t.Errorf("%+v", got[0])
	}
	if encoding := got[0].Header.Get("Accept-Encoding"); encoding != "identity" {
		t.Errorf("encoding %q is accepted: compressed events come late", encoding)
	}
	body := string(got[0].Body)
	for _, part := range []string{
		`"x-kept":1`, `"parameters":{"type":"object","properties":{}}`, `"tool_call_id":"a"`, `"arguments":"{\"location\":\"Oslo\"}"`,
		`"arguments":"{}"`, `{"role":"assistant","content":" "}`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is not in %s", part, body)
		}
	}
	if strings.Contains(string(got[1].Body), "tools") {
		t.Errorf("no tools were offered: %s", got[1].Body)
	}
}

func TestWhatAServerCannotDoIsRemembered(t *testing.T) {
	tests := map[string]struct {
		fault    string
		requests int
		streams  bool // the last request wants a stream
	}{
		"no streams":                    {"no_stream", 3, false},
		"JSON where a stream is wanted": {"json", 2, false},
		"no stream_options":             {"no_stream_options", 3, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			call := mockllm.ToolCall{ID: "a", Name: "now", Arguments: json.RawMessage(`{}`)}
			c, server := play(t, Options{BaseURL: "/v1", Model: "m"}, mockllm.Options{}, mockllm.Reply{Content: "yes", ToolCalls: []mockllm.ToolCall{call}, Fault: test.fault, Repeat: mockllm.Forever})
			for range 2 {
				given := ""
				got, err := c.Complete(t.Context(), hello, func(s string) { given += s })
				if err != nil || got.Content != "yes" || given != "yes" || len(got.ToolCalls) != 1 || got.FinishReason != "tool_calls" || got.Usage.PromptTokens == 0 && test.fault != "no_stream_options" {
					t.Errorf("%+v, %v", got, err)
				}
			}
			if len(server.Requests()) != test.requests {
				t.Errorf("%d requests, want %d", len(server.Requests()), test.requests)
			}
			if last := server.Requests()[test.requests-1]; last.Stream != test.streams || last.Usage {
				t.Errorf("the last request wants a stream: %v, its usage: %v", last.Stream, last.Usage)
			}
		})
	}
}

func TestFinishedStreamThatStaysOpenIsWhole(t *testing.T) {
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n") //nolint:errcheck // a test
		http.NewResponseController(w).Flush()                                                                      //nolint:errcheck // a test
		<-r.Context().Done()
	}))
	defer front.Close()
	c := open(t, Options{BaseURL: front.URL + "/v1", Model: "m", BetweenTokens: 50 * time.Millisecond})
	if got, err := c.Complete(t.Context(), hello, nil); err != nil || got.Content != "hi" {
		t.Error(got, err)
	}
}

func TestCallerThatLeavesEndsTheRequest(t *testing.T) {
	left := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a test
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n") //nolint:errcheck // a test
		http.NewResponseController(w).Flush()                                           //nolint:errcheck // a test
		<-r.Context().Done()
		close(left)
	}))
	defer front.Close()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := open(t, Options{BaseURL: front.URL + "/v1", Model: "m"}).Complete(ctx, hello, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Error("the server still writes to a caller that left")
	}
}

func TestToolsAreEncodedOnceWhileTheyStayTheSame(t *testing.T) {
	c := open(t, Options{BaseURL: "http://127.0.0.1:9/v1", Model: "m"})
	encoded := func(tools ...loop.Tool) []byte {
		t.Helper()
		wire, err := c.toolsOf(tools)
		if err != nil {
			t.Fatal(err)
		}
		return wire
	}
	now := loop.Tool{Name: "now", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object"}`)}
	first, again := encoded(now), encoded(now)
	if &first[0] != &again[0] {
		t.Error("the same list was encoded again")
	}
	now.Description = "Tells the hour."
	if other := encoded(now); !strings.Contains(string(other), "Tells the hour.") {
		t.Errorf("another list is written as %s", other)
	}
	if none, err := c.toolsOf(nil); none != nil || err != nil {
		t.Errorf("no tools are written as %s, %v", none, err)
	}
}

func TestHugeAnswerTakesNoMemory(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		c, _ := play(t, Options{BaseURL: "/v1", Model: "m"}, mockllm.Options{}, mockllm.Reply{Fault: "huge", Repeat: mockllm.Forever})
		c.wire.noStream.Store(!streamed)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := c.Complete(t.Context(), hello, nil)
		runtime.ReadMemStats(&after)
		if loop.AsError(err).Kind != loop.KindAPI {
			t.Error(err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
			t.Errorf("streamed %v: allocated %d MiB for an answer of 100 MB", streamed, used>>20)
		}
	}
}

// TestHammerClient has many callers share one client while its server misbehaves by plan.
func TestHammerClient(t *testing.T) {
	plan := &mockllm.FaultPlan{Seed: 7, Faults: []mockllm.Fault{
		{Every: 7, Reply: mockllm.Reply{Fault: "reset"}}, {Every: 5, Reply: mockllm.Reply{Fault: "late_terminator"}},
		{Probability: 0.1, Reply: mockllm.Reply{Status: 500}}, {Probability: 0.1, Reply: mockllm.Reply{Fault: "object_arguments"}},
	}}
	call := mockllm.ToolCall{Name: "now", Arguments: json.RawMessage(`{"zone":"Asia/Tokyo"}`)}
	c, _ := play(t, Options{BaseURL: "", Model: "m"}, mockllm.Options{Faults: plan}, mockllm.Reply{ToolCalls: []mockllm.ToolCall{call}, Repeat: mockllm.Forever})
	var all sync.WaitGroup
	var good atomic.Int64
	for range 8 {
		all.Go(func() {
			for range 50 {
				got, err := c.Complete(t.Context(), hello, nil)
				switch {
				case err != nil && loop.AsError(err).Kind == loop.KindInternal:
					t.Error(err)
				case err == nil && (len(got.ToolCalls) != 1 || got.ToolCalls[0].Arguments != `{"zone":"Asia/Tokyo"}`):
					t.Errorf("%+v", got)
				case err == nil:
					good.Add(1)
				}
			}
		})
	}
	all.Wait()
	if good.Load() < 200 {
		t.Errorf("only %d of 400 calls succeeded", good.Load())
	}
}
