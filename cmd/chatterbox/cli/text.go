package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file keeps what others wrote (a model, a tool, a file, a person some days ago) from steering the terminal that
// it is shown on. The rules are: everything a command prints goes through a Text; the one way around it is Env.Screen,
// which takes constants and the line editor only; JSON keeps every character, as an escape. The name of a file stands
// on one line: it goes through InLine, so that it cannot pass for a line of ours.

// Text passes text on without control characters, those that turn the direction of writing among them. Line ends and
// tabs stay; bytes that are no UTF-8 become U+FFFD.
// It may be used by several goroutines at once.
type Text struct {
	to      io.Writer
	instead func(control rune) string

	mu      sync.Mutex
	partial []byte // guarded by mu; the beginning of a character whose rest comes with the next Write
	failure error  // guarded by mu; of the first Write that did not reach its end
}

// Lost is why something that was printed did not get through, nil when everything did.
func (w *Text) Lost() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

// NewText makes a writer for text that people read: carriage returns vanish, other control characters become U+FFFD.
func NewText(to io.Writer) *Text {
	return &Text{to: to, instead: func(control rune) string {
		if control == '\r' {
			return ""
		}
		return string(utf8.RuneError)
	}}
}

// NewJSONText makes a writer for JSON. Only its strings can hold control characters beside line ends, so escaping them
// changes no value.
func NewJSONText(to io.Writer) *Text {
	return &Text{to: to, instead: func(control rune) string {
		if control == '\r' {
			return " "
		}
		return fmt.Sprintf(`\u%04x`, control)
	}}
}

// The colours of a terminal.
const (
	Bold, Dim, Red, Green, Yellow = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"
	Plain                         = "\x1b[0m"
)

// Colours is where colours go: to the screen, and nowhere where there is none, where it has none (TERM=dumb), or where
// somebody wants none (NO_COLOR).
func (e Env) Colours() io.Writer {
	if e.Screen == nil || e.Getenv("NO_COLOR") != "" || e.Getenv("TERM") == "dumb" {
		return io.Discard
	}
	return e.Screen
}

// steers says whether a terminal acts on the character instead of showing it. The marks of right-to-left writing stay:
// they turn nothing that stands around them.
func steers(r rune) bool {
	switch r {
	case '\n', '\t', '\u200e', '\u200f', '\u061c':
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// InLine is text with an escape for what would end its line, or steer the terminal.
func InLine(text string) string {
	if !strings.ContainsFunc(text, breaks) && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if breaks(r) || r == utf8.RuneError && size == 1 {
			quoted := strconv.QuoteToASCII(text[:size])
			out.WriteString(quoted[1 : len(quoted)-1])
		} else {
			out.WriteString(text[:size])
		}
		text = text[size:]
	}
	return out.String()
}

// breaks says whether a terminal does not stay on its line, and in its direction, for r.
func breaks(r rune) bool {
	return r == '\n' || r == '\t' || unicode.In(r, unicode.Zl, unicode.Zp) || steers(r)
}

// ErrorText is what an error says, with the names of files in it on one line.
func ErrorText(err error) string {
	text := err.Error()
	for _, name := range filesOf(err) {
		if name != "" {
			text = strings.ReplaceAll(text, name, InLine(name))
		}
	}
	return text
}

// filesOf are the names of files in an error of the operating system.
func filesOf(err error) []string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return []string{path.Path}
	case errors.As(err, &link):
		return []string{link.Old, link.New}
	}
	return nil
}

func (w *Text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := append(w.partial, p...)
	out := bytes.NewBuffer(make([]byte, 0, len(rest)))
	for len(rest) > 0 && utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		if steers(r) {
			out.WriteString(w.instead(r))
		} else {
			out.WriteRune(r)
		}
		rest = rest[size:]
	}
	w.partial = bytes.Clone(rest)
	if _, err := w.to.Write(out.Bytes()); err != nil {
		w.failure = cmp.Or(w.failure, err)
		return 0, err
	}
	return len(p), nil
}
