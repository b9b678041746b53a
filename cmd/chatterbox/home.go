package main

import (
	"encoding/base64"
	"maps"
	"net/url"
	"strings"

	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// homeTools are the built-in tools over Home Assistant; the last two know the configured place of the house, too.
var homeTools = []string{"lights", "media", "scenes", "show_camera_feed", "get_current_detections", "zones", "where_am_i", "get_location"}

// homePlaceTools need no Home Assistant when the configuration says where the house is.
var homePlaceTools = map[string]bool{"where_am_i": true, "get_location": true}

// homeEnv is what the tools over Home Assistant are told: where its API is, and where the house.
func homeEnv(settings config.Home) map[string]string {
	values := map[string]string{}
	if settings.URL != "" {
		values["HOME_ASSISTANT_URL"] = strings.TrimSuffix(settings.URL, "/") + "/api/"
	}
	if settings.Location != "" {
		values["HOME_LOCATION"] = settings.Location
	}
	return values
}

// homeBlocked says which of the tools wait for the configuration, and for what.
func homeBlocked(settings config.Home) map[string]string {
	blocked := map[string]string{}
	for _, tool := range homeTools {
		switch {
		case settings.URL != "":
		case !homePlaceTools[tool]:
			blocked[tool] = "waits for Home Assistant: set tools.home.url and tools.home.token"
		case settings.Location == "":
			blocked[tool] = "waits for the place of the house: set tools.home.location, or tools.home.url and tools.home.token"
		}
	}
	return blocked
}

const homeTokenRef = "home_token"

// homeSecrets lets the configured token go along to the configured server.
func homeSecrets(settings config.Home) map[string][]toolbox.Secret {
	u, err := url.Parse(settings.URL)
	if settings.Token == "" || err != nil || u.Hostname() == "" {
		return nil
	}
	all := map[string][]toolbox.Secret{}
	for _, tool := range homeTools {
		all[tool] = []toolbox.Secret{{Ref: homeTokenRef, Header: "Authorization", OnlyTo: u.Hostname()}}
	}
	return all
}

// builtinSecrets are the logins that go along with requests of built-in tools, by tool.
func builtinSecrets(settings config.Tools) map[string][]toolbox.Secret {
	all := map[string][]toolbox.Secret{}
	maps.Copy(all, calendarSecrets(settings.Calendar))
	maps.Copy(all, customersSecrets(settings.Customers))
	maps.Copy(all, homeSecrets(settings.Home))
	return all
}

// configuredSecrets are those that the configuration has for built-in tools, before the tools' own.
func configuredSecrets(settings config.Tools, own func(ref string) (string, error)) func(ref string) (string, error) {
	configured := map[string]string{}
	if calendar := settings.Calendar; calendar.User != "" {
		configured[calendarLoginRef] = basicLogin(calendar.User, calendar.Password)
	}
	if customers := settings.Customers; customers.User != "" {
		configured[customersLoginRef] = basicLogin(customers.User, customers.Password)
	}
	if token := settings.Home.Token; token != "" {
		configured[homeTokenRef] = "Bearer " + token
	}
	return func(ref string) (string, error) {
		if value, ok := configured[ref]; ok {
			return value, nil
		}
		return own(ref)
	}
}

// basicLogin is the value of an Authorization header.
func basicLogin(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}
