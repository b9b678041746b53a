package main

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
)

// This file makes the process's log. The rule is: a secret is never in it. Who logs takes care of that, but some texts come
// from elsewhere, as from a model server that quotes the key which it refuses. So what is known to be secret is masked here, too.

const (
	maskedSecret = "********"
	// secretBytesMin is what a secret has at least. What is shorter stands for "none" and may be any word.
	secretBytesMin = 6
)

// logger makes a log as configured, in which none of secrets is legible, nor what it is taught later, see [teach].
func logger(to io.Writer, settings config.Log, secrets []string) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(settings.Level)); err != nil {
		level = slog.LevelInfo
	}
	known := &secretive{}
	for _, secret := range secrets {
		known.learn(secret)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: known.mask}
	switch settings.Format {
	case "json":
		return slog.New(masking{slog.NewJSONHandler(to, options), known})
	case formatPlain:
		return slog.New(masking{newConsole(to, options), known})
	}
	return slog.New(masking{slog.NewTextHandler(to, options), known})
}

// masking is a handler that knows what it may not write.
type masking struct {
	slog.Handler
	known *secretive
}

func (m masking) WithAttrs(attrs []slog.Attr) slog.Handler {
	return masking{m.Handler.WithAttrs(attrs), m.known}
}

func (m masking) WithGroup(name string) slog.Handler {
	return masking{m.Handler.WithGroup(name), m.known}
}

// teach gives secret in a form that has log mask each value that it gives.
func teach(log *slog.Logger, secret func(ref string) (string, error)) func(ref string) (string, error) {
	handler, ok := log.Handler().(masking)
	if !ok {
		return secret
	}
	return func(ref string) (string, error) {
		value, err := secret(ref)
		handler.known.learn(value)
		return value, err
	}
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

// secretive replaces secrets, as they are and encoded, in whatever is logged. Its methods may be called by several
// goroutines at once.
type secretive struct {
	mu    sync.Mutex
	known map[string]bool // guarded by mu

	replacer atomic.Pointer[strings.Replacer] // nil: there are none
}

// learn adds a secret, and what of it stands behind a blank, as in "Bearer TOKEN".
func (s *secretive) learn(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[secret] || len(secret) < secretBytesMin {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[secret] = true
	var forms []string
	for secret := range s.known {
		forms = append(forms, egress.Forms(secret)...)
		if _, token, ok := strings.Cut(secret, " "); ok {
			forms = append(forms, egress.Forms(token)...)
		}
	}
	// At one place the first that fits is replaced, so a secret that begins with another comes before it.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		if len(form) >= secretBytesMin {
			pairs = append(pairs, form, maskedSecret)
		}
	}
	s.replacer.Store(strings.NewReplacer(pairs...))
}

func (s *secretive) mask(_ []string, attribute slog.Attr) slog.Attr {
	replacer := s.replacer.Load()
	if replacer == nil {
		return attribute
	}
	switch attribute.Value.Kind() {
	case slog.KindString, slog.KindAny:
		text := attribute.Value.String()
		if clean := replacer.Replace(text); clean != text {
			attribute.Value = slog.StringValue(clean)
		}
	}
	return attribute
}
