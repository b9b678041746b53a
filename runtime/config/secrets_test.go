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

func TestSettingsAreWhatIsSet(t *testing.T) {
	settings := config.Default()
	settings.Tools.Home.URL = "http://home.example"
	settings.Deliver.Mail.Recipients = []string{"ann@example.org", "bob@example.org"}
	all := settings.Settings()
	for key, want := range map[string][]string{
		"tools.home.url": {"http://home.example"}, "deliver.mail.recipients": settings.Deliver.Mail.Recipients,
		"llm.max_wait": {"3s"}, "tools.home.token": nil, "deliver.mqtt.recipients": nil, "models": nil, "no.such.key": nil,
	} {
		if !slices.Equal(all[key], want) {
			t.Errorf("%s is %q, want %q", key, all[key], want)
		}
	}
}
