package main

import (
	"io"
	"log/slog"
	"slices"
	"strings"

	"chatterbox/runtime/config"
)

// This file makes the process's log. The rule is: a secret is never in it. Who logs takes care of that, but some texts come
// from elsewhere, as from a model server that quotes the key which it refuses. So what is known to be secret is masked here, too.

const (
	maskedSecret = "********"
	// secretBytesMin is what a secret has at least. What is shorter stands for "none" and may be any word.
	secretBytesMin = 6
)

// logger makes a log as configured, in which none of secrets is legible.
func logger(to io.Writer, settings config.Log, secrets []string) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(settings.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: mask(secrets)}
	switch settings.Format {
	case "json":
		return slog.New(slog.NewJSONHandler(to, options))
	case formatPlain:
		return slog.New(newConsole(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// quiet is the log of a command that prints something else: warnings and errors in plain words, unless more was asked for.
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

// mask returns what replaces secrets in whatever is logged; nil when there are none.
func mask(secrets []string) func([]string, slog.Attr) slog.Attr {
	var pairs []string
	// At one place the first that fits is replaced, so a secret that begins with another comes before it.
	longestFirst := func(a, b string) int { return len(b) - len(a) }
	for _, secret := range slices.SortedFunc(slices.Values(secrets), longestFirst) {
		if len(secret) >= secretBytesMin {
			pairs = append(pairs, secret, maskedSecret)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	replacer := strings.NewReplacer(pairs...)
	return func(_ []string, attribute slog.Attr) slog.Attr {
		switch attribute.Value.Kind() {
		case slog.KindString, slog.KindAny:
			text := attribute.Value.String()
			if clean := replacer.Replace(text); clean != text {
				attribute.Value = slog.StringValue(clean)
			}
		}
		return attribute
	}
}
