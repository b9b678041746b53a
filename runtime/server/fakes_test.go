package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps one goroutine for the Date header, and one per Serve that looks every 10 s whether it may end.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// service is a double of the conversations. Where converse is nil it echoes.
type service struct {
	converse func(context.Context, conversation.Request, func(conversation.Emission)) (conversation.Reply, error)

	mu      sync.Mutex
	asked   []conversation.Request
	deleted []string
	modes   map[string]string
	broken  error // of Delete and Clear
}

func (s *service) Converse(
	ctx context.Context, request conversation.Request, emit func(conversation.Emission),
) (conversation.Reply, error) {
	s.mu.Lock()
	s.asked = append(s.asked, request)
	s.mu.Unlock()
	if s.converse != nil {
		return s.converse(ctx, request, emit)
	}
	reply := conversation.Reply{ResponseText: request.Text}
	if request.ConversationID != "" {
		reply.ConversationID = &request.ConversationID
	}
	return reply, nil
}

func (s *service) Delete(_ context.Context, id string) error {
	if err := conversation.ValidateID(id); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted = append(s.deleted, id)
	return s.broken
}

func (s *service) Clear(context.Context) (int, error) { return 3, s.broken }

func (s *service) Modes() []string { return []string{"AUTO", "HOME"} }

func (s *service) Mode(_ context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[id], errors.Join(conversation.ValidateID(id), s.broken)
}

func (s *service) SetMode(_ context.Context, id, name string) (string, error) {
	if err := conversation.ValidateID(id); err != nil {
		return "", err
	}
	if name == "PARTY" {
		return "", &conversation.RequestError{Field: "mode", Message: "is not known here"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modes == nil {
		s.modes = map[string]string{}
	}
	s.modes[id] = name
	return name, s.broken
}

func (s *service) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// start serves opts on loopback until the test ends, and returns the address.
func start(t testing.TB, opts server.Options) string {
	t.Helper()
	s, err := server.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s)
}

// serve serves s on loopback until the test ends, and returns the address.
func serve(t testing.TB, s *server.Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return ln.Addr().String()
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

// ask sends one request. headers are "Name: value".
func ask(t testing.TB, method, url, body string, headers ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			request.Host = value
		} else {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(read)}
}

// problemOf reads an RFC 9457 body and fails the test when there is none.
func (a answer) problem(t testing.TB) (p struct {
	Type, Title, Detail, Field string
	Status                     int
}) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type is %q, want application/problem+json; body %s", got, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Status != a.StatusCode || p.Detail == "" || p.Title == "" {
		t.Errorf("the body %s is no problem of status %d (%v)", a.body, a.StatusCode, err)
	}
	return p
}

// raw sends bytes on a connection of its own and returns what comes back until the server closes, or until half a
// minute has passed. A negative answer to closed means that the connection was still open then.
func raw(t testing.TB, address, payload string) (answers []answer, closed bool) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, payload); err != nil {
		t.Fatal(err)
	}
	return readAnswers(c)
}

// readAnswers reads responses until the connection is closed or its deadline has passed.
func readAnswers(c net.Conn) (answers []answer, closed bool) {
	reader := bufio.NewReader(c)
	for {
		if _, err := reader.Peek(1); err != nil {
			return answers, err == io.EOF
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return append(answers, answer{&http.Response{Status: fmt.Sprintf("garbage: %v", err)}, ""}), false
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return append(answers, answer{response, "cut: " + err.Error()}), false
		}
		answers = append(answers, answer{response, string(body)})
	}
}

// newCtx returns a request as fasthttp would give it to a handler.
func newCtx(method, path, body string) *fasthttp.RequestCtx {
	var request fasthttp.Request
	request.Header.SetMethod(method)
	request.SetRequestURI(path)
	request.Header.SetHost("localhost")
	request.SetBodyString(body)
	ctx := new(fasthttp.RequestCtx)
	ctx.Init(&request, nil, nil)
	return ctx
}
