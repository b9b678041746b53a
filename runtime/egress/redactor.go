package egress

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// This file keeps secrets out of the process's log. Who logs takes care of that, but some texts come from
// elsewhere, as from a model server that quotes the key which it refuses. So what is known to be secret is masked
// here, too.

const (
	// Redacted stands for a secret.
	Redacted = "********"
	// secretBytesMin is what a secret has at least. What is shorter stands for "none" and may be any word.
	secretBytesMin = 6
)

// redacting is a handler that knows what it may not write.
type redacting struct {
	slog.Handler
	redactor *Redactor
}

func (h redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return redacting{h.Handler.WithAttrs(attrs), h.redactor}
}

func (h redacting) WithGroup(name string) slog.Handler {
	return redacting{h.Handler.WithGroup(name), h.redactor}
}

// Logger is a log by the handler, whose attributes go through [Redactor.Attr]. It redacts what it learns later,
// too, see [Learning].
func (r *Redactor) Logger(handler slog.Handler) *slog.Logger { return slog.New(redacting{handler, r}) }

// Learning gives secret in a form that has log redact each value that it gives.
func Learning(log *slog.Logger, secret func(ref string) (string, error)) func(ref string) (string, error) {
	handler, ok := log.Handler().(redacting)
	if !ok {
		return secret
	}
	return func(ref string) (string, error) {
		value, err := secret(ref)
		handler.redactor.Learn(value)
		return value, err
	}
}

// Redactor replaces secrets, as they are and encoded, in whatever is logged. Its methods may be called by several
// goroutines at once.
type Redactor struct {
	mu    sync.Mutex
	known map[string]bool // guarded by mu

	replacer atomic.Pointer[strings.Replacer] // nil: there are none
}

// Learn adds a secret, and what of it stands behind a blank, as in "Bearer TOKEN".
func (r *Redactor) Learn(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[secret] || len(secret) < secretBytesMin {
		return
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[secret] = true
	var forms []string
	for secret := range r.known {
		forms = append(forms, Forms(secret)...)
		if _, token, ok := strings.Cut(secret, " "); ok {
			forms = append(forms, Forms(token)...)
		}
	}
	// At one place the first that fits is replaced, so a secret that begins with another comes before it.
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, form := range forms {
		if len(form) >= secretBytesMin {
			pairs = append(pairs, form, Redacted)
		}
	}
	r.replacer.Store(strings.NewReplacer(pairs...))
}

// Attr is the attribute without secrets, as [slog.HandlerOptions] ask for it.
func (r *Redactor) Attr(_ []string, attribute slog.Attr) slog.Attr {
	replacer := r.replacer.Load()
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
