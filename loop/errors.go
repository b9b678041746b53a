package loop

import (
	"errors"
	"fmt"
	"time"
)

// Kind is why a turn could not be finished, as programs read it in extra.error.kind.
type Kind string

// The kinds that end a turn inside the loop. The conversation adds those of storage.
const (
	KindRateLimit      Kind = "rate_limit"
	KindQuota          Kind = "quota"
	KindAuthentication Kind = "authentication"
	KindContextLength  Kind = "context_length"
	KindConnection     Kind = "connection"
	KindAPI            Kind = "api"
	KindIterationLimit Kind = "iteration_limit"
	KindRepeatedCall   Kind = "repeated_call"
	KindBudget         Kind = "budget"
	KindInternal       Kind = "internal"
)

// Error is a turn or a model call that failed.
type Error struct {
	Kind       Kind          `json:"kind"`
	Message    string        `json:"message,omitempty"`     // for logs and programs, never spoken
	Status     int           `json:"status,omitempty"`      // HTTP status of the model server, 0 when there was none
	RetryAfter time.Duration `json:"retry_after,omitempty"` // 0 when the server told none
	Err        error         `json:"-"`                     // may be nil; an event tells it in its Message
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Kind, e.Message)
	}
	return fmt.Sprintf("%s: %s: %v", e.Kind, e.Message, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// AsError returns err as an *Error; one that is none becomes KindInternal.
func AsError(err error) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	return &Error{Kind: KindInternal, Message: "unexpected failure", Err: err}
}
