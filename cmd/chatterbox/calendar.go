package main

import (
	"log/slog"
	"path/filepath"
	"time"

	"chatterbox/runtime/agenda"
	"chatterbox/runtime/config"
)

// agendaHost is the name under which tools reach the built-in calendar.
const agendaHost = "agenda.internal"

func openAgenda(settings config.Config, zone *time.Location, log *slog.Logger) (*agenda.Agenda, error) {
	opened, err := agenda.Open(agenda.Options{Dir: filepath.Join(settings.Data, "agenda"), Zone: zone, Log: log})
	if err != nil {
		return nil, infrastructureError("look at the data folder, "+settings.Data, err)
	}
	return opened, nil
}
