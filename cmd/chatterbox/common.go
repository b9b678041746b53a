package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/conversation"
)

// commonFlags are the flags that every command knows.
type commonFlags struct {
	env    env
	config string
	data   string
}

// load reads the configuration. Flags are values by the key's name; an empty one was not given.
func (c *commonFlags) load(flags map[string]string) (config.Config, error) {
	loaded, err := c.resolve(flags)
	return loaded.Config, err
}

func (c *commonFlags) resolve(flags map[string]string) (config.Loaded, error) {
	given := map[string]string{}
	for key, value := range flags {
		if value != "" {
			given[key] = value
		}
	}
	if c.data != "" {
		given["data"] = c.data
	}
	loaded, err := config.Resolve(config.Source{
		Path: c.config, Getenv: c.env.Getenv, Environ: c.env.Environ, Flags: given,
	})
	if err != nil {
		return loaded, &codedError{code: exitUsage, hint: "chatterbox config init prints a complete file", err: err}
	}
	for _, warning := range loaded.Warnings {
		fmt.Fprintf(c.env.Stderr, "chatterbox: warning: %s\n", warning)
	}
	return loaded, nil
}

// printJSON prints value as a program reads it: indented, one trailing newline, no HTML escapes.
func printJSON(to io.Writer, value any) error {
	encoder := json.NewEncoder(newJSONText(to))
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// isTerminal says whether stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// decorations change what a turn is made of. Only tests set them, to show that the scenarios can fail.
type decorations struct {
	Model   func(loop.Model) loop.Model
	Tools   func(loop.Tools) loop.Tools // what the loop sees
	Guests  func(loop.Tools) loop.Tools // below the cache
	Store   func(conversation.Store) conversation.Store
	Reply   func(*conversation.Reply)
	Now     func(func() time.Time) func() time.Time
	NoCache bool
}

func decorate[T any](value T, with func(T) T) T {
	if with == nil {
		return value
	}
	return with(value)
}

// closers closes in the reverse order of opening.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c closers) close() error {
	var errs []error
	for i := len(c) - 1; i >= 0; i-- {
		errs = append(errs, c[i]())
	}
	return errors.Join(errs...)
}
