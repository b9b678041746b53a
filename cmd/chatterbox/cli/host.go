package cli

import (
	"context"
	"io"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/provider"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// Host is the product as its commands see it. The functions are the wiring's.
type Host struct {
	Flags
	// Tools opens all tools; what is wrong with one of them goes to the log. Whoever opens closes.
	Tools func(ctx context.Context, settings config.Config, log io.Writer) (*Tools, error)
	// Models are the configured ones, or one that is found.
	Models func(ctx context.Context, settings config.Config) (*provider.Models, error)
	// Missing is what to say of a secret or a channel that is not there yet, as a sentence with a blank before it, or
	// nothing.
	Missing func(settings config.Config, thing Thing, name string) string
	// UseOwnRoots has this process trust the certificates inside the program where the system has none.
	UseOwnRoots func()
}

// Thing is something that a tool's rights name.
type Thing int

// The things.
const (
	Secret Thing = iota
	Channel
)

// Tools are the tools as a turn calls them, and what they are made of.
type Tools struct {
	loop.Tools
	Box   *toolbox.Toolbox
	Pool  *worker.Pool
	Close func() error
}

// Names are those of the tools that may run, and of those that wait for a setting or a grant.
func Names(box *toolbox.Toolbox) (ready, waiting []string) {
	for _, info := range box.Tools() {
		if info.Granted {
			ready = append(ready, info.Name)
		} else {
			waiting = append(waiting, info.Name)
		}
	}
	return ready, waiting
}
