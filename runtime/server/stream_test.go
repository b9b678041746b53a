package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

func TestStream(t *testing.T) {
	tests := map[string]struct {
		body  string
		turn  func(emit func(conversation.Emission)) (conversation.Reply, error)
		want  string
		plain int // status of an ordinary answer instead of a stream
	}{
		"an answer with a call before it": {
			turn: func(emit func(conversation.Emission)) (conversation.Reply, error) {
				emit(conversation.Emission{Kind: "delta", Text: "Let me\nlook."})
				emit(conversation.Emission{Kind: "interim"})
				emit(conversation.Emission{Kind: "tool", Name: "get_weather", State: "running"})
				emit(conversation.Emission{Kind: "tool", Name: "get_weather", State: "done"})
				emit(conversation.Emission{Kind: "delta", Text: "Rain, 5 < 6."})
				return conversation.Reply{ResponseText: "Rain, 5 < 6."}, nil
			},
			want: "event: delta\ndata: {\"text\":\"Let me\\nlook.\"}\n\n" +
				"event: interim\ndata: {}\n\n" +
				"event: tool\ndata: {\"name\":\"get_weather\",\"state\":\"running\"}\n\n" +
				"event: tool\ndata: {\"name\":\"get_weather\",\"state\":\"done\"}\n\n" +
				"event: delta\ndata: {\"text\":\"Rain, 5 < 6.\"}\n\n" +
				"event: done\ndata: {\"response_text\":\"Rain, 5 < 6.\",\"conversation_id\":null,\"extra\":{}}\n\n",
		},
		"a turn that cannot be stored ends in the reply": {
			turn: func(func(conversation.Emission)) (conversation.Reply, error) {
				return conversation.Reply{ResponseText: "Sorry.", Extra: conversation.Extra{
					Error: &conversation.ReplyError{Kind: conversation.KindStorage},
				}}, nil
			},
			want: "event: done\ndata: {\"response_text\":\"Sorry.\",\"conversation_id\":null,\"extra\":{\"error\":{\"kind\":\"storage\"}}}\n\n",
		},
		"a full queue is an error event": {
			turn: func(func(conversation.Emission)) (conversation.Reply, error) {
				return conversation.Reply{}, conversation.ErrQueueFull
			},
			want: "event: error\ndata: {\"type\":\"about:blank\",\"title\":\"Too Many Requests\",\"status\":429,\"detail\":\"Too many requests of " +
				"this conversation are waiting already. Wait for an answer before the next one.\",\"retry_after\":1}\n\n",
		},
		"a panic is an error event": {
			turn: func(func(conversation.Emission)) (conversation.Reply, error) { panic("boom") },
			want: "event: error\ndata: {\"type\":\"about:blank\",\"title\":\"Internal Server Error\",\"status\":500,\"detail\":\"Something went " +
				"wrong here; the log says what.\"}\n\n",
		},
		"a body that is wrong has no stream": {body: `{"text":""}`, plain: 400},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			double := &service{converse: func(
				_ context.Context, _ conversation.Request, emit func(conversation.Emission),
			) (conversation.Reply, error) {
				return tt.turn(emit)
			}}
			url := "http://" + start(t, server.Options{Service: double}) + "/conversation"
			body := tt.body
			if body == "" {
				body = `{"text":"x"}`
			}
			got := ask(t, "POST", url, body, "Accept: application/json;q=0.5, text/event-stream")
			if tt.plain != 0 {
				if got.problem(t); got.StatusCode != tt.plain {
					t.Errorf("got %d %s", got.StatusCode, got.body)
				}
				return
			}
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.body != tt.want {
				t.Errorf("got %d %s\n%s\nwant\n%s", got.StatusCode, got.Header.Get("Content-Type"), got.body, tt.want)
			}
		})
	}
}

func TestEventsLeaveAtOnce(t *testing.T) {
	proceed := make(chan struct{})
	double := &service{converse: func(_ context.Context, _ conversation.Request, emit func(conversation.Emission)) (conversation.Reply, error) {
		for range 3 {
			emit(conversation.Emission{Kind: "delta", Text: "a"})
			<-proceed
		}
		return conversation.Reply{ResponseText: "aaa"}, nil
	}}
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"http://"+start(t, server.Options{Service: double})+"/conversation", strings.NewReader(`{"text":"x"}`))
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for range 3 {
		for lines.Scan() && lines.Text() != `data: {"text":"a"}` {
		}
		proceed <- struct{}{} // only now may the turn go on
	}
	rest := ""
	for lines.Scan() {
		rest += lines.Text()
	}
	if !strings.Contains(rest, "event: done") || lines.Err() != nil {
		t.Errorf("the stream ended in %q (%v)", rest, lines.Err())
	}
}

func TestAClientThatLeavesCancelsItsTurn(t *testing.T) {
	tests := map[string]struct {
		headers string
		ahead   string // what the client has sent beside its request
		leave   func(*net.TCPConn) error
	}{
		"while it waits":              {"", "", (*net.TCPConn).Close},
		"in a stream":                 {"Accept: text/event-stream\r\n", "", (*net.TCPConn).Close},
		"with a reset":                {"", "", func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) }},
		"having closed its half":      {"", "", (*net.TCPConn).CloseWrite},
		"with a request ahead":        {"", smuggled, (*net.TCPConn).Close},
		"in a stream, with one ahead": {"Accept: text/event-stream\r\n", smuggled, (*net.TCPConn).Close},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			began, ended := make(chan struct{}), make(chan error, 1)
			double := &service{converse: func(ctx context.Context, _ conversation.Request, _ func(conversation.Emission)) (conversation.Reply, error) {
				close(began)
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return conversation.Reply{}, conversation.ErrClientGone
			}}
			c, err := net.Dial("tcp", start(t, server.Options{Service: double}))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, post(tt.headers+"Content-Length: 12\r\n", `{"text":"x"}`)+tt.ahead); err != nil {
				t.Fatal(err)
			}
			<-began
			if err := tt.leave(c.(*net.TCPConn)); err != nil {
				t.Fatal(err)
			}
			select {
			case cause := <-ended:
				if !errors.Is(cause, conversation.ErrClientGone) {
					t.Errorf("the turn ended with cause %v", cause)
				}
			case <-time.After(time.Minute):
				t.Error("the turn goes on for nobody")
			}
		})
	}
}

func TestAClientThatStaysIsAnswered(t *testing.T) {
	double := &service{converse: func(ctx context.Context, _ conversation.Request, _ func(conversation.Emission)) (conversation.Reply, error) {
		select {
		case <-ctx.Done():
			return conversation.Reply{}, conversation.ErrClientGone
		case <-time.After(800 * time.Millisecond): // more than three looks
			return conversation.Reply{ResponseText: "Here you are."}, nil
		}
	}}
	answers, _ := raw(t, start(t, server.Options{Service: double}), post("Content-Length: 12\r\n", `{"text":"x"}`)+
		"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if len(answers) != 2 || !strings.Contains(answers[0].body, "Here you are.") || !strings.Contains(answers[1].body, `"ok"`) {
		t.Errorf("got %+v", answers)
	}
}

func TestHTTP10HasNoStream(t *testing.T) {
	answers, closed := raw(t, start(t, server.Options{Service: &service{}}),
		"POST /conversation HTTP/1.0\r\nHost: localhost\r\nAccept: text/event-stream\r\nContent-Length: 12\r\n\r\n{\"text\":\"x\"}")
	if len(answers) != 1 || !closed || !strings.Contains(answers[0].body, `"response_text":"x"`) {
		t.Errorf("got %+v, closed: %v", answers, closed)
	}
}
