package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/history"
)

// generous is far beyond what anything here should take, so that a slow machine does not fail a test.
const generous = time.Minute

// slowModel is a model server that answers when it is told to.
type slowModel struct {
	*httptest.Server
	asked  chan struct{} // gets an element for each request
	answer chan struct{} // each element lets one request be answered
	left   chan struct{} // gets an element for each request that its client gave up
}

func newSlowModel(t *testing.T) *slowModel {
	m := &slowModel{asked: make(chan struct{}, 16), answer: make(chan struct{}), left: make(chan struct{}, 16)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see that the client leaves
		m.asked <- struct{}{}
		select {
		case <-r.Context().Done():
			m.left <- struct{}{}
		case <-m.answer:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// served is a server that runs in this process.
type served struct {
	url, data string
	log       *logBuffer
	stop      func()
	exit      <-chan int
}

// serveWith starts the product with the model.
func serveWith(t *testing.T, model *slowModel, variables map[string]string) served {
	t.Helper()
	all := map[string]string{"CHATTERBOX_LLM_BASE_URL": model.URL + "/v1", "CHATTERBOX_LLM_MODEL": "m"}
	maps.Copy(all, variables)
	return serveAs(t, all)
}

// serveAs starts the product in an environment that has nothing but the variables and a data folder.
func serveAs(t *testing.T, variables map[string]string) served {
	t.Helper()
	s := served{data: filepath.Join(t.TempDir(), "data"), log: new(logBuffer)}
	linkCompiled(t, s.data)
	all := map[string]string{"CHATTERBOX_DATA": s.data, "CHATTERBOX_LOG_FORMAT": "json"}
	maps.Copy(all, variables)
	var environ []string
	for name, value := range all {
		environ = append(environ, name+"="+value)
	}
	ctx, stop := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		exit <- run(ctx, env{Env: cli.Env{
			Args: []string{"serve", "--listen", "127.0.0.1:0"}, Stdin: strings.NewReader(""), Stdout: writer, Stderr: s.log,
			Environ: environ, Getenv: func(name string) string { return all[name] },
		}})
		close(exit)
		writer.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-exit
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	lines := bufio.NewScanner(reader)
	if !lines.Scan() {
		t.Fatal("the server does not start")
	}
	s.url, _ = strings.CutPrefix(lines.Text(), "listening on ")
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	s.stop, s.exit = stop, exit
	return s
}

// answered is what became of a request.
type answered struct {
	status int
	body   string
	err    error
}

func (s served) say(ctx context.Context, accept string) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/conversation",
			bytes.NewReader([]byte(`{"text":"Tell me a story.","conversation_id":"a"}`)))
		if err != nil {
			done <- answered{err: err}
			return
		}
		request.Header.Set("Accept", accept)
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			done <- answered{err: err}
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		done <- answered{response.StatusCode, string(body), err}
	}()
	return done
}

// turns is what the stopped server has stored.
func (s served) turns(t *testing.T) int {
	t.Helper()
	store, err := history.Open(t.Context(), history.Options{Path: filepath.Join(s.data, "history.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	conversation, err := store.Load(t.Context(), "a", 20)
	if err != nil {
		t.Fatal(err)
	}
	return len(conversation.Turns)
}

func wait[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(generous):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

func TestWhoLeavesEndsTheModelsWork(t *testing.T) {
	for _, accept := range []string{"application/json", "text/event-stream"} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			model := newSlowModel(t)
			s := serveWith(t, model, nil)
			client, leave := context.WithCancel(t.Context())
			defer leave()
			reply := s.say(client, accept)
			wait(t, model.asked, "the model to be asked")
			leave()
			began := time.Now()
			wait(t, model.left, "the end of the model's call")
			t.Logf("the model's call ended %v after its client left", time.Since(began))
			wait(t, reply, "the client")
			s.stop()
			if code := wait(t, s.exit, "the server to stop"); code != cli.ExitOK {
				t.Errorf("exit %d", code)
			}
			if len(model.asked) != 0 {
				t.Errorf("the model was asked %d times more, for nobody", len(model.asked))
			}
			if n := s.turns(t); n != 0 {
				t.Errorf("%d turns are stored of a client that left", n)
			}
		})
	}
}

func TestStoppingEndsTurnsWhole(t *testing.T) {
	tests := map[string]struct {
		finish bool // the model answers before the time for stopping is over
		status int
		turns  int
	}{
		"a turn that ends in time is stored and answered":        {true, http.StatusOK, 1},
		"a turn that does not is abandoned and nothing of it is": {false, http.StatusServiceUnavailable, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := newSlowModel(t)
			limit := "20s"
			if !tt.finish {
				limit = "2s"
			}
			s := serveWith(t, model, map[string]string{"CHATTERBOX_SERVER_STOP_TIMEOUT": limit})
			reply := s.say(t.Context(), "application/json")
			wait(t, model.asked, "the model to be asked")
			s.stop()
			if tt.finish {
				model.answer <- struct{}{}
			}
			got := wait(t, reply, "the answer")
			if got.err != nil || got.status != tt.status || !json.Valid([]byte(got.body)) {
				t.Errorf("answered %+v, want status %d", got, tt.status)
			}
			if tt.finish != strings.Contains(got.body, `"response_text":"Done."`) {
				t.Errorf("answered %s", got.body)
			}
			if code := wait(t, s.exit, "the server to stop"); code != cli.ExitOK {
				t.Errorf("exit %d", code)
			}
			if n := s.turns(t); n != tt.turns {
				t.Errorf("%d turns are stored, want %d", n, tt.turns)
			}
		})
	}
}
