package main

import (
	"log/slog"
	"testing"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/provider"
)

// TestTimeLimitsOfModels: a model that was found has the same limits as one that is configured, the configuration's own
// first of all.
func TestTimeLimitsOfModels(t *testing.T) {
	patient := config.Default()
	patient.LLM.FirstToken, patient.Conversation.TurnTimeout = 5*time.Minute, 6*time.Minute
	near := provider.Found{BaseURL: provider.OllamaURL + "/v1", Local: true}.AsModel()
	for name, c := range map[string]struct {
		settings     config.Config
		model        provider.Model
		first, whole time.Duration
	}{
		"a model far away":                  {config.Default(), provider.Model{BaseURL: "https://models.example/v1"}, 20 * time.Second, time.Minute},
		"a model in the house":              {config.Default(), provider.Model{BaseURL: "http://nas.local/v1"}, 120 * time.Second, 160 * time.Second},
		"an own model behind a public name": {config.Default(), provider.Model{BaseURL: "https://models.example/v1", Local: true}, 120 * time.Second, 160 * time.Second},
		"a model that was found":            {config.Default(), near, 120 * time.Second, 160 * time.Second},
		"as configured":                     {patient, near, 5 * time.Minute, 6 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			got := timed(c.settings, c.model)
			if got.FirstToken != c.first || got.Whole != c.whole || got.BetweenTokens != 15*time.Second {
				t.Errorf("first token %s, between %s, whole %s; want %s and %s", got.FirstToken, got.BetweenTokens, got.Whole, c.first, c.whole)
			}
		})
	}
}

func TestAModeChoosesAmongTheModels(t *testing.T) {
	const near, far = "http://127.0.0.1:11434/v1", "https://models.example/v1"
	one := func(name, url string, local bool) config.Model {
		return config.Model{Name: name, BaseURL: url, Model: name, Local: local}
	}
	tests := map[string]struct {
		models []config.Model
		choice string
		first  string
	}{
		"the local one":                        {[]config.Model{one("big", far, false), one("small", near, false)}, "local", "small"},
		"the cloud's":                          {[]config.Model{one("small", near, false), one("big", far, false)}, "cloud", "big"},
		"what is called local is":              {[]config.Model{one("a", near, false), one("b", near, true)}, "local", "b"},
		"and what is not called so is not":     {[]config.Model{one("b", near, true), one("a", near, false)}, "cloud", "a"},
		"by name":                              {[]config.Model{one("a", near, false), one("b", far, false)}, "B", "b"},
		"the only one, whatever it is":         {[]config.Model{one("big", far, false)}, "local", "big"},
		"the order where nothing is chosen":    {[]config.Model{one("big", far, false), one("small", near, true)}, "", "big"},
		"the order where nothing has the name": {[]config.Model{one("big", far, false), one("small", near, true)}, "huge", "big"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			settings := config.Default()
			settings.Models = tt.models
			m, err := findModels(t.Context(), env{Env: cli.Env{Getenv: func(string) string { return "" }}}, settings, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			chosen := m.Choose(tt.choice).(*provider.Provider)
			if status := chosen.Status(); status[0].Name != tt.first || len(status) != len(tt.models) {
				t.Errorf("the models are asked in the order %+v, want %s first", status, tt.first)
			}
			if m.Choose(tt.choice) != loop.Model(chosen) {
				t.Error("it is another one every time")
			}
		})
	}
}
