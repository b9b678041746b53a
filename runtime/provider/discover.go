package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"chatterbox/runtime/provider/openai"
)

// Where local model servers usually are, and how long they have to answer.
const (
	OllamaURL    = "http://127.0.0.1:11434"
	LlamaCppURL  = "http://127.0.0.1:8080"
	ProbeTimeout = 300 * time.Millisecond

	openAIModel   = "gpt-4o-mini"
	probeBodyMax  = 1 << 20
	anyModelName  = "default" // llama.cpp serves one model whatever it is called
	llamaCppOwner = "llamacpp"
)

// Found is what a search for a model came to.
type Found struct {
	Source  string // OpenAI, Ollama or llama.cpp; empty when nothing was found
	BaseURL string
	Model   string
	APIKey  string
	Local   bool
	// Report says in a sentence each where the search looked and what was there.
	Report []string
}

// AsModel is the found model as one to configure a [Provider] with.
func (f Found) AsModel() Model {
	return Model{Name: f.Model, BaseURL: f.BaseURL, Model: f.Model, APIKey: f.APIKey, Local: f.Local}
}

// Search looks for a model when none is configured. Zero values mean the usual places.
type Search struct {
	Getenv   func(string) string
	Ollama   string // base addresses, without a path
	LlamaCpp string
	Timeout  time.Duration // for all probes together

	client *http.Client
}

// Run looks in the usual places; the report is there either way. It looks for OPENAI_API_KEY, and without it asks the
// local servers, both at once: an Ollama comes before a llama.cpp. A server is believed only when it answers as what
// it should be.
func (s Search) Run(ctx context.Context) (found Found, ok bool) {
	if s.Getenv != nil {
		if key := s.Getenv("OPENAI_API_KEY"); key != "" {
			return s.openAI(key), true
		}
	}
	report := []string{"OPENAI_API_KEY is not set"}
	transport := &http.Transport{} // without a proxy
	defer transport.CloseIdleConnections()
	s.client = &http.Client{Transport: transport}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, ProbeTimeout))
	defer cancel()

	var ollama, llama Found
	var probes sync.WaitGroup
	probes.Go(func() { ollama = s.ollama(ctx, cmp.Or(s.Ollama, OllamaURL)) })
	probes.Go(func() { llama = s.llamaCpp(ctx, cmp.Or(s.LlamaCpp, LlamaCppURL)) })
	probes.Wait()
	report = append(append(report, ollama.Report...), llama.Report...)
	for _, candidate := range []Found{ollama, llama} {
		if candidate.Source != "" {
			candidate.Report = report
			return candidate, true
		}
	}
	return Found{Report: report}, false
}

func (s Search) openAI(key string) Found {
	base := cmp.Or(s.Getenv("OPENAI_BASE_URL"), openai.DefaultBaseURL)
	return Found{
		Source: "OpenAI", BaseURL: base, Model: openAIModel, APIKey: key,
		Report: []string{fmt.Sprintf("OPENAI_API_KEY is set: %s at %s", openAIModel, openai.Public(base))},
	}
}

// ollama asks for the loaded models and the installed ones.
func (s Search) ollama(ctx context.Context, base string) Found {
	type list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	var loaded, installed list
	var asks sync.WaitGroup
	asks.Go(func() { s.get(ctx, base+"/api/ps", &loaded) }) //nolint:errcheck // without it the first installed one serves
	_, err := s.get(ctx, base+"/api/tags", &installed)
	asks.Wait()
	switch {
	case err != nil:
		return nothing("no Ollama at %s: %s", base, err)
	case installed.Models == nil:
		return nothing("no Ollama at %s: something else answers there", base)
	case len(installed.Models) == 0 || installed.Models[0].Name == "":
		return nothing("the Ollama at %s has no model yet; `ollama pull` gets one", base)
	}
	model, how := installed.Models[0].Name, "the first listed"
	if len(loaded.Models) > 0 && loaded.Models[0].Name != "" {
		model, how = loaded.Models[0].Name, "the loaded one"
	}
	return Found{
		Source: "Ollama", BaseURL: base + "/v1", Model: model, Local: true,
		Report: []string{fmt.Sprintf("Ollama at %s: %s, %s", base, model, how)},
	}
}

// llamaCpp asks for the models, which a llama.cpp server lists as owned by itself. While it loads its model it answers
// 503 to everything and names itself in the header only.
func (s Search) llamaCpp(ctx context.Context, base string) Found {
	var models struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	response, err := s.get(ctx, base+"/v1/models", &models)
	itself := response != nil && response.Header.Get("Server") == "llama.cpp"
	found := Found{Source: "llama.cpp", BaseURL: base + "/v1", Model: anyModelName, Local: true}
	switch {
	case itself && response.StatusCode == http.StatusServiceUnavailable:
		found.Report = []string{fmt.Sprintf("llama.cpp at %s: still loading its model", base)}
	case err != nil:
		return nothing("no llama.cpp at %s: %s", base, err)
	case len(models.Data) == 0 || !itself && models.Data[0].OwnedBy != llamaCppOwner:
		return nothing("no llama.cpp at %s: something else answers there", base)
	default:
		found.Model = cmp.Or(models.Data[0].ID, anyModelName)
		found.Report = []string{fmt.Sprintf("llama.cpp at %s: %s", base, found.Model)}
	}
	return found
}

func nothing(format string, values ...any) Found {
	return Found{Report: []string{fmt.Sprintf(format, values...)}}
}

// get decodes a JSON answer. The response, whose body is closed, is nil only when there was none.
func (s Search) get(ctx context.Context, address string, into any) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := s.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("no answer in time")
		}
		return nil, fmt.Errorf("nobody answers there")
	}
	defer response.Body.Close() //nolint:errcheck // nothing is written
	if response.StatusCode != http.StatusOK {
		return response, fmt.Errorf("something else answers there (status %d)", response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, probeBodyMax)).Decode(into); err != nil {
		return response, fmt.Errorf("something else answers there (no JSON)")
	}
	return response, nil
}
