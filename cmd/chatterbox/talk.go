package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"chatterbox/cmd/chatterbox/cli"

	"golang.org/x/term"
)

// This file is the conversation at a terminal. The rules are: the terminal is raw only while a line is read, so that a
// turn's Ctrl-C is a signal; that signal ends the turn, never the program; Ctrl-D on an empty line leaves.

const (
	keyCtrlC = 3
	keyCtrlU = 21 // the line editor's "delete to the start of the line"
)

// talk reads lines from the terminal until Ctrl-D.
func (c *chat) talk(ctx context.Context, greeting string) error {
	// The process's own context ends at the first Ctrl-C; here that key belongs to the turn, and between two to nobody.
	ctx, end := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer end()
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)

	fmt.Fprintf(c.out, "%s\nCtrl-C stops an answer, Ctrl-D leaves.\n", greeting)
	input := c.env.Stdin.(*os.File)
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{clearLine{input}, c.env.Screen}, "> ")
	for {
		line, err := readTerminalLine(ctx, input, editor)
		switch {
		case ctx.Err() != nil:
			fmt.Fprintln(c.out)
			return &cli.Error{Code: cli.ExitInterrupted, Err: errors.New("terminated")}
		case errors.Is(err, io.EOF):
			fmt.Fprintln(c.out)
			return nil
		case err != nil:
			return cli.Infrastructure("", fmt.Errorf("read the terminal: %w", err))
		case strings.TrimSpace(line) != "":
			c.answer(ctx, line)
		}
	}
}

// answer runs one turn that an interrupt ends. Its errors are shown, and the talk goes on.
func (c *chat) answer(ctx context.Context, line string) {
	turn, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if _, err := c.turn(turn, line); err != nil {
		fmt.Fprintln(c.out, err)
	}
}

// clearLine makes Ctrl-C clear the line that is typed, as a shell does; the line editor takes it for the end of input.
type clearLine struct{ from io.Reader }

func (r clearLine) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	for i := range p[:n] {
		if p[i] == keyCtrlC {
			p[i] = keyCtrlU
		}
	}
	return n, err
}

// readTerminalLine reads a line with the editor. When ctx ends it returns at once, with the terminal as it was before.
func readTerminalLine(ctx context.Context, input *os.File, editor *term.Terminal) (string, error) {
	fd := int(input.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, before)
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		if err := editor.SetSize(width, height); err != nil {
			return "", err
		}
	}
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() { // the read of a terminal cannot be interrupted: after the end of ctx it ends with the process
		line, err := editor.ReadLine()
		read <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-read:
		return r.line, r.err
	}
}
