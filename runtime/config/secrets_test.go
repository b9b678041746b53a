package config_test

import (
	"slices"
	"testing"

	"chatterbox/runtime/config"
)

func TestSecretsAreAllThatMustNotBeShown(t *testing.T) {
	settings := config.Default()
	if got := settings.Secrets(); len(got) != 0 {
		t.Errorf("nothing is set, but there are %q", got)
	}
	settings.Auth.Token = "the token"
	settings.LLM.APIKey = "the key"
	settings.LLM.BaseURL = "http://ann:pass%20word@host/v1"
	settings.Models = []config.Model{
		{APIKey: "another key", BaseURL: "http://host/v1"}, {APIKey: "the key", BaseURL: "http://ann:third@host/v1"},
	}
	want := []string{"another key", "pass word", "the key", "the token", "third"}
	if got := settings.Secrets(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
