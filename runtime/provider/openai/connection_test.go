package openai

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"chatterbox/loop"
)

// The pieces of an answer in chunks, up to its end.
const (
	streamHead  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	streamEvent = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n"
	streamEnd   = "0\r\n\r\n"
)

func chunked(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// bareServer answers each request on each connection with what answer writes. Its answers are numbered from 1, over all
// connections, which it counts; one that returns false closes the connection.
func bareServer(t *testing.T, answer func(n int, to net.Conn) bool) (address string, connections chan int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections = make(chan int, 1)
	connections <- 0
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		answered := 0
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections <- <-connections + 1
			reader := bufio.NewReader(conn)
			for {
				request, err := http.ReadRequest(reader)
				if err != nil {
					break
				}
				answered++
				if request.ContentLength < 1<<20 {
					io.Copy(io.Discard, request.Body) //nolint:errcheck // a test
				}
				if !answer(answered, conn) {
					break
				}
			}
			conn.Close() //nolint:errcheck // a test
		}
	}()
	t.Cleanup(func() {
		listener.Close() //nolint:errcheck // a test
		<-ended
	})
	return "http://" + listener.Addr().String() + "/v1", connections
}

// TestConnections has servers that end their answers in their own ways. Each is asked three times.
func TestConnections(t *testing.T) {
	for name, test := range map[string]struct {
		answer      []string // in pieces, with a moment between them
		after       string   // sent when the answer has been read; what stands behind a | when that has been looked at
		keep        bool     // the server's side of the connection
		connections int
	}{
		"the end is there at once":         {[]string{streamHead + chunked(streamEvent) + streamEnd}, "", true, 1},
		"the end comes later":              {[]string{streamHead + chunked(streamEvent)}, streamEnd, true, 1},
		"half of the end comes later":      {[]string{streamHead + chunked(streamEvent)}, "0\r\n|\r\n", true, 1},
		"the event's own end comes later":  {[]string{streamHead + chunked(streamEvent)[:len(chunked(streamEvent))-1]}, "\n" + streamEnd, true, 1},
		"it goes on after [DONE]":          {[]string{streamHead + chunked(streamEvent)}, chunked(": more\n") + streamEnd, true, 1},
		"it goes on and on":                {[]string{streamHead + chunked(streamEvent)}, strings.Repeat(chunked(": more\n"), drainBytes), true, 3},
		"the server closes":                {[]string{streamHead + chunked(streamEvent) + streamEnd}, "", false, 3},
		"the server says that it closes":   {[]string{strings.Replace(streamHead, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1) + chunked(streamEvent) + streamEnd}, "", true, 3},
		"HTTP/1.0":                         {[]string{"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + streamEvent}, "", false, 3},
		"it says first that it is at work": {[]string{"HTTP/1.1 102 Processing\r\n\r\n", streamHead + chunked(streamEvent) + streamEnd}, "", true, 1},
		"an answer that has a length":      {[]string{fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(streamEvent), streamEvent)}, "", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			read, done := make(chan struct{}), make(chan struct{})
			address, connections := bareServer(t, func(n int, to net.Conn) bool {
				for _, piece := range test.answer {
					io.WriteString(to, piece) //nolint:errcheck // a test
				}
				for piece := range strings.SplitSeq(test.after, "|") {
					select {
					case <-read:
					case <-t.Context().Done():
						return false
					}
					io.WriteString(to, piece) //nolint:errcheck // a test
					if !test.keep {
						to.Close() //nolint:errcheck // a test
					}
					done <- struct{}{}
				}
				return test.keep
			})
			c := open(t, Options{BaseURL: address, Model: "m"})
			for range 3 {
				got, err := c.Complete(t.Context(), hello, nil)
				if err != nil || got.Content != "hi" {
					t.Fatalf("%q, %v", got.Content, err)
				}
				for range 1 + strings.Count(test.after, "|") {
					read <- struct{}{}
					<-done
				}
				c.wire.drains.Wait()
			}
			if n := <-connections; n != test.connections {
				t.Errorf("%d connections, want %d", n, test.connections)
			}
		})
	}
}

// TestConnectionRefusals has servers that cannot be spoken to. The error says why, and one request was sent.
func TestConnectionRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		answer, want string
		status       int
		ask          loop.Request
	}{
		"a head without end": {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", headBytes), "exceeded", 0, hello},
		"no HTTP":            {"SSH-2.0-x\r\n", "malformed HTTP response", 0, hello},
		"nothing":            {"", "EOF", 0, hello},
		"an answer before the end of the request": {
			"HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nless", "less", http.StatusRequestEntityTooLarge,
			loop.Request{Messages: []loop.Message{{Role: loop.User, Content: strings.Repeat("x", 2<<20)}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			address, _ := bareServer(t, func(n int, to net.Conn) bool {
				requests = n
				io.WriteString(to, test.answer) //nolint:errcheck // a test
				to.(*net.TCPConn).CloseWrite()  //nolint:errcheck // a test
				io.Copy(io.Discard, to)         //nolint:errcheck // closing with bytes unread would take the answer away
				return false
			})
			c := open(t, Options{BaseURL: address, Model: "m"})
			_, err := c.Complete(t.Context(), test.ask, nil)
			if e := loop.AsError(err); err == nil || !strings.Contains(e.Message, test.want) || e.Status != test.status {
				t.Errorf("%v, want %q", err, test.want)
			}
			if requests != 1 {
				t.Errorf("%d requests", requests)
			}
		})
	}
}
