package cli

import (
	"context"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// Host is the product as its commands see it. The functions are the wiring's.
type Host struct {
	Flags
	// Tools opens all tools; what is wrong with one of them goes to the log. Whoever opens closes.
	Tools func(context.Context, config.Config) (*Tools, error)
	// MissingSecret and MissingChannel are what to say of a thing that is not there yet, as a sentence with a blank before
	// it, or nothing.
	MissingSecret, MissingChannel func(settings config.Config, name string) string
	// UseOwnRoots has this process trust the certificates inside the program where the system has none.
	UseOwnRoots func()
}

// Tools are the tools as a turn calls them, and what they are made of.
type Tools struct {
	loop.Tools
	Box   *toolbox.Toolbox
	Pool  *worker.Pool
	Close func() error
}
