package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file keeps what others wrote (a model, a tool, a file, a person some days ago) from steering the terminal that it is
// shown on. The rules are: everything a command prints goes through a textWriter; the one way around it is env.Screen, which
// takes constants and the line editor only; JSON keeps every character, as an escape.

// textWriter passes text on without control characters. Line ends and tabs stay; bytes that are no UTF-8 become U+FFFD.
// It may be used by several goroutines at once.
type textWriter struct {
	to      io.Writer
	instead func(control rune) string

	mu      sync.Mutex
	partial []byte // guarded by mu; the beginning of a character whose rest comes with the next Write
}

// newText makes a writer for text that people read: carriage returns vanish, other control characters become U+FFFD.
func newText(to io.Writer) *textWriter {
	return &textWriter{to: to, instead: func(control rune) string {
		if control == '\r' {
			return ""
		}
		return string(utf8.RuneError)
	}}
}

// newJSONText makes a writer for JSON. Only its strings can hold control characters beside line ends, so escaping them
// changes no value.
func newJSONText(to io.Writer) *textWriter {
	return &textWriter{to: to, instead: func(control rune) string {
		if control == '\r' {
			return " "
		}
		return fmt.Sprintf(`\u%04x`, control)
	}}
}

func (w *textWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := append(w.partial, p...)
	out := bytes.NewBuffer(make([]byte, 0, len(rest)))
	for len(rest) > 0 && utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			out.WriteString(w.instead(r))
		} else {
			out.WriteRune(r)
		}
		rest = rest[size:]
	}
	w.partial = bytes.Clone(rest)
	if _, err := w.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
