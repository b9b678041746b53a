package mockllm_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatterbox/evals/mockllm"
)

func TestEveryFaultIsWhatItSays(t *testing.T) {
	const calls = `"tool_calls":[{"id":"a","name":"f","arguments":{"x":"one"}},{"id":"b","name":"f","arguments":{"x":"two"}}]`
	tests := map[string]struct {
		reply  string
		status int
		has    string
		lacks  string
	}{
		"reset":             {calls, 200, `{\"x\":`, "[DONE]"},
		"cut":               {calls, 200, `{\"x\":`, "[DONE]"},
		"stall":             {calls, 200, `{\"x\":`, "[DONE]"},
		"html":              {calls, 502, "<title>", "choices"},
		"error_200":         {calls, 200, `"error"`, "choices"},
		"comments":          {calls + `,"between_ms":1`, 200, ": keep-alive", "choices"},
		"huge":              {`"bytes":100000`, 200, strings.Repeat("a", 100_000), ""},
		"no_choices":        {calls, 200, `"choices":[]`, "delta"},
		"no_done":           {calls, 200, `"finish_reason":"tool_calls"`, "[DONE]"},
		"no_finish":         {calls, 200, "[DONE]", `"finish_reason":"`},
		"late_terminator":   {calls, 200, "[DONE]", ""},
		"json":              {calls, 200, `"object":"chat.completion"`, "data:"},
		"no_stream":         {calls, 400, "streaming is not supported", "choices"},
		"no_stream_options": {calls, 400, "stream_options", "choices"},
		"object_arguments":  {calls, 200, `"arguments":{"x":"one"}`, ""},
		"null_content":      {calls, 200, `"content":null`, ""},
		"split_rune":        {`"content":"é"`, 200, "{\"content\":\"\xc3\"}", ""},
		"interleave":        {calls, 200, "", ""},
		"same_index":        {calls, 200, `"id":"b"`, `"index":1`},
		"no_index":          {calls, 200, `"id":"b"`, `{"index":1,"id"`},
		"no_id":             {`"tool_calls":[{"name":"f"}]`, 200, `"name":"f"`, `"id":"call_`},
		"gzip":              {calls, 200, "\x1f\x8b", "choices"},
	}
	for _, name := range mockllm.Faults() {
		test, ok := tests[name]
		if !ok {
			t.Errorf("fault %s has no test", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			_, url := play(t, `{"fault":"`+name+`",`+test.reply+`}`, mockllm.Options{})
			status, body := askUntil(t, url, test.has, name == "stall" || name == "comments")
			if status != test.status || !strings.Contains(body, test.has) || test.lacks != "" && strings.Contains(body, test.lacks) {
				t.Errorf("%d %.2000s", status, body)
			}
		})
	}
}

// askUntil reads an answer to its end, and one that has none until a while after text was in it. It does not let the
// client decompress.
func askUntil(t *testing.T, url, text string, endless bool) (int, string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := `{"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() // nothing is written
	var data []byte
	for block := make([]byte, 4096); ; {
		n, err := response.Body.Read(block)
		data = append(data, block[:n]...)
		if err != nil { // several faults end so
			return response.StatusCode, string(data)
		}
		if endless && bytes.Contains(data, []byte(text)) {
			time.AfterFunc(200*time.Millisecond, cancel)
			endless = false
		}
	}
}

func TestInterleavedAndCompressedAnswersAreWhole(t *testing.T) {
	const reply = `{"fault":"%s","chunk":4,"tool_calls":[{"id":"a","name":"f","arguments":{"x":"one"}},{"id":"b","name":"f","arguments":{"x":"two"}}]}`
	_, url := play(t, fmt.Sprintf(reply+"\n"+reply, "interleave", "gzip"), mockllm.Options{})
	_, body := ask(t, url, "hi", streamed)
	first, second := strings.Index(body, `"id":"b"`), strings.Index(body, `"one"`)
	if first < 0 || second >= 0 && first > second || !strings.Contains(body, "[DONE]") {
		t.Error(body)
	}
	response, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() // nothing is written
	reader := io.Reader(response.Body)
	if !response.Uncompressed {
		if reader, err = gzip.NewReader(response.Body); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := io.ReadAll(reader); err != nil || !bytes.HasSuffix(data, []byte("data: [DONE]\n\n")) {
		t.Errorf("%s %v", data, err)
	}
}

func TestInjectedFaults(t *testing.T) {
	plan, err := mockllm.ParseFaults("f.jsonl", strings.NewReader(`{"every":3,"status":503}
{"seed":5}
{"probability":0.3,"fault":"no_done"}
`))
	if err != nil {
		t.Fatal(err)
	}
	run := func() string {
		again := &mockllm.FaultPlan{Seed: plan.Seed, Faults: plan.Faults}
		server, url := play(t, `{"content":"x","repeat":200}`, mockllm.Options{Faults: again})
		var outcomes strings.Builder
		for range 300 {
			switch status, body := ask(t, url, "hi", streamed); {
			case status == 503:
				outcomes.WriteByte('5')
			case strings.Contains(body, "[DONE]"):
				outcomes.WriteByte('.')
			default:
				outcomes.WriteByte('n')
			}
		}
		if err := server.Err(); err != nil { // a refused request has used no reply up
			t.Error(err)
		}
		return outcomes.String()
	}
	first := run()
	if strings.Count(first, "5") != 100 || first[2] != '5' || strings.Count(first, "n") < 30 || strings.Count(first, "n") > 90 {
		t.Error(first)
	}
	if second := run(); second != first {
		t.Errorf("the same seed gave\n%s and\n%s", first, second)
	}
}

func TestParseFaultsRefuses(t *testing.T) {
	for _, line := range []string{`{"fault":"cut"}`, `{"every":2,"probability":0.5}`, `{"probability":1.5}`, `{"every":2,"content":"x"}`, `{"every":2,"fault":"what"}`, `{"often":2}`} {
		if _, err := mockllm.ParseFaults("f", strings.NewReader(line)); err == nil || !strings.HasPrefix(err.Error(), "f:1: ") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
