package provider_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
	"chatterbox/loop"
	"chatterbox/runtime/provider"
)

// contract is one thing that a server does to us and what has to come of it.
type contract struct {
	replies []mockllm.Reply
	handler http.HandlerFunc // instead of replies
	limits  provider.Model   // its time limits only

	kind     loop.Kind // empty: the call succeeds
	status   int
	retry    time.Duration // what the error tells to wait
	says     string        // part of the error's message
	requests int
	within   time.Duration // 0 is thirty seconds
	notUnder time.Duration // when the server asks to be left alone
	answer   string
	calls    []loop.Call
}

// atOnce is far less than any wait that a mistake would lead to, the shortest of which is fifteen seconds, and far
// more than a machine needs that runs other tests beside this one.
const atOnce = 10 * time.Second

var weather = []mockllm.ToolCall{
	{ID: "a", Name: "get_weather", Arguments: json.RawMessage(`{"location":"Zürich"}`)},
	{ID: "b", Name: "get_weather", Arguments: json.RawMessage(`{"location":"Oslo"}`)},
}

var weatherCalls = []loop.Call{
	{ID: "a", Name: "get_weather", Arguments: `{"location":"Zürich"}`},
	{ID: "b", Name: "get_weather", Arguments: `{"location":"Oslo"}`},
}

func status(code int, body string, headers ...string) mockllm.Reply {
	reply := mockllm.Reply{Status: code, Body: mockllm.Text(body), Headers: map[string]string{}, Repeat: mockllm.Forever}
	for i := 0; i+1 < len(headers); i += 2 {
		reply.Headers[headers[i]] = headers[i+1]
	}
	return reply
}

func fault(name string, reply mockllm.Reply) mockllm.Reply {
	reply.Fault, reply.Repeat = name, mockllm.Forever
	return reply
}

func once(reply mockllm.Reply) mockllm.Reply {
	reply.Repeat = 1
	return reply
}

const (
	rateLimited = `{"error":{"message":"Rate limit reached for requests","type":"requests","code":"rate_limit_exceeded"}}`
	noMoney     = `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`
	badKey      = `{"error":{"message":"Incorrect API key provided: sk-xx.","type":"invalid_request_error","code":"invalid_api_key"}}`
	tooLong     = `{"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`
	noModel     = `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error"}}`
)

var refusals = map[string]contract{
	"429 with Retry-After in seconds is tried again, not earlier than told": {
		replies: []mockllm.Reply{once(status(429, rateLimited, "Retry-After", "1")), {Content: "fine"}},
		answer:  "fine", requests: 2, notUnder: time.Second,
	},
	"429 with Retry-After as a date is tried again, by the server's clock": {
		replies: []mockllm.Reply{once(status(429, rateLimited, "Retry-After", "Tue, 20 Jan 2032 10:00:01 GMT", "Date", "Tue, 20 Jan 2032 10:00:00 GMT")), {Content: "fine"}},
		answer:  "fine", requests: 2, notUnder: time.Second,
	},
	"429 with a negative Retry-After is tried again after the own pause": {
		replies: []mockllm.Reply{status(429, rateLimited, "Retry-After", "-5")}, kind: loop.KindRateLimit, status: 429, requests: 3,
	},
	"429 with a huge Retry-After is answered at once": {
		replies: []mockllm.Reply{status(429, rateLimited, "Retry-After", "99999999999999999999")}, kind: loop.KindRateLimit, status: 429, requests: 1, retry: 24 * time.Hour, within: atOnce,
	},
	"429 with a Retry-After beyond the longest wait is answered at once": {
		replies: []mockllm.Reply{status(429, rateLimited, "Retry-After", "30")}, kind: loop.KindRateLimit, status: 429, requests: 1, retry: 30 * time.Second, within: atOnce,
	},
	"a spent quota is never tried again, though it is a 429": {
		replies: []mockllm.Reply{status(429, noMoney)}, kind: loop.KindQuota, status: 429, requests: 1, within: atOnce,
	},
	"a wrong key is never tried again": {
		replies: []mockllm.Reply{status(401, badKey)}, kind: loop.KindAuthentication, status: 401, requests: 1, within: atOnce,
	},
	"a wrong path says what to change": {
		replies: []mockllm.Reply{status(404, "404 page not found", "Content-Type", "text/plain")}, kind: loop.KindAPI, status: 404, requests: 1, says: "base_url", within: atOnce,
	},
	"an unknown model is named, and the path is not suspected": {
		replies: []mockllm.Reply{status(404, noModel)}, kind: loop.KindAPI, status: 404, requests: 1, says: `model "llama9" not found`, within: atOnce,
	},
	"a request that does not fit is never tried again": {
		replies: []mockllm.Reply{status(400, tooLong)}, kind: loop.KindContextLength, status: 400, requests: 1, within: atOnce,
	},
	"500 is tried three times": {
		replies: []mockllm.Reply{status(500, "")}, kind: loop.KindAPI, status: 500, requests: 3,
	},
	"500 that passes is not noticed": {
		replies: []mockllm.Reply{once(status(500, "")), {Content: "fine"}}, answer: "fine", requests: 2,
	},
	"502 with a page of HTML is tried three times, and the page's title is the message": {
		replies: []mockllm.Reply{fault("html", mockllm.Reply{})}, kind: loop.KindAPI, status: 502, requests: 3, says: "502 Bad Gateway",
	},
	"a 200 whose body is an error is an error": {
		replies: []mockllm.Reply{fault("error_200", mockllm.Reply{})}, kind: loop.KindAPI, status: 200, requests: 1, says: "error while processing", within: atOnce,
	},
	"a 200 that carries a gateway's 429 is a rate limit": {
		replies: []mockllm.Reply{fault("error_200", mockllm.Reply{Body: `{"error":{"message":"slow down","code":429}}`})}, kind: loop.KindRateLimit, status: 429, requests: 3,
	},
	"a 200 whose error is a string is an error": {
		replies: []mockllm.Reply{fault("error_200", mockllm.Reply{Body: `{"error":"out of memory"}`})}, kind: loop.KindAPI, status: 200, requests: 1, says: "out of memory",
	},
	"an answer without choices is an error": {
		replies: []mockllm.Reply{fault("no_choices", mockllm.Reply{})}, kind: loop.KindAPI, requests: 1, within: atOnce,
	},
	"a page on every path says what to change": {
		handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><title>Web UI</title>") //nolint:errcheck // a test
		}, kind: loop.KindAPI, status: 200, requests: 1, says: "base_url",
	},
	"a redirect says where to": {
		handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://models.example/v1/chat/completions", http.StatusMovedPermanently)
		}, kind: loop.KindAPI, status: 301, requests: 1, says: "https://models.example/v1",
	},
}

