package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestATurnThatFailsFailsTheMeasurement(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		status int
		want   string // part of the error; nothing is none
	}{
		"every turn is answered":     {`{"response_text":"It is late in Tokyo now"}`, http.StatusOK, ""},
		"one has another answer":     {`{"response_text":"I do not know."}`, http.StatusOK, "I do not know."},
		"one has a status of errors": {`{"response_text":"It is late in Tokyo now"}`, http.StatusServiceUnavailable, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) != 7 {
					_, _ = w.Write([]byte("It is late in Tokyo now"))
					return
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.answer))
			}))
			defer server.Close()
			r, err := run(strings.TrimPrefix(server.URL, "http://"), 4, 40, turn)
			if c.want == "" && (err != nil || len(r.latencies) != 40) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%d turns and %v, want %q", len(r.latencies), err, c.want)
			}
		})
	}
}
