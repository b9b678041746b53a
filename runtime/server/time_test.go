package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

// pipes is a listener whose connections are in memory, so that their deadlines keep a test's time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// dial connects to the server.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// bubble runs test in a bubble of its own time with a server that has double behind it.
func bubble(t *testing.T, double *service, test func(t *testing.T, p *pipes, s *server.Server)) {
	t.Helper()
	// fasthttp's goroutine for the Date header, which never ends, must not begin in the bubble.
	ask(t, "GET", "http://"+start(t, server.Options{Service: double})+"/health", "")
	synctest.Test(t, func(t *testing.T) {
		s, err := server.New(server.Options{Service: double})
		if err != nil {
			t.Fatal(err)
		}
		p := newPipes()
		served := make(chan error, 1)
		go func() { served <- s.Serve(p) }()
		test(t, p, s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		time.Sleep(time.Minute) // until fasthttp's own goroutines have looked whether they may end
	})
}

func TestSlowClientsAreClosed(t *testing.T) {
	turn := post("Content-Length: 12\r\n", `{"text":"x"}`)
	tests := map[string]struct {
		send   string        // at once
		drip   string        // then a byte of it every second
		status int           // of the last answer; 0 is none
		within time.Duration // after which the connection is closed
	}{
		"who says nothing":                 {"", "", 0, 8 * time.Second},
		"who stops in the header":          {"POST /conv", "", 408, 9 * time.Second},
		"who drips the header":             {"", turn, 408, 9 * time.Second},
		"who stops in the body":            {turn[:len(turn)-5], "", 408, 9 * time.Second},
		"who drips the body":               {post("Content-Length: 500\r\n", ""), strings.Repeat(" ", 500), 408, 9 * time.Second},
		"who says nothing more":            {turn, "", 200, 2 * time.Minute},
		"who stops in the second request":  {turn + turn[:10], "", 408, 9 * time.Second},
		"who drips chunks of no great use": {post("Transfer-Encoding: chunked\r\n", ""), strings.Repeat("1\r\n \r\n", 99), 408, 9 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, &service{}, func(t *testing.T, p *pipes, _ *server.Server) {
				c := p.dial()
				defer c.Close()
				began := time.Now()
				go func() {
					if tt.send != "" { // a pipe hands over even nothing
						_, _ = io.WriteString(c, tt.send)
					}
					for i := range len(tt.drip) {
						if _, err := io.WriteString(c, tt.drip[i:i+1]); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				answers, closed := readAnswers(c)
				if took := time.Since(began); !closed || took > tt.within {
					t.Errorf("closed: %v, after %v; want within %v", closed, took, tt.within)
				}
				last := 0
				if len(answers) > 0 {
					last = answers[len(answers)-1].StatusCode
				}
				if last != tt.status {
					t.Errorf("the last answer is %d, want %d", last, tt.status)
				}
			})
		})
	}
}

func TestAClientThatDoesNotReadIsClosed(t *testing.T) {
	double := &service{}
	bubble(t, double, func(t *testing.T, p *pipes, _ *server.Server) {
		ended := make(chan error, 1)
		double.converse = func(ctx context.Context, _ conversation.Request, emit func(conversation.Emission)) (conversation.Reply, error) {
			for ctx.Err() == nil {
				emit(conversation.Emission{Kind: "delta", Text: strings.Repeat("a", 1000)})
			}
			ended <- context.Cause(ctx)
			return conversation.Reply{}, conversation.ErrClientGone
		}
		c := p.dial()
		defer c.Close()
		began := time.Now()
		if _, err := io.WriteString(c, post("Accept: text/event-stream\r\nContent-Length: 12\r\n", `{"text":"x"}`)); err != nil {
			t.Fatal(err)
		}
		if cause := <-ended; !errors.Is(cause, conversation.ErrClientGone) || time.Since(began) > 11*time.Second {
			t.Errorf("the turn ended after %v with cause %v", time.Since(began), cause)
		}
	})
}

func TestASilentStreamIsKeptAlive(t *testing.T) {
	double := &service{converse: func(context.Context, conversation.Request, func(conversation.Emission)) (conversation.Reply, error) {
		time.Sleep(50 * time.Second)
		return conversation.Reply{ResponseText: "At last."}, nil
	}}
	bubble(t, double, func(t *testing.T, p *pipes, _ *server.Server) {
		c := p.dial()
		defer c.Close()
		request := post("Accept: text/event-stream\r\nConnection: close\r\nContent-Length: 12\r\n", `{"text":"x"}`)
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		answers, _ := readAnswers(c)
		if len(answers) != 1 || strings.Count(answers[0].body, ": still here\n\n") != 3 || !strings.Contains(answers[0].body, "At last.") {
			t.Errorf("got %+v", answers)
		}
	})
}

func TestStop(t *testing.T) {
	tests := map[string]struct {
		turn, patience time.Duration
		answered       bool
	}{
		"a turn that ends in time is answered":    {3 * time.Second, 10 * time.Second, true},
		"a turn that does not is abandoned":       {time.Hour, 10 * time.Second, false},
		"without a turn nobody is waited for":     {0, 10 * time.Second, false},
		"a turn is abandoned at once if need be ": {time.Hour, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			double := &service{converse: func(ctx context.Context, _ conversation.Request, _ func(conversation.Emission)) (conversation.Reply, error) {
				select {
				case <-time.After(tt.turn):
					return conversation.Reply{ResponseText: "Done."}, nil
				case <-ctx.Done():
					ended <- context.Cause(ctx)
					return conversation.Reply{}, conversation.ErrStopping
				}
			}}
			bubble(t, double, func(t *testing.T, p *pipes, s *server.Server) {
				silent, busy := p.dial(), p.dial()
				defer silent.Close()
				defer busy.Close()
				if tt.turn > 0 {
					if _, err := io.WriteString(busy, post("Content-Length: 12\r\n", `{"text":"x"}`)); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				stopped := make(chan error, 1)
				go func() { stopped <- s.Shutdown(ctx) }()
				answers, _ := readAnswers(busy)
				err := <-stopped
				if took := time.Since(began); took > min(tt.patience, max(tt.turn, time.Millisecond))+time.Second {
					t.Errorf("it took %v to stop", took)
				}
				if tt.answered && (err != nil || len(answers) != 1 || answers[0].StatusCode != http.StatusOK || !answers[0].Close) {
					t.Errorf("Shutdown: %v, answers %+v", err, answers)
				}
				if !tt.answered && tt.turn > 0 {
					synctest.Wait()
					select {
					case cause := <-ended:
						if !errors.Is(cause, conversation.ErrStopping) || err == nil {
							t.Errorf("the turn ended with cause %v, Shutdown with %v", cause, err)
						}
					default:
						t.Errorf("the turn was not abandoned: Shutdown %v, answers %+v", err, answers)
					}
				}
			})
		})
	}
}

func TestServeAfterShutdownEndsAtOnce(t *testing.T) {
	s, err := server.New(server.Options{Service: &service{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Serve(newPipes()); err != nil {
		t.Error(err)
	}
}
