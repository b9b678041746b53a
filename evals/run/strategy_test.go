package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

var light = scenario.Tool{
	Name: "light", Description: "Light.", Parameters: json.RawMessage(`{"type":"object"}`), Answer: json.RawMessage(`{"done":true}`),
}

// turn has one turn with a model at a server, with all tools and no help.
func turn(t *testing.T, handler http.Handler) (judge.Observed, run.Usage, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	line := &run.Connection{Model: run.Model{Name: "m", BaseURL: server.URL + "/v1"}, Client: &http.Client{Transport: transport}, Pause: 1}
	setup, err := run.Bare{}.Prepare(t.Context(), scenario.Plan{}, []scenario.Tool{light})
	if err != nil {
		t.Fatal(err)
	}
	say, err := setup.Begin(t.Context(), line)
	if err != nil {
		t.Fatal(err)
	}
	got, err := say(t.Context(), "Light!")
	return got, line.Usage(), err
}

// TestBareReadsWhatServersSend goes through the faults of the model double: what they do to a call, and what is an
// infrastructure error.
func TestBareReadsWhatServersSend(t *testing.T) {
	for fault, want := range map[string]string{
		"":                 `light {"room":"hall"}, heat {} unknown_tool`,
		"json":             `light {"room":"hall"}, heat {} unknown_tool`,
		"no_done":          `light {"room":"hall"}, heat {} unknown_tool`,
		"no_finish":        `light {"room":"hall"}, heat {} unknown_tool`,
		"interleave":       `light {"room":"hall"}, heat {} unknown_tool`,
		"no_index":         `light {"room":"hall"}, heat {} unknown_tool`,
		"object_arguments": `light {"room":"hall"}, heat {} unknown_tool`,
		"same_index":       `light {"room":"hall"}, heat {} unknown_tool`,
		"late_terminator":  `light {"room":"hall"}, heat {} unknown_tool`,
		"cut":              "connection",
		"reset":            "connection",
		"html":             "server",
		"error_200":        "server",
	} {
		t.Run(fault, func(t *testing.T) {
			mock := mockllm.New(&mockllm.Script{Replies: []mockllm.Reply{{Fault: fault, Repeat: mockllm.Forever, ToolCalls: []mockllm.ToolCall{
				{Name: "light", Arguments: json.RawMessage(`{"room":"hall"}`)}, {Name: "heat"},
			}}}}, mockllm.Options{})
			defer mock.Close()
			got, _, err := turn(t, mock)
			var calls []string
			for _, c := range got.Calls {
				calls = append(calls, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Name, c.Arguments, c.Refusal)))
			}
			found := strings.Join(calls, ", ")
			if err != nil {
				found = run.KindOf(err)
			}
			if found != want {
				t.Errorf("got %q (%v), want %q", found, err, want)
			}
		})
	}
}

func TestBareEndsATurnThatGoesRound(t *testing.T) {
	mock := mockllm.New(&mockllm.Script{Replies: []mockllm.Reply{{Repeat: mockllm.Forever, ToolCalls: []mockllm.ToolCall{{Name: "light"}}}}}, mockllm.Options{})
	defer mock.Close()
	got, meter, err := turn(t, mock)
	if err != nil || got.Failure != judge.IterationLimit || got.Asked != 10 || meter.Calls != 10 || meter.PromptTokens == 0 || meter.FirstToken == 0 {
		t.Errorf("%+v, %+v, %v", got, meter, err)
	}
}

