package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// countFresh returns a context that counts the calls for which a connection was opened.
func countFresh(ctx context.Context) (context.Context, *atomic.Int64) {
	var fresh atomic.Int64
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if !info.Reused {
			fresh.Add(1)
		}
	}}), &fresh
}

// TestConnectionsAreReused has a server that ends a stream only a millisecond after its caller has left. Callers come
// in rounds, and a round waits for what the one before it left to arrive, which takes less time than the tool call or
// the person that stands between two questions.
func TestConnectionsAreReused(t *testing.T) {
	for name, test := range map[string]struct {
		callers, rounds int
		ours            bool
	}{
		"one caller":              {1, 600, true},
		"64 callers":              {64, 120, true},
		"nobody reads to the end": {8, 110, false}, // go-openai alone, which shows that this test can fail
	} {
		t.Run(name, func(t *testing.T) {
			address, leave := lateEnd(t)
			c := open(t, Options{BaseURL: address, Model: "m"})
			ask := func(ctx context.Context) error {
				_, err := c.Complete(ctx, hello, nil)
				return err
			}
			if !test.ours {
				api := bare(t, address)
				ask = func(ctx context.Context) error { return bareCall(ctx, api) }
			}
			ctx, fresh := countFresh(t.Context())
			for range test.rounds {
				var all sync.WaitGroup
				for range test.callers {
					all.Go(func() {
						if err := ask(ctx); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				leave(test.callers)
				c.wire.drains.Wait()
			}
			// Each caller of the first round needs a connection. At most one in a hundred calls does, where a busy
			// machine takes longer than a drain may, or than net/http waits for the end of what it has written.
			calls := test.callers * test.rounds
			if got := int(fresh.Load()); test.ours && got > calls/100 || !test.ours && got < calls {
				t.Errorf("%d of %d calls needed a new connection", got, calls)
			}
		})
	}
}

// lateEnd is the address of a server whose streams end a millisecond after leave is told that their callers have left.
func lateEnd(t *testing.T) (address string, leave func(callers int)) {
	left := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n") //nolint:errcheck // a test
		http.NewResponseController(w).Flush()                                                           //nolint:errcheck // a test
		<-left
		time.Sleep(time.Millisecond)
	}))
	t.Cleanup(front.Close)
	t.Cleanup(func() { close(left) })
	return front.URL + "/v1", func(callers int) {
		for range callers {
			left <- struct{}{}
		}
	}
}

// TestDrainIsBounded: a server that goes on after [DONE], and does not end, costs its connection and no goroutine
// that stays.
func TestDrainIsBounded(t *testing.T) {
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a test
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n") //nolint:errcheck // a test
		io.WriteString(w, strings.Repeat(": more\n", drainBytes/4))                                     //nolint:errcheck // a test
		http.NewResponseController(w).Flush()                                                           //nolint:errcheck // a test
		<-r.Context().Done()
	}))
	defer front.Close()
	c := open(t, Options{BaseURL: front.URL + "/v1", Model: "m"})
	var all sync.WaitGroup
	for range 100 { // more than may be drained at once
		all.Go(func() {
			if got, err := c.Complete(t.Context(), hello, nil); err != nil || got.Content != "hi" {
				t.Error(got, err)
			}
		})
	}
	all.Wait()
	c.Close() // waits for the drains
	if n := len(c.wire.slots); n != 0 {
		t.Errorf("%d drains left", n)
	}
}
