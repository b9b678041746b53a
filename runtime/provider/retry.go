package provider

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"chatterbox/loop"
)

const (
	attemptsMax  = 3
	firstBackoff = 250 * time.Millisecond
)

// retry says whether asking the same model again may help after a number of attempts, and how long to wait before. The
// wait is never shorter than the server asked for.
func retry(err error, attempts int) (wait time.Duration, again bool) {
	var typed *loop.Error
	if attempts >= attemptsMax || !errors.As(err, &typed) || !passing(typed) {
		return 0, false
	}
	backoff := firstBackoff << (attempts - 1)
	backoff += rand.N(backoff / 2) // so that turns that failed together do not come back together
	return max(backoff, typed.RetryAfter), true
}

// passing reports whether a failure may be gone a moment later.
func passing(e *loop.Error) bool {
	switch e.Kind {
	case loop.KindRateLimit:
		return true
	case loop.KindConnection:
		// A server that used up a time limit has used up the person's patience too, and may still be at work on the
		// first request.
		return !errors.Is(e, os.ErrDeadlineExceeded) && !errors.Is(e, errOpen)
	case loop.KindAPI:
		switch e.Status {
		case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
			return true
		}
	}
	return false
}

// statusOverloaded is used by several hosted models.
const statusOverloaded = 529

// waitFor waits and reports whether the time has passed with ctx still alive. It does not begin a wait that ctx cannot
// outlive.
func waitFor(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
