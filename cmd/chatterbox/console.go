package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// formatPlain is the log format of commands that a person watches. It is no value of log.format.
const formatPlain = "plain"

// console is a log in the form in which commands say what went wrong: level, message, and the error with its hint where
// there is one, else the attributes. It may be used by several goroutines at once.
type console struct {
	level slog.Level
	mask  func(groups []string, attribute slog.Attr) slog.Attr // nil: nothing is masked
	attrs []slog.Attr

	mu *sync.Mutex
	to io.Writer // guarded by mu
}

func newConsole(to io.Writer, options *slog.HandlerOptions) *console {
	return &console{level: options.Level.Level(), mask: options.ReplaceAttr, mu: &sync.Mutex{}, to: to}
}

func (c *console) Enabled(_ context.Context, level slog.Level) bool { return level >= c.level }

func (c *console) Handle(_ context.Context, record slog.Record) error {
	attributes, failure, hint := &strings.Builder{}, "", ""
	add := func(attribute slog.Attr) bool {
		attribute = c.masked(attribute)
		switch attribute.Key {
		case "error":
			failure = attribute.Value.String()
		case "hint":
			hint = attribute.Value.String()
		default:
			fmt.Fprintf(attributes, " %s=%s", attribute.Key, attribute.Value)
		}
		return true
	}
	for _, attribute := range c.attrs {
		add(attribute)
	}
	record.Attrs(add)
	level := "error"
	if record.Level < slog.LevelError {
		level = "warning"
	}
	text := fmt.Sprintf("chatterbox: %s: %s", level, c.masked(slog.String(slog.MessageKey, record.Message)).Value)
	if failure != "" {
		text += ": " + failure
	} else {
		text += attributes.String()
	}
	if hint != "" {
		text += "\n  " + hint
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := io.WriteString(c.to, text+"\n")
	return err
}

func (c *console) masked(attribute slog.Attr) slog.Attr {
	attribute.Value = attribute.Value.Resolve()
	if c.mask == nil {
		return attribute
	}
	return c.mask(nil, attribute)
}

func (c *console) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *c
	with.attrs = append(c.attrs[:len(c.attrs):len(c.attrs)], attrs...)
	return &with
}

// WithGroup leaves the group's name out: a line has no room for it.
func (c *console) WithGroup(string) slog.Handler { return c }
