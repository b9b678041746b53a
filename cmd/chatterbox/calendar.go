package main

import (
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// agendaHost is the name under which tools reach the built-in calendar.
const agendaHost = "agenda.internal"

// calendarTools are the built-in tools over the configured calendar.
var calendarTools = []string{"check_availability", "book_appointment", "cancel_appointment", "reschedule_appointment", "get_calendar"}

func openAgenda(settings config.Config, zone *time.Location, log *slog.Logger) (*agenda.Agenda, error) {
	opened, err := agenda.Open(agenda.Options{Dir: filepath.Join(settings.Data, "agenda"), Zone: zone, Log: log})
	if err != nil {
		return nil, infrastructureError("look at the data folder, "+settings.Data, err)
	}
	return opened, nil
}

func calendarEnv(settings config.Calendar) map[string]string {
	values := map[string]string{}
	if settings.URL != "" {
		values["CALENDAR_URL"] = settings.URL
	}
	if settings.PeopleURL != "" {
		values["CALENDAR_PEOPLE_URL"] = settings.PeopleURL
	}
	return values
}

const calendarLoginRef = "calendar_login"

// calendarSecrets lets the configured login go along to the configured servers.
func calendarSecrets(settings config.Calendar) map[string][]toolbox.Secret {
	if settings.User == "" {
		return nil
	}
	var added []toolbox.Secret
	hosts := map[string]bool{}
	for _, address := range []string{settings.URL, settings.PeopleURL} {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || hosts[u.Hostname()] {
			continue
		}
		hosts[u.Hostname()] = true
		added = append(added, toolbox.Secret{Ref: calendarLoginRef, Header: "Authorization", OnlyTo: u.Hostname()})
	}
	all := map[string][]toolbox.Secret{}
	for _, tool := range calendarTools {
		all[tool] = added
	}
	return all
}
