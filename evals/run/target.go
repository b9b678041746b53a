// Package target speaks to what is scored: a model by its chat completions, or a product around a model by its public
// API. Everything that a model is asked passes a line, which counts it, and records or replays it.
package run

import (
	"context"
	"errors"
	"fmt"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// Target is one way to serve models.
type Target interface {
	// Prepare makes what the trials of one scenario share. It may be called by several goroutines at once.
	Prepare(ctx context.Context, plan scenario.Plan, offered []scenario.Tool) (Bench, error)
}

// Bench is where the trials of one scenario run.
type Bench interface {
	// Begin begins a trial. The trials of a bench come one after the other.
	Begin(ctx context.Context, line *Line) (Session, error)
	Close() error
}

// Session is one conversation.
type Session interface {
	// Say has one turn. What goes wrong with the subject is observed; an error is of the infrastructure.
	Say(ctx context.Context, text string) (judge.Observed, error)
	Close() error
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
	var t *InfrastructureError
	if errors.As(err, &t) {
		return t.Kind
	}
	return ""
}
