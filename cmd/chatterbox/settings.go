package main

import (
	"encoding/base64"
	"os"
	"strings"

	"chatterbox/runtime/config"
)

// The names under which tools reach parts of this process.
const (
	agendaHost    = "agenda.internal"
	customersHost = "customers.internal"
)

// toolSettings gives what the configuration has for built-in tools, by key, and what to set where it has nothing.
func toolSettings(settings config.Config) func(key string) (values []string, called string) {
	if d := &settings.Deliver; d.Notification.URL == "" && d.MQTT.URL == "" { // then whoever talks next hears them
		d.Notification.URL, d.Notification.Recipients = "conversations", []string{everyoneHere}
	}
	if home := &settings.Tools.Home; home.URL != "" {
		home.URL = strings.TrimSuffix(home.URL, "/") + "/api/"
	}
	set := settings.Settings()
	return func(key string) ([]string, string) {
		if key != config.CustomersFile { // which counts as a setting of the tool that looks into it
			return set[key], key
		}
		file := settings.InData(config.CustomersFile)
		if _, err := os.Stat(file); err != nil {
			return nil, "a table with the columns name, phone, email and address in " + file + ", and another start"
		}
		return []string{file}, file
	}
}

// configuredSecrets gives the header that carries a secret of the configuration, by its key, and other secrets from
// own.
func configuredSecrets(settings config.Config, own func(ref string) (string, error)) func(ref string) (string, error) {
	set := settings.Settings()
	return func(ref string) (string, error) {
		secret, dot := set[ref], strings.LastIndexByte(ref, '.')
		if dot < 0 || len(secret) == 0 { // no tool can ask for a name with a dot, but its manifest's settings can
			return own(ref)
		}
		if user := set[ref[:dot]+".user"]; len(user) > 0 {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(user[0]+":"+secret[0])), nil
		}
		return "Bearer " + secret[0], nil
	}
}
