// Package run scores models on scenarios, many times, into a log that can be continued. It speaks to a model by its
// chat completions, or to a product around a model by its public API. Everything that a model is asked passes a
// [Connection], which counts it, and records or replays it.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// Strategy is a way to serve models.
type Strategy interface {
	// Prepare makes what the trials of one scenario share. It may be called by several goroutines at once.
	Prepare(ctx context.Context, plan scenario.Plan, offered []scenario.Tool) (Setup, error)
}

// Setup is what the trials of one scenario share. They come one after the other.
type Setup struct {
	// Begin begins the conversation of a trial.
	Begin func(ctx context.Context, model *Connection) (Say, error)
	// Close ends what was made; nil where there is nothing to end.
	Close func() error
}

func (s Setup) close() error {
	if s.Close == nil {
		return nil
	}
	return s.Close()
}

// Say has one turn of a conversation. What goes wrong with the subject is observed; an error is of the
// infrastructure.
type Say func(ctx context.Context, text string) (judge.Observed, error)

// after says what lies before the turns that are judged.
func (say Say) after(ctx context.Context, before []scenario.Exchange) (Say, error) {
	for _, e := range before {
		if _, err := say(ctx, e.User); err != nil {
			return nil, err
		}
	}
	return say, nil
}

// InfrastructureError is a failure of the infrastructure: it says nothing about how good a model is.
type InfrastructureError struct {
	Kind string // connection, rate_limit, authentication, not_found, tools, server, context_length, replay
	Err  error
}

func (t *InfrastructureError) Error() string { return fmt.Sprintf("%s: %v", t.Kind, t.Err) }

func (t *InfrastructureError) Unwrap() error { return t.Err }

func infrastructure(kind, format string, args ...any) error {
	return &InfrastructureError{kind, fmt.Errorf(format, args...)}
}

// KindOf is the kind of infrastructure error that an error is, empty when it is none.
func KindOf(err error) string {
	if t, ok := errors.AsType[*InfrastructureError](err); ok {
		return t.Kind
	}
	return ""
}

// connectionError is the infrastructure's, unless the context has ended.
func connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &InfrastructureError{"connection", err}
}

// toolNames are the names of tools; never nil, since it is written as JSON.
func toolNames(tools []scenario.Tool) []string {
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

// marshal is for values that always marshal: texts, and what came as JSON.
func marshal(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return raw
}
