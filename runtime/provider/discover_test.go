package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/provider"
)

// local is a server on this machine, by path.
type local map[string]string

func (l local) start(t *testing.T, header string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := l[r.URL.Path]
		w.Header().Set("Server", header)
		switch {
		case body == "loading":
			w.WriteHeader(http.StatusServiceUnavailable)
			body = `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`
		case body == "hang":
			<-r.Context().Done()
			return
		case !ok:
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, body) //nolint:errcheck // a test
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const nobody = "http://127.0.0.1:1"

// generous is far beyond what a search should take, so that a slow machine does not fail a test.
const generous = 20 * time.Second

func TestDiscover(t *testing.T) {
	ollama := local{"/api/tags": `{"models":[{"name":"gpt-oss:20b"},{"name":"qwen3:4b"}]}`, "/api/ps": `{"models":[]}`}
	llama := local{"/v1/models": `{"object":"list","data":[{"id":"qwen3-8b.gguf","object":"model","owned_by":"llamacpp"}]}`}
	tests := map[string]struct {
		env           map[string]string
		ollama, llama local
		server        string // the second server's name of itself
		source, model string
		says          string // part of the report
	}{
		"nothing anywhere":              {says: "OPENAI_API_KEY is not set"},
		"a key is OpenAI's":             {env: map[string]string{"OPENAI_API_KEY": "sk-1"}, ollama: ollama, source: "OpenAI", model: "gpt-4o-mini", says: "https://api.openai.com/v1"},
		"a key with an address":         {env: map[string]string{"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://gateway.example/v1"}, source: "OpenAI", model: "gpt-4o-mini", says: "https://gateway.example/v1"},
		"the first model of an Ollama":  {ollama: ollama, source: "Ollama", model: "gpt-oss:20b", says: "the first listed"},
		"the loaded model of an Ollama": {ollama: local{"/api/tags": ollama["/api/tags"], "/api/ps": `{"models":[{"name":"qwen3:4b"}]}`}, source: "Ollama", model: "qwen3:4b", says: "the loaded one"},
		"an Ollama without /api/ps":     {ollama: local{"/api/tags": ollama["/api/tags"]}, source: "Ollama", model: "gpt-oss:20b"},
		"an Ollama without a model":     {ollama: local{"/api/tags": `{"models":[]}`}, says: "ollama pull"},
		"a llama.cpp":                   {llama: llama, source: "llama.cpp", model: "qwen3-8b.gguf", says: "no Ollama at"},
		"a llama.cpp by its header":     {llama: local{"/v1/models": `{"data":[{"id":"m"}]}`}, server: "llama.cpp", source: "llama.cpp", model: "m"},
		"a llama.cpp that still loads":  {llama: local{"/v1/models": "loading"}, server: "llama.cpp", source: "llama.cpp", model: "default", says: "still loading"},
		"an Ollama comes first":         {ollama: ollama, llama: llama, source: "Ollama", model: "gpt-oss:20b", says: "qwen3-8b.gguf"},
		"another server on the port":    {ollama: local{"/api/tags": `{"hello":1}`}, llama: local{"/v1/models": `{"data":[{"id":"gpt","owned_by":"me"}]}`}, says: "something else"},
		"pages on the ports":            {ollama: local{"/api/tags": "<html>"}, llama: local{"/v1/models": "<html>"}, says: "no JSON"},
		"servers that hang":             {ollama: local{"/api/tags": "hang", "/api/ps": "hang"}, llama: local{"/v1/models": "hang"}, says: "no answer in time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			search := provider.Search{Getenv: func(key string) string { return test.env[key] }, Ollama: nobody, LlamaCpp: nobody}
			if !strings.Contains(test.says, "in time") {
				search.Timeout = generous // a busy machine may be slower than a person's patience
			}
			if test.ollama != nil {
				search.Ollama = test.ollama.start(t, "")
			}
			if test.llama != nil {
				search.LlamaCpp = test.llama.start(t, test.server)
			}
			began := time.Now()
			found, ok := search.Run(t.Context())
			if took := time.Since(began); took > generous {
				t.Errorf("took %s", took)
			}
			report := strings.Join(found.Report, "; ")
			if ok != (test.source != "") || found.Source != test.source || found.Model != test.model || !strings.Contains(report, test.says) {
				t.Errorf("found %+v", found)
			}
			if found.Local != (ok && test.source != "OpenAI") || found.APIKey != test.env["OPENAI_API_KEY"] || strings.Contains(report, "sk-1") {
				t.Errorf("found %+v", found)
			}
			if ok && found.Local && !strings.HasSuffix(found.BaseURL, "/v1") {
				t.Errorf("base URL %s", found.BaseURL)
			}
		})
	}
}
