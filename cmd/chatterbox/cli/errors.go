package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"chatterbox/runtime/history"
)

// Exit codes, for scripts.
const (
	ExitOK             = 0
	ExitFailed         = 1 // the thing asked for did not hold: a threshold missed, a check that failed
	ExitUsage          = 2 // usage or configuration
	ExitInfrastructure = 3 // a model that cannot be reached, a full disk
	ExitInterrupted    = 130
)

// Error is an error that knows its exit code and, where there is one, what to do next.
type Error struct {
	Code int
	Hint string
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Usage is a mistake in the words of a command, or in the configuration.
func Usage(hint, format string, args ...any) error {
	return &Error{Code: ExitUsage, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Infrastructure is a fault of the machine, or of another one.
func Infrastructure(hint string, err error) error {
	return &Error{Code: ExitInfrastructure, Hint: hint, Err: err}
}

// Failed says that the thing asked for did not hold.
func Failed(format string, args ...any) error {
	return FailedHint("", format, args...)
}

// FailedHint is Failed, and says what to do next.
func FailedHint(hint, format string, args ...any) error {
	return &Error{Code: ExitFailed, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// Listening gives an error of listening at an address its hint.
func Listening(command, address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return Infrastructure("choose another with --listen, for example: chatterbox "+command+" --listen 127.0.0.1:8766",
			fmt.Errorf("%s is taken by another program: %w", address, err))
	case errors.Is(err, syscall.EACCES):
		return Infrastructure("ports below 1024 need root; choose another with --listen", err)
	}
	return Infrastructure("choose another address with --listen", err)
}

// Stored gives an error of the history its hint and its exit code.
func Stored(err error) error {
	if err == nil || errors.As(err, new(*Error)) {
		return err
	}
	switch {
	case errors.As(err, new(*history.Damage)):
		return &Error{ExitFailed, "chatterbox history repair saves what can be read into a new file", err}
	case errors.Is(err, history.ErrNotFound):
		return &Error{ExitFailed, "chatterbox history list shows the ids", err}
	case errors.Is(err, fs.ErrExist):
		return &Error{ExitUsage, "name a file that does not exist yet", err}
	}
	hint := ""
	var storage *history.Error
	if errors.As(err, &storage) {
		hint = storage.Hint
		if storage.Op == "open" && !strings.Contains(hint, "data folder") {
			hint = strings.TrimPrefix(hint+"; or choose another data folder with --data", "; or ")
		}
	}
	return Infrastructure(hint, err)
}
