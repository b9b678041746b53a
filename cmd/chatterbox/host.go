package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/provider"
)

// newHost gives the commands the wiring.
func newHost(env env) *cli.Host {
	return &cli.Host{
		Flags: cli.Flags{Env: env.Env},
		Models: func(ctx context.Context, settings config.Config) (*provider.Models, error) {
			return findModels(ctx, env, settings, slog.New(slog.DiscardHandler))
		},
		Tools: func(ctx context.Context, settings config.Config, log io.Writer) (*cli.Tools, error) {
			t, err := openTools(ctx, env, settings, logger(log, quiet(settings.Log), secrets(env, settings)), nil)
			if err != nil {
				return nil, err
			}
			return &cli.Tools{Tools: t.Tools, Box: t.box, Pool: t.pool, Close: t.close}, nil
		},
		Missing: func(settings config.Config, thing cli.Thing, name string) string {
			if thing == cli.Secret {
				return missingSecret(env, settings, name)
			}
			return missingChannel(settings.Deliver)(name)
		},
		UseOwnRoots: useOwnRoots,
	}
}

// decorations change what a turn is made of. Only tests set them, to show that the scenarios can fail.
type decorations struct {
	Model   func(loop.Model) loop.Model
	Tools   func(loop.Tools) loop.Tools // what the loop sees
	Guests  func(loop.Tools) loop.Tools // below the cache
	Store   func(conversation.Store) conversation.Store
	Reply   func(*conversation.Reply)
	Now     func(func() time.Time) func() time.Time
	NoCache bool
}

func decorate[T any](value T, with func(T) T) T {
	if with == nil {
		return value
	}
	return with(value)
}

// closers closes in the reverse order of opening.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c closers) close() error {
	var errs []error
	for i := len(c) - 1; i >= 0; i-- {
		errs = append(errs, c[i]())
	}
	return errors.Join(errs...)
}
