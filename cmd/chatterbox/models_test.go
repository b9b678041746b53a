package main

import (
	"testing"
	"time"

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
			m := models{settings: c.settings}
			got := m.timed(c.model)
			if got.FirstToken != c.first || got.Whole != c.whole || got.BetweenTokens != 15*time.Second {
				t.Errorf("first token %s, between %s, whole %s; want %s and %s", got.FirstToken, got.BetweenTokens, got.Whole, c.first, c.whole)
			}
		})
	}
}
