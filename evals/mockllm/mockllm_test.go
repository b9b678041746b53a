package mockllm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"chatterbox/evals/mockllm"
)

// play starts a server with the script in text.
func play(t testing.TB, text string, options mockllm.Options) (*mockllm.Server, string) {
	t.Helper()
	script, err := mockllm.Parse("test.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	server := mockllm.New(script, options)
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	t.Cleanup(server.Close)
	return server, front.URL
}

// ask sends a request whose last message is text from the user, or a tool result when it begins with "tool:".
func ask(t testing.TB, url, text string, more ...string) (int, string) {
	t.Helper()
	role := "user"
	if result, ok := strings.CutPrefix(text, "tool:"); ok {
		role, text = "tool", result
	}
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"s"},{"role":%q,"content":%q}]%s}`, role, text, strings.Join(more, ""))
	response, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close() // nothing is written
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return response.StatusCode, string(data) + err.Error()
	}
	return response.StatusCode, string(data)
}

const streamed = `,"stream":true`

func content(t testing.TB, body string) string {
	t.Helper()
	var answer struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || len(answer.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Choices[0].Message.Content
}

func TestRepliesComeInOrderAndRunOutLoudly(t *testing.T) {
	var told atomic.Int32
	server, url := play(t, "# two replies\n\n{\"content\":\"one\"}\n{\"content\":\"two\",\"repeat\":2}\n", mockllm.Options{OnFailure: func(error) { told.Add(1) }})
	for _, want := range []string{"one", "two", "two"} {
		if status, body := ask(t, url, "hi"); status != 200 || content(t, body) != want {
			t.Fatalf("%d %s, want %s", status, body, want)
		}
	}
	if err := server.Err(); err != nil {
		t.Error(err)
	}
	status, body := ask(t, url, "one more")
	if status != 500 || !strings.Contains(body, "test.jsonl has no reply left for request 4") || !strings.Contains(body, `one more`) {
		t.Errorf("%d %s", status, body)
	}
	if err := server.Failures(); err == nil || told.Load() != 1 || len(server.Requests()) != 4 {
		t.Error(err, told.Load(), len(server.Requests()))
	}
}

func TestLeftoverNamesTheLines(t *testing.T) {
	server, url := play(t, `{"content":"one"}
{"tool_calls":[{"name":"now"}],"repeat":3}
{"content":"always","repeat":"forever"}
`, mockllm.Options{})
	ask(t, url, "hi")
	ask(t, url, "hi")
	err := server.Leftover()
	if err == nil || !strings.Contains(err.Error(), "test.jsonl:2: reply left over, 2 times: a call of now") || strings.Contains(err.Error(), ":3:") {
		t.Error(err)
	}
}

func TestMatchChoosesTheReply(t *testing.T) {
	_, url := play(t, `{"match":{"user":"Oslo"},"content":"for Oslo","repeat":"forever"}
{"match":{"tool":"9.5","last":"tool"},"content":"it has 9.5"}
{"content":"for anybody","repeat":"forever"}
`, mockllm.Options{})
	for _, step := range []struct{ text, want string }{
		{"Tokyo?", "for anybody"}, {"Oslo?", "for Oslo"}, {"tool:{\"t\":9.5}", "it has 9.5"}, {"tool:{\"t\":9.5}", "for anybody"}, {"9.5", "for anybody"},
	} {
		if _, body := ask(t, url, step.text); content(t, body) != step.want {
			t.Errorf("%s: %s", step.text, body)
		}
	}
}

func TestExpectIsLoud(t *testing.T) {
	tests := map[string]struct {
		expect string
		says   string // empty: the request is as expected
	}{
		"text that is there":        {`{"contains":["Tokyo"],"lacks":["Oslo"],"last":"user","messages":2,"tools":["now"]}`, ""},
		"text that is not there":    {`{"contains":["Oslo"]}`, "do not contain"},
		"text that must not be":     {`{"lacks":["Tokyo"]}`, "contain"},
		"the number of messages":    {`{"messages":3}`, "2 messages, not 3"},
		"who spoke last":            {`{"last":"tool"}`, `from "user", not "tool"`},
		"other tools":               {`{"tools":["then"]}`, "[now], not [then]"},
		"tools where none may be":   {`{"tools":[]}`, "[now], not []"},
		"what the system says, too": {`{"contains":["s\nTime"]}`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server, url := play(t, `{"content":"ok","expect":`+test.expect+`}`, mockllm.Options{})
			status, body := ask(t, url, "Time in Tokyo?", `,"tools":[{"type":"function","function":{"name":"now"}}]`)
			if test.says == "" {
				if status != 200 || server.Err() != nil {
					t.Errorf("%d %s %v", status, body, server.Err())
				}
				return
			}
			if status != 500 || server.Failures() == nil || !strings.Contains(server.Failures().Error(), test.says) || !strings.Contains(body, "test.jsonl:1") {
				t.Errorf("%d %s %v", status, body, server.Failures())
			}
		})
	}
}

func TestStreamOnTheWire(t *testing.T) {
	_, url := play(t, `{"content":"Good day","tool_calls":[{"id":"a","name":"now","arguments":{"zone":"UTC"}},{"name":"f","arguments":"raw"}]}`, mockllm.Options{})
	_, body := ask(t, url, "hi", streamed, `,"stream_options":{"include_usage":true}`)
	const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[`
	var want strings.Builder
	for _, delta := range []string{
		`{"role":"assistant","content":null}`, `{"content":"Good"}`, `{"content":" day"}`,
		`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"now","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"zone\":\"UTC\"}"}}]}`,
		`{"tool_calls":[{"index":1,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":"raw"}}]}`,
	} {
		want.WriteString(head + `{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n")
	}
	want.WriteString(head + `{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n")
	before, usage, _ := strings.Cut(body, head+`],"usage":`)
	if before != want.String() || !strings.HasPrefix(usage, `{"prompt_tokens":`) || !strings.HasSuffix(usage, "}}\n\ndata: [DONE]\n\n") {
		t.Errorf("got %s\nwant %s", body, want.String())
	}
}

func TestStatusHeadersAndBody(t *testing.T) {
	_, url := play(t, `{"status":429,"headers":{"Retry-After":"7"},"body":{"error":{"message":"slow"}}}`, mockllm.Options{})
	response, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() // nothing is written
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 429 || response.Header.Get("Retry-After") != "7" || string(body) != `{"error":{"message":"slow"}}` {
		t.Errorf("%d %v %s", response.StatusCode, response.Header, body)
	}
}

func TestOtherPaths(t *testing.T) {
	server, url := play(t, "", mockllm.Options{Models: []string{"a", "b"}})
	for path, want := range map[string]int{"/v1/models": 200, "/models": 404, "/chat/completions": 404, "/v1/chat/completions": 405} {
		response, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close() // nothing is written
		if response.StatusCode != want || want == 200 && !strings.Contains(string(body), `"id":"b"`) {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
	if status, _ := ask(t, url, "hi"); status != 500 || server.Failures() == nil {
		t.Errorf("%d %v", status, server.Failures())
	}
}

func TestParseReportsEveryMistake(t *testing.T) {
	_, err := mockllm.Parse("s.jsonl", strings.NewReader(`{"content":"fine"}
{"contnt":"x"}
{"fault":"explode"}
{"repeat":0}
# fine
{"status":42}
{"tool_calls":[{"arguments":{}}]}
{"content":"x"} {"content":"y"}
nonsense
{"delay_ms":-1}
{"content":7}
`))
	if err == nil {
		t.Fatal("no mistake was found")
	}
	for _, want := range []string{
		`s.jsonl:2: unknown field "contnt"`, "s.jsonl:3: unknown fault \"explode\", there are: comments, cut", "s.jsonl:4: repeat must be", "s.jsonl:6: status 42",
		"s.jsonl:7: tool call 1 has no name", "s.jsonl:8: something follows", "s.jsonl:9: invalid character", "s.jsonl:10: a negative number", "s.jsonl:11: cannot unmarshal",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

// TestReadmeExamples keeps the documentation's scripts true.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for i, part := range strings.Split(string(readme), "```jsonl\n") {
		example, _, _ := strings.Cut(part, "```")
		if i == 0 {
			continue
		}
		examples++
		_, script := mockllm.Parse("README.md", strings.NewReader(example))
		_, plan := mockllm.ParseFaults("README.md", strings.NewReader(example))
		if script != nil && plan != nil {
			t.Error(errors.Join(script, plan))
		}
	}
	if examples < 3 {
		t.Errorf("only %d examples found", examples)
	}
	for _, fault := range mockllm.Faults() {
		if !strings.Contains(string(readme), "`"+fault+"`") {
			t.Errorf("the README does not name the fault %s", fault)
		}
	}
}

func TestHammerServer(t *testing.T) {
	server, url := play(t, `{"match":{"last":"user"},"tool_calls":[{"name":"now"}],"repeat":200}
{"match":{"last":"tool"},"content":"done","repeat":200}
`, mockllm.Options{Keep: 10})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				if status, body := ask(t, url, "hi"); status != 200 || !strings.Contains(body, "now") {
					t.Error(status, body)
				}
				if status, body := ask(t, url, "tool:{}", streamed); status != 200 || !strings.Contains(body, "done") {
					t.Error(status, body)
				}
				server.Requests()
			}
		})
	}
	all.Wait()
	if err := server.Err(); err != nil || len(server.Requests()) != 10 { // a reply is there for each of 400 requests
		t.Error(err, len(server.Requests()))
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"content":"hi","repeat":"forever","match":{"user":"x"}}`)
	f.Add("# c\n{\"tool_calls\":[{\"name\":\"f\",\"arguments\":\"{\"}],\"fault\":\"interleave\",\"chunk\":1}")
	f.Add(`{"every":2,"status":500}`)
	f.Fuzz(func(t *testing.T, text string) {
		mockllm.ParseFaults("f", strings.NewReader(text)) // it must not panic
		script, err := mockllm.Parse("s", strings.NewReader(text))
		if err != nil {
			return
		}
		server := mockllm.New(script, mockllm.Options{})
		server.Close() // so that no fault or delay holds the test up
		for i := range script.Replies {
			if reply := &script.Replies[i]; reply.Bytes > 1000 || reply.Fault == "huge" {
				return
			}
		}
		for _, body := range []string{`{"stream":true,"messages":[{"role":"user","content":"x"}]}`, `{}`} {
			serveAborting(server, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
		}
	})
}

// serveAborting is what net/http does with a handler that aborts.
func serveAborting(server http.Handler, request *http.Request) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	server.ServeHTTP(httptest.NewRecorder(), request)
}

func BenchmarkTurn(b *testing.B) {
	_, url := play(b, `{"content":"It is nine in Tokyo.","repeat":"forever"}`, mockllm.Options{Keep: -1})
	b.ReportAllocs()
	for b.Loop() {
		ask(b, url, "hi", streamed)
	}
}
