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
	sentence string
	level    slog.Level
}

// The sentences, fit to be spoken.
const (
	sentenceStuck      = "I'm sorry, I got stuck trying to answer that. Please try again."
	sentenceRateLimit  = "I'm sorry, I'm receiving too many requests right now. Please try again in a moment."
	sentenceConnection = "I'm sorry, I can't reach my language model right now. Please check the connection and try again."
	sentenceAPI        = "I'm sorry, my language model returned an error. Please try again."
	sentenceElse       = "I'm sorry, I encountered an error. Please try again."
)

// failings has every kind but those that are spoken and logged like KindInternal. What needs an operator is an error in
// the log, what passes by itself a warning.
var failings = map[loop.Kind]failing{
	loop.KindRateLimit:      {sentenceRateLimit, slog.LevelWarn},
	loop.KindQuota:          {sentenceAPI, slog.LevelError},
	loop.KindAuthentication: {sentenceAPI, slog.LevelError},
	loop.KindContextLength:  {sentenceAPI, slog.LevelWarn},
	loop.KindConnection:     {sentenceConnection, slog.LevelWarn},
	loop.KindAPI:            {sentenceAPI, slog.LevelWarn},
	loop.KindIterationLimit: {sentenceStuck, slog.LevelWarn},
	loop.KindRepeatedCall:   {sentenceStuck, slog.LevelWarn},
	loop.KindBudget:         {sentenceElse, slog.LevelWarn},
	loop.KindInternal:       {sentenceElse, slog.LevelError},
	KindStorage:             {sentenceElse, slog.LevelError},
	KindConflict:            {sentenceElse, slog.LevelWarn},
}

// failingOf returns how kind is spoken and logged; a kind that is not in the table is an internal one.
func failingOf(kind loop.Kind) failing {
	if f, ok := failings[kind]; ok {
		return f
	}
	return failings[loop.KindInternal]
}

// replyError returns failure as the reply shows it.
func replyError(failure *loop.Failure) *ReplyError {
	out := &ReplyError{Kind: failure.Kind}
	if failure.RetryAfter > 0 {
		out.RetryAfter = int(math.Ceil(failure.RetryAfter.Seconds()))
	}
	return out
}