// other is a product with an API of its own.
func other(w http.ResponseWriter, r *http.Request) {
	var in struct{ Message, Session, Lang string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("X-Key") != "k1" || in.Session == "" || in.Lang != "en" {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	switch in.Message {
	case "broken":
		io.WriteString(w, "{") //nolint:errcheck // a test
	case "silent":
		io.WriteString(w, "{}") //nolint:errcheck // a test
	default:
		io.WriteString(w, `{"out":[{"text":"Done."}],"tools":[{"fn":"light","args":"{\"room\": \"hall\"}","got":{"done":true}},{"fn":"heat","args":null},{"fn":"x","args":"y"}]}`) //nolint:errcheck // a test
	}
}

func TestAnotherProduct(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(other))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "other.json")
	text := `{"name":"other","url":"` + server.URL + `","headers":{"X-Key":"$KEY"},"tools":["light"],
		"body":{"message":"{text}","session":"{conversation}","lang":"{language}"},
		"reply":{"answer":"out.0.text","calls":"tools","name":"fn","arguments":"args","result":"got"}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	mapping, err := run.ReadMapping(file, func(string) string { return "k1" })
	if err != nil {
		t.Fatal(err)
	}
	if !mapping.Has([]scenario.Tool{light}) || mapping.Has([]scenario.Tool{light, {Name: "heat"}}) {
		t.Error("what it has is not what the file says")
	}
	say := func(said string) (judge.Observed, error) {
		setup, err := run.Mapped{Mapping: mapping, Client: server.Client()}.Prepare(t.Context(), scenario.Plan{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		say, err := setup.Begin(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return say(t.Context(), said)
	}
	got, err := say("Light!")
	if err != nil || got.Answer != "Done." || len(got.Calls) != 3 || string(got.Calls[0].Arguments) != `{"room": "hall"}` ||
		string(got.Calls[0].Result) != `{"done":true}` || string(got.Calls[1].Arguments) != "{}" || got.Calls[2].Refusal != judge.NotReadable {
		t.Errorf("%+v, %v", got, err)
	}
	for said, want := range map[string]string{"broken": "no JSON", "silent": "no text at out.0.text"} {
		if _, err := say(said); err == nil || !strings.Contains(err.Error(), want) || run.KindOf(err) != "server" {
			t.Errorf("%s: %v", said, err)
		}
	}
}

// TestAProductAtAURL speaks to a product of this kind that runs already.
func TestAProductAtAURL(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Text, Language string
			Conversation   string `json:"conversation_id"`
			Trace          bool
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/conversation" || r.Header.Get("X-Key") != "k1" || in.Conversation == "" || !in.Trace {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		asked = append(asked, in.Language+" "+in.Text)
		io.WriteString(w, `{"response_text":"Done.","trace":{"llm_calls":2,"tool_calls":[{"name":"light","arguments":{"room":"hall"},"result":{"error":"dark"}}]}}`) //nolint:errcheck // a test
	}))
	defer server.Close()
	setup, err := run.Mapped{Client: server.Client(), Mapping: run.Mapping{
		Name: "own", URL: server.URL + "/", Headers: map[string]string{"X-Key": "k1"}, Tools: []string{"light"},
	}}.Prepare(t.Context(), scenario.Plan{Language: "de", Before: []scenario.Exchange{{User: "Hallo"}}}, []scenario.Tool{light})
	if err != nil {
		t.Fatal(err)
	}
	say, err := setup.Begin(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := say(t.Context(), "Licht!")
	if err != nil || got.Answer != "Done." || got.Asked != 2 || len(got.Calls) != 1 || string(got.Calls[0].Arguments) != `{"room":"hall"}` || got.Calls[0].Refusal != judge.Ran {
		t.Errorf("%+v, %v", got, err)
	}
	if said := strings.Join(asked, ", "); said != "de Hallo, de Licht!" {
		t.Error(said)
	}
}

// serverInMemory answers with a status and headers first, and well after that.
type serverInMemory struct {
	status int
	header http.Header
	asked  int
}

func (s *serverInMemory) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	if s.asked > 1 {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
	return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// TestABusyServerSaysWhenToAskAgain keeps to what a server says, unless that is too long.
func TestABusyServerSaysWhenToAskAgain(t *testing.T) {
	for after, want := range map[string]struct {
		waited time.Duration
		asked  int
	}{
		"": {500 * time.Millisecond, 2}, "soon": {500 * time.Millisecond, 2}, "0": {500 * time.Millisecond, 2},
		"7": {7 * time.Second, 2}, "30": {30 * time.Second, 2}, "31": {0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := &serverInMemory{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {after}}}
			line := &run.Connection{Model: run.Model{Name: "m", BaseURL: "http://models/v1"}, Client: &http.Client{Transport: server}}
			started := time.Now()
			response, err := line.Complete(t.Context(), map[string]any{})
			if err == nil {
				response.Body.Close()
			}
			if waited := time.Since(started); waited != want.waited || server.asked != want.asked || (err == nil) != (want.asked == 2) || err != nil && run.KindOf(err) != "rate_limit" {
				t.Errorf("Retry-After %q: asked %d times, waited %v, %v", after, server.asked, waited, err)
			}
		})
	}
}

func TestMappingsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                             "unexpected EOF",
		`{"name":"x"}`:                  "expected url",
		`{"url":"http://x"}`:            "expected name",
		`{"url":"http://x","name":"x"}`: "expected tools",
		`{"url":"http://x","name":"x","tools":["a"],"body":{}}`:                                    "expected body and reply",
		`{"url":"http://x","name":"x","tools":["a"],"body":{},"reply":{"answer":"a","calls":"b"}}`: "also reply.name",
		`{"url":"http://x","name":"x","tools":["a"],"body":{},"reply":{"answer":"a","other":"b"}}`: "unknown field",
		`{"url":"gopher://x","name":"x","tools":["a"]}`:                                            "expected url",
	} {
		file := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := run.ReadMapping(file, os.Getenv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestAProductThatDoesNotStart(t *testing.T) {
	for name, command := range map[string][]string{"ends at once": {"false"}, "is not there": {"/nowhere/chatterbox"}} {
		_, err := run.Serve{Command: command, Folder: t.TempDir()}.Prepare(context.Background(), scenario.Plan{}, []scenario.Tool{light})
		if err == nil || !strings.Contains(err.Error(), "start the product") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCompletion(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"light\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}\n\n", true)
	f.Add(`{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"x","arguments":{"a":1}}}]}}]}`, false)
	f.Fuzz(func(t *testing.T, body string, stream bool) {
		kind := "application/json"
		if stream {
			kind = "text/event-stream"
		}
		calls, content, err := run.ReadCompletion(kind, []byte(body))
		if err != nil && run.KindOf(err) == "" {
			t.Errorf("an error that is no infrastructure error: %v", err)
		}
		if err == nil && !stream && calls == 0 && content == "" && !strings.Contains(body, "choices") && !strings.Contains(strings.ToLower(body), "choices") {
			t.Errorf("a completion without choices: %s", body)
		}
	})
}
