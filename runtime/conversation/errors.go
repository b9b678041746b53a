package conversation

import (
	"log/slog"
	"math"

	"chatterbox/loop"
)

// The kinds that the conversation adds to those of the loop.
const (
	KindStorage  loop.Kind = "storage"  // the turn could not be read or stored
	KindConflict loop.Kind = "conflict" // another writer was first; nothing was stored
)

// failing is how one kind of failure is spoken and logged.
type failing struct {
	sentence string // its name in the catalogue
	level    slog.Level
}

// failings has every kind but those that are spoken and logged like KindInternal. What needs an operator is an error in
// the log, what passes by itself a warning.
var failings = map[loop.Kind]failing{
	loop.KindRateLimit:      {"error_rate_limit", slog.LevelWarn},
	loop.KindQuota:          {"error_model", slog.LevelError},
	loop.KindAuthentication: {"error_model", slog.LevelError},
	loop.KindContextLength:  {"error_model", slog.LevelWarn},
	loop.KindConnection:     {"error_connection", slog.LevelWarn},
	loop.KindAPI:            {"error_model", slog.LevelWarn},
	loop.KindIterationLimit: {"error_stuck", slog.LevelWarn},
	loop.KindRepeatedCall:   {"error_stuck", slog.LevelWarn},
	loop.KindBudget:         {"error_other", slog.LevelWarn},
	loop.KindInternal:       {"error_other", slog.LevelError},
	KindStorage:             {"error_other", slog.LevelError},
	KindConflict:            {"error_other", slog.LevelWarn},
}

// failingOf returns how kind is spoken and logged; a kind that is not in the table is an internal one.
func failingOf(kind loop.Kind) failing {
	if f, ok := failings[kind]; ok {
		return f
	}
	return failings[loop.KindInternal]
}

// replyError returns failure as the reply shows it.
func replyError(failure *loop.Error) *ReplyError {
	out := &ReplyError{Kind: failure.Kind}
	if failure.RetryAfter > 0 {
		out.RetryAfter = int(math.Ceil(failure.RetryAfter.Seconds()))
	}
	return out
}
