package server_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/server"
)

func TestTheModeOfAConversation(t *testing.T) {
	double := &service{}
	url := "http://" + start(t, server.Options{Service: double})
	tests := []struct {
		method, path, body string
		broken             error
		status             int
		want               string
	}{
		{"PUT", "/conversation/kitchen/mode", `{"mode":"HOME"}`, nil, 200, `{"mode":"HOME","modes":["AUTO","HOME"]}`},
		{"GET", "/conversation/kitchen/mode", "", nil, 200, `{"mode":"HOME","modes":["AUTO","HOME"]}`},
		{"GET", "/conversation/k%2Fx/mode", "", nil, 400, "conversation_id"},
		{"PUT", "/conversation/kitchen/mode", `{"mode":"PARTY"}`, nil, 400, "mode is not known here"},
		{"PUT", "/conversation/kitchen/mode", `{"mode":7}`, nil, 400, "must be the name of a mode"},
		{"PUT", "/conversation/kitchen/mode", `{}`, nil, 400, "must be the name of a mode"},
		{"PUT", "/conversation/kitchen/mode", `HOME`, nil, 400, "is not JSON"},
		{"PUT", "/conversation/kitchen/mode", `{"mode":"HOME"}`, conversation.ErrConflict, 409, "changed meanwhile"},
		{"GET", "/conversation/kitchen/mode", "", errors.New("disk"), 503, "storage"},
		{"POST", "/conversation/kitchen/mode", "{}", nil, 405, "GET, OPTIONS, PUT"},
		{"GET", "/conversation//mode", "", nil, 404, "nothing here"},
		{"GET", "/conversation/a/b/mode", "", nil, 404, "nothing here"},
		{"DELETE", "/conversation/mode", "", nil, 200, `{"cleared":"mode"}`},
	}
	for _, tt := range tests {
		double.mu.Lock()
		double.broken = tt.broken
		double.mu.Unlock()
		request, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != tt.status || !strings.Contains(string(body), tt.want) {
			t.Errorf("%s %s %s: %d %s (%v), want %d and %q", tt.method, tt.path, tt.body, response.StatusCode, body, err, tt.status, tt.want)
		}
	}
}