var troubles = map[string]contract{
	"a slow first token uses up its limit once": {
		replies: []mockllm.Reply{{Content: "late", FirstTokenMS: 60_000, Repeat: mockllm.Forever}}, limits: provider.Model{FirstToken: time.Second},
		kind: loop.KindConnection, requests: 1, says: "no token within", within: atOnce,
	},
	"a server that does not even begin uses up its limit once": {
		replies: []mockllm.Reply{{Content: "late", DelayMS: 60_000, Repeat: mockllm.Forever}}, limits: provider.Model{FirstToken: time.Second},
		kind: loop.KindConnection, requests: 1, within: atOnce,
	},
	"a stall in the middle ends the call": {
		replies: []mockllm.Reply{fault("stall", mockllm.Reply{ToolCalls: weather})}, limits: provider.Model{BetweenTokens: 100 * time.Millisecond},
		kind: loop.KindConnection, requests: 1, says: "no further token", within: atOnce,
	},
	"an answer that never ends is bounded as a whole": {
		replies: []mockllm.Reply{{Content: strings.Repeat("a ", 10_000), BetweenMS: 20, Repeat: mockllm.Forever}}, limits: provider.Model{Whole: time.Second},
		kind: loop.KindConnection, requests: 1, says: "no whole answer", within: atOnce,
	},
	"a reset in the middle of the arguments gives no call": {
		replies: []mockllm.Reply{fault("reset", mockllm.Reply{ToolCalls: weather})}, kind: loop.KindConnection, requests: 3,
	},
	"a reset after text was heard is final": {
		replies: []mockllm.Reply{fault("reset", mockllm.Reply{Content: "one two three four five six"})}, kind: loop.KindConnection, requests: 1,
	},
	"a stream that ends early gives no call": {
		replies: []mockllm.Reply{fault("cut", mockllm.Reply{ToolCalls: weather})}, kind: loop.KindConnection, requests: 3, says: "broke off",
	},
	"a server that is not there": {
		limits: provider.Model{BaseURL: "http://127.0.0.1:1/v1"}, kind: loop.KindConnection, requests: 0, says: "127.0.0.1:1",
	},
	"comments without end are no token": {
		replies: []mockllm.Reply{fault("comments", mockllm.Reply{BetweenMS: 1})}, limits: provider.Model{FirstToken: time.Second},
		kind: loop.KindConnection, requests: 1, within: atOnce,
	},
	"a flood of comments is bounded in bytes": {
		handler: flood(": keep-alive\n\n"), kind: loop.KindAPI, requests: 1, says: "too large",
	},
	"a flood of events that say nothing is bounded in bytes": {
		handler: flood("data: {\"choices\":[{\"delta\":{}}]}\n\n"), kind: loop.KindAPI, requests: 1, says: "too large",
	},
	"an answer of 100 MB in one event": {
		replies: []mockllm.Reply{fault("huge", mockllm.Reply{})}, kind: loop.KindAPI, requests: 1, says: "too large",
	},
	"an answer of 4 MB in one piece": {
		replies: []mockllm.Reply{{Fault: "json", Content: strings.Repeat("a", 4<<20), Repeat: mockllm.Forever}}, kind: loop.KindAPI, requests: 1, says: "too large",
	},
	"a compressed answer of 64 MB": {
		handler: bomb, kind: loop.KindAPI, requests: 1, says: "too large",
	},
}

