package main

import (
	"io"
	"log/slog"

	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
)

// logger makes a log as configured, in which none of secrets is legible.
func logger(to io.Writer, settings config.Log, secrets []string) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(settings.Level)); err != nil {
		level = slog.LevelInfo
	}
	redactor := &egress.Redactor{}
	for _, secret := range secrets {
		redactor.Learn(secret)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redactor.Attr}
	switch settings.Format {
	case "json":
		return redactor.Logger(slog.NewJSONHandler(to, options))
	case formatPlain:
		return redactor.Logger(newConsole(to, options))
	}
	return redactor.Logger(slog.NewTextHandler(to, options))
}

// quiet is the log of a command that prints something else: warnings and errors in plain words, unless more was
// asked for.
func quiet(settings config.Log) config.Log {
	if settings.Level == "debug" {
		return settings
	}
	if settings.Level == "info" {
		settings.Level = "warn"
	}
	if settings.Format == "text" {
		settings.Format = formatPlain
	}
	return settings
}

// secrets are what the configuration and the environment hold that nobody may read.
func secrets(env env, settings config.Config) []string {
	return append(settings.Secrets(), env.Getenv("OPENAI_API_KEY"))
}
