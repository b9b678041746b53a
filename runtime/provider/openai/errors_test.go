package openai

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chatterbox/loop"
)

func TestErrorKinds(t *testing.T) {
	tests := map[string]struct {
		status int
		body   string
		kind   loop.Kind
		says   string
	}{
		"OpenAI, rate":            {429, `{"error":{"message":"Rate limit reached for gpt-4o","type":"tokens","code":"rate_limit_exceeded"}}`, loop.KindRateLimit, "Rate limit reached"},
		"OpenAI, quota":           {429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, loop.KindQuota, "quota"},
		"OpenAI, balance":         {429, `{"error":{"message":"x","type":"insufficient_quota","code":"credit_balance_exhausted"}}`, loop.KindQuota, "x"},
		"OpenAI, project's limit": {429, `{"error":{"message":"x","code":"project_spend_limit_exceeded"}}`, loop.KindQuota, "x"},
		"OpenAI, organization":    {429, `{"error":{"message":"x","code":"organization_usage_limit_exceeded"}}`, loop.KindQuota, "x"},
		"OpenAI, overloaded":      {503, `{"error":{"message":"That model is overloaded","type":"server_error","code":"server_is_overloaded"}}`, loop.KindAPI, "overloaded"},
		"OpenAI, key":             {401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, loop.KindAuthentication, "Incorrect"},
		"OpenAI, region":          {403, `{"error":{"message":"Country not supported","code":"unsupported_country_region_territory"}}`, loop.KindAuthentication, "Country"},
		"OpenAI, context":         {400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`, loop.KindContextLength, "maximum"},
		"Anthropic, context":      {400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, loop.KindContextLength, "prompt"},
		"Anthropic, balance":      {400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`, loop.KindQuota, "balance"},
		"llama.cpp, context":      {400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, loop.KindContextLength, "exceeds"},
		"a proxy, too large":      {413, `<html><head><title>413 Request Entity Too Large</title></head></html>`, loop.KindContextLength, "413 Request"},
		"a gateway, payment":      {402, `{"error":{"message":"Insufficient credits","code":402}}`, loop.KindQuota, "credits"},
		"Gemini, in a list":       {429, `[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`, loop.KindRateLimit, "exhausted"},
		"Ollama, text":            {404, `{"error":"model 'x' not found"}`, loop.KindAPI, "model 'x' not found"},
		"FastAPI":                 {422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, loop.KindAPI, "field required"},
		"plain text":              {500, "boom\r\n\x00\x1b[2J\xff", loop.KindAPI, "boom [2J\uFFFD"},
		"a list as message":       {400, `{"error":{"message":["one","two"]}}`, loop.KindAPI, "one"},
		"nothing":                 {500, "", loop.KindAPI, "internal server error"},
		"null":                    {500, "null", loop.KindAPI, "500"},
		"an endless message":      {500, strings.Repeat("ä", 10_000), loop.KindAPI, "ä…"},
		"a 200 with a code":       {200, `{"error":{"message":"Upstream","code":502}}`, loop.KindAPI, "502: Upstream"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := errorFromBody(test.status, []byte(test.body))
			if e.Kind != test.kind || !strings.Contains(e.Message, test.says) || !utf8.ValidString(e.Message) || len(e.Message) > 400 || strings.ContainsAny(e.Message, "\n\r") {
				t.Errorf("got %s: %q", e.Kind, e.Message)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		header map[string]string
		want   time.Duration
	}{
		"none":                        {nil, 0},
		"seconds":                     {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"parts of a second":           {map[string]string{"Retry-After": "0.25"}, 250 * time.Millisecond},
		"milliseconds are finer":      {map[string]string{"Retry-After": "1", "Retry-After-Ms": "350"}, 350 * time.Millisecond},
		"a date":                      {map[string]string{"Retry-After": "Mon, 01 Jun 2026 12:00:05 GMT"}, 5 * time.Second},
		"a date by the server's time": {map[string]string{"Retry-After": "Mon, 01 Jun 2026 15:00:05 GMT", "Date": "Mon, 01 Jun 2026 15:00:00 GMT"}, 5 * time.Second},
		"a date in the past":          {map[string]string{"Retry-After": "Mon, 01 Jun 2020 12:00:05 GMT"}, 0},
		"negative":                    {map[string]string{"Retry-After": "-3"}, 0},
		"huge":                        {map[string]string{"Retry-After": "999999999999999999999999"}, 24 * time.Hour},
		"beyond any number":           {map[string]string{"Retry-After": "1e999"}, 24 * time.Hour},
		"no number":                   {map[string]string{"Retry-After": "NaN"}, 0},
		"a word":                      {map[string]string{"Retry-After": "soon"}, 0},
		"a date in the far future":    {map[string]string{"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, 24 * time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			for key, value := range test.header {
				header.Set(key, value)
			}
			if got := retryAfter(header, now); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzErrorBody(f *testing.F) {
	f.Add(429, []byte(`{"error":{"message":"x","code":"insufficient_quota"}}`))
	f.Add(200, []byte(`[{"error":"x"}]`))
	f.Add(502, []byte("<title>\xff"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := errorFromBody(status, body)
		if !utf8.ValidString(e.Message) || len(e.Message) > 500 || e.Kind == "" {
			t.Fatalf("%+v", e)
		}
	})
}
