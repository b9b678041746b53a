package config

import (
	"fmt"
	"slices"
	"strings"

	"chatterbox/runtime/internal/texts"
)

// Error is every mistake that was found, in the order of the file and then of the table of keys.
type Error struct {
	Mistakes []Mistake
}

func (e *Error) Error() string {
	texts := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		texts[i] = m.String()
	}
	return strings.Join(texts, "\n")
}

// Mistake is one thing to correct. It never quotes a secret.
type Mistake struct {
	Key     string `json:"key,omitempty"`    // dotted; empty where the text is not YAML at all
	Source  string `json:"source,omitempty"` // file, variable, credential or flag; empty for a value of unknown origin
	Line    int    `json:"line,omitempty"`   // from 1; 0 when Source is no YAML text
	Column  int    `json:"column,omitempty"` // from 1
	Message string `json:"message"`
	Excerpt string `json:"-"` // the line with a mark below it, ready to print
}

func (m Mistake) String() string {
	var b strings.Builder
	if m.Source != "" {
		b.WriteString(m.Source)
		if m.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", m.Line, m.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(m.Message)
	if m.Excerpt != "" {
		b.WriteString("\n" + m.Excerpt)
	}
	return b.String()
}

// asError is nil when there are no mistakes.
func asError(mistakes []Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	return &Error{Mistakes: mistakes}
}

// excerptMax is the longest line that is shown, in bytes.
const excerptMax = 120

// excerpt shows a line of text with a mark below the column. What follows the colon is left out where it could be a
// secret: on lines that name one, and where the caller cannot know what the line is.
func excerpt(text string, line, column int, hideValue bool) string {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	shown := strings.TrimRight(lines[line-1], "\r")
	colon := strings.IndexByte(shown, ':')
	if colon >= 0 && (hideValue || namesSecret(shown)) {
		shown = shown[:colon+1] + " …"
	}
	if strings.TrimSpace(shown) == "" || len(shown) > excerptMax {
		return ""
	}
	runes := []rune(shown)
	mark := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(runes[:min(max(0, column-1), len(runes))]))
	return fmt.Sprintf("%5d | %s\n      | %s^", line, shown, mark)
}

func namesSecret(line string) bool {
	return strings.Contains(line, "token") || strings.Contains(line, "key")
}

// nearest is the candidate that was probably meant by name, or "".
func nearest(name string, candidates []string) string {
	if best, edits := texts.Nearest(name, candidates); edits <= max(1, len(name)/3) {
		return best
	}
	begins := func(candidate string) bool { return len(name) >= 3 && strings.HasPrefix(candidate, name) }
	if i := slices.IndexFunc(candidates, begins); i >= 0 {
		return candidates[i]
	}
	return ""
}

// didYouMean is the end of a message about an unknown name.
func didYouMean(name string, candidates []string) string {
	if best := nearest(name, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
