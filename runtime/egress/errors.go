package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// Kind is why a request gave no response.
type Kind string

// The kinds.
const (
	Invalid  Kind = "invalid"   // the request itself cannot be sent: URL, method, header or body
	Refused  Kind = "refused"   // no rule allows it, or what it was redirected to, or its address is forbidden
	DNS      Kind = "dns"       // the host's name gave no address
	Connect  Kind = "connect"   // no connection, or no TLS session
	Timeout  Kind = "timeout"   // not done within its time, or given up by the caller
	TooLarge Kind = "too_large" // the response is larger than allowed; none of it is given
	Redirect Kind = "redirect"  // one too many
	Protocol Kind = "protocol"  // what came is not HTTP, or it broke off
)

// Error is a request without a response. Message is fit for the tool and the log: it names hosts and rules, never a
// query, a header or a body.
type Error struct {
	Kind    Kind
	Message string
	Err     error // may be nil
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, so that errors.Is finds context.Canceled and the like.
func (e *Error) Unwrap() error { return e.Err }

func refuse(format string, arguments ...any) *Error {
	return &Error{Kind: Refused, Message: fmt.Sprintf(format, arguments...)}
}

func invalid(format string, arguments ...any) *Error {
	return &Error{Kind: Invalid, Message: fmt.Sprintf(format, arguments...)}
}

// asError says what err, met while talking to host, was. An [Error] from the dialler is kept.
func asError(ctx context.Context, host string, err error) *Error {
	var typed *Error
	if errors.As(err, &typed) && typed.Kind != Connect && typed.Kind != DNS {
		return typed // those two can be a symptom of the time running out
	}
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Timeout, host + " did not answer in time", err}
	case ctx.Err() != nil:
		return &Error{Timeout, "the request to " + host + " was given up", ctx.Err()}
	case typed != nil:
		return typed
	case isTLS(err):
		return &Error{Connect, host + " has no certificate that this machine trusts for that name", err}
	default:
		return &Error{Protocol, host + " broke the connection or did not speak HTTP", err}
	}
}
