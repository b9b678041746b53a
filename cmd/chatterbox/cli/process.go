// Package cli is what the commands share: the process as they see it, their errors with exit codes, and their printing.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"chatterbox/runtime/config"
)

// Env is the process as its commands see it. Nothing else reads os.Args, the environment or the standard streams.
type Env struct {
	Args    []string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Screen  *os.File // standard output where that is a terminal, else nil; see text.go for what may go there
	Environ []string
	Getenv  func(string) string
}

// Width is how many columns the screen has, 0 where that is not known.
func (e Env) Width() int {
	if e.Screen == nil {
		return 0
	}
	width, _, err := term.GetSize(int(e.Screen.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// IsTerminal says whether stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Flags are those that every command knows.
type Flags struct {
	Env    Env
	Config string
	Data   string
}

// Resolve reads the configuration and says where each value came from. Flags are values by the key's name; an empty one
// was not given.
func (f *Flags) Resolve(flags map[string]string) (config.Loaded, error) {
	given := map[string]string{}
	for key, value := range flags {
		if value != "" {
			given[key] = value
		}
	}
	if f.Data != "" {
		given["data"] = f.Data
	}
	loaded, err := config.Resolve(config.Source{
		Path: f.Config, Getenv: f.Env.Getenv, Environ: f.Env.Environ, Flags: given,
	})
	if err != nil {
		return loaded, &Error{Code: ExitUsage, Hint: "chatterbox config init prints a complete file", Err: err}
	}
	for _, warning := range loaded.Warnings {
		fmt.Fprintf(f.Env.Stderr, "chatterbox: warning: %s\n", warning)
	}
	return loaded, nil
}

// Load reads the configuration, as Resolve does.
func (f *Flags) Load(flags map[string]string) (config.Config, error) {
	loaded, err := f.Resolve(flags)
	return loaded.Config, err
}

// Configured is a command's work that begins with reading the configuration.
func (f *Flags) Configured(
	work func(ctx context.Context, settings config.Config, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		settings, err := f.Load(nil)
		if err != nil {
			return err
		}
		return work(cmd.Context(), settings, args)
	}
}