var oddities = map[string]contract{
	"half a rune at every border": {
		replies: []mockllm.Reply{fault("split_rune", mockllm.Reply{Content: "Grüße, 世界 🙂"})}, answer: "Grüße, 世界 🙂", requests: 1,
	},
	"two calls interleaved by index": {
		replies: []mockllm.Reply{fault("interleave", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"two calls that share index 0": {
		replies: []mockllm.Reply{fault("same_index", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"two calls without an index": {
		replies: []mockllm.Reply{fault("no_index", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"arguments as an object": {
		replies: []mockllm.Reply{fault("object_arguments", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"null content": {
		replies: []mockllm.Reply{fault("null_content", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"a stream without [DONE]": {
		replies: []mockllm.Reply{fault("no_done", mockllm.Reply{Content: "whole"})}, answer: "whole", requests: 1,
	},
	"a stream without finish_reason": {
		replies: []mockllm.Reply{fault("no_finish", mockllm.Reply{Content: "whole"})}, answer: "whole", requests: 1,
	},
	"a compressed stream": {
		replies: []mockllm.Reply{fault("gzip", mockllm.Reply{Content: "whole"})}, answer: "whole", requests: 1,
	},
	"one JSON answer to a request for a stream": {
		replies: []mockllm.Reply{fault("json", mockllm.Reply{ToolCalls: weather})}, calls: weatherCalls, requests: 1,
	},
	"a server that cannot stream": {
		replies: []mockllm.Reply{fault("no_stream", mockllm.Reply{Content: "whole"})}, answer: "whole", requests: 2,
	},
	"a server that knows no stream_options": {
		replies: []mockllm.Reply{fault("no_stream_options", mockllm.Reply{Content: "whole"})}, answer: "whole", requests: 2,
	},
	"an empty answer": {
		replies: []mockllm.Reply{{}}, answer: "", requests: 1,
	},
}

func flood(line string) http.HandlerFunc {
	block := strings.Repeat(line, 1000)
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	}
}

func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	zip := gzip.NewWriter(w)
	defer zip.Close()                                          //nolint:errcheck // a test
	io.WriteString(zip, `{"choices":[{"message":{"content":"`) //nolint:errcheck // a test
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = 'a'
	}
	for range 64 {
		if _, err := zip.Write(block); err != nil {
			return
		}
	}
}

func TestContractRefusals(t *testing.T) { runContracts(t, refusals) }
func TestContractTroubles(t *testing.T) { runContracts(t, troubles) }
func TestContractOddities(t *testing.T) { runContracts(t, oddities) }

func runContracts(t *testing.T, contracts map[string]contract) {
	for name, c := range contracts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func (c *contract) run(t *testing.T) {
	server := mockllm.New(&mockllm.Script{Replies: c.replies}, mockllm.Options{})
	var seen atomic.Int64
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		if c.handler != nil {
			c.handler(w, r)
			return
		}
		server.ServeHTTP(w, r)
	}))
	defer front.Close()
	defer server.Close()

	configured := c.limits
	configured.Model = "mock"
	if configured.BaseURL == "" {
		configured.BaseURL = front.URL + "/v1/"
	}
	p, err := provider.New(provider.Options{Models: []provider.Model{configured}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()

	var given strings.Builder
	began := time.Now()
	completion, err := p.Complete(context.Background(), question, func(text string) { given.WriteString(text) })
	took := time.Since(began)

	within := c.within
	if within == 0 {
		within = 30 * time.Second
	}
	if took > within {
		t.Errorf("took %s, want at most %s", took, within)
	}
	if took < c.notUnder {
		t.Errorf("took %s: earlier than the server allowed", took)
	}
	if seen.Load() != int64(c.requests) {
		t.Errorf("%d requests, want %d", seen.Load(), c.requests)
	}
	if err == nil && !strings.HasPrefix(completion.Content, given.String()) {
		t.Errorf("the deltas %q are not a prefix of the content %q", given.String(), completion.Content)
	}
	c.judge(t, completion, err)
}

func (c *contract) judge(t *testing.T, completion loop.Completion, err error) {
	if c.kind == "" {
		if err != nil || completion.Content != c.answer || !reflect.DeepEqual(completion.ToolCalls, c.calls) {
			t.Errorf("got %q, %+v, %v", completion.Content, completion.ToolCalls, err)
		}
		return
	}
	var failure *loop.Error
	if !errors.As(err, &failure) {
		t.Fatalf("error %v is no *loop.Error", err)
	}
	if failure.Kind != c.kind || failure.Status != c.status || failure.RetryAfter != c.retry || !strings.Contains(failure.Message, c.says) {
		t.Errorf("got kind %s, status %d, retry after %s: %s", failure.Kind, failure.Status, failure.RetryAfter, failure.Message)
	}
	if !reflect.DeepEqual(completion, loop.Completion{}) {
		t.Errorf("a failed call gave an answer too: %+v", completion)
	}
}

var question = loop.Request{
	Messages: []loop.Message{{Role: loop.System, Content: "Be brief."}, {Role: loop.User, Content: "How is the weather?"}},
	Tools:    []loop.Tool{{Name: "get_weather", Description: "The weather.", Parameters: json.RawMessage(`{"type":"object"}`)}},
}
