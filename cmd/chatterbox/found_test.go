package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chatterbox/runtime/provider"
)

// TestWhatWasFoundIsShown holds that the look for a model at the start is in the log and in /health, whatever it found,
// and that a model which it found answers.
func TestWhatWasFoundIsShown(t *testing.T) {
	t.Run("a key", func(t *testing.T) {
		t.Parallel()
		model := newSlowModel(t)
		s := serveAs(t, map[string]string{"OPENAI_API_KEY": "canary-0123456789", "OPENAI_BASE_URL": model.URL + "/v1"})
		source, report := s.found(t)
		if want := "OPENAI_API_KEY is set: gpt-4o-mini at " + model.URL + "/v1"; source != "OpenAI" || !slices.Equal(report, []string{want}) {
			t.Errorf("found %q, %q", source, report)
		}
		reply := s.say(t.Context(), "application/json")
		wait(t, model.asked, "the model to be asked")
		model.answer <- struct{}{}
		if got := wait(t, reply, "the answer"); !strings.Contains(got.body, `"response_text":"Done."`) {
			t.Errorf("answered %+v", got)
		}
		s.saysAtTheStart(t, "gpt-4o-mini at "+model.URL+"/v1 (OpenAI, found)", report)
	})
	t.Run("no key", func(t *testing.T) {
		t.Parallel()
		s := serveAs(t, nil)
		source, report := s.found(t)
		// Whether anything listens on the usual ports is this machine's affair.
		found, ok := provider.Search{}.Run(t.Context())
		if source != found.Source {
			t.Errorf("found %q, want %q", source, found.Source)
		}
		all := strings.Join(report, "; ")
		for _, want := range []string{"OPENAI_API_KEY is not set; ", "Ollama at " + provider.OllamaURL, "llama.cpp at " + provider.LlamaCppURL} {
			if !strings.Contains(all, want) {
				t.Errorf("the report %q lacks %q", all, want)
			}
		}
		if !ok {
			s.saysAtTheStart(t, "none; time, weather, appointments and reminders work by rule (set llm.base_url for everything else)", report)
		}
	})
}

// found is what /health says that the look came to.
func (s served) found(t *testing.T) (source string, report []string) {
	t.Helper()
	response, err := http.Get(s.url + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var health struct {
		Model struct {
			Configured *bool
			Found      string
			Report     []string
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&health); err != nil {
		t.Fatal(err)
	}
	if configured := health.Model.Configured; configured == nil || *configured {
		t.Error("/health says that a model is configured, or nothing of it")
	}
	return health.Model.Found, health.Model.Report
}

// saysAtTheStart stops the server and looks for the one line about the look in its log.
func (s served) saysAtTheStart(t *testing.T, found string, report []string) {
	t.Helper()
	s.stop()
	wait(t, s.exit, "the server to stop")
	var lines []map[string]any
	for line := range strings.Lines(s.log.String()) {
		var record map[string]any
		if json.Unmarshal([]byte(line), &record) == nil && record["msg"] == "looked for a model" {
			lines = append(lines, record)
		}
	}
	if len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["found"] != found || lines[0]["report"] != strings.Join(report, "; ") {
		t.Errorf("the log has %v, want %q and %q once", lines, found, report)
	}
}
