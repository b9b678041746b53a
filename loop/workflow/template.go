package workflow

import (
	"errors"
	"fmt"
	"strings"
)

// template is a text with {names} and [parts that may be left out].
type template []piece

type piece struct {
	text         string // when name and part are empty
	name, format string
	part         template
}

// lookup gives what a name stands for, and whether it is known.
type lookup func(name, format string) (string, bool)

const templateMax = 2 << 10 // bytes

func parseTemplate(text string) (template, error) {
	if len(text) > templateMax {
		return nil, fmt.Errorf("is longer than %d bytes", templateMax)
	}
	t, rest, err := parsePieces(text, false)
	if err == nil && rest != "" {
		err = errors.New("a ] has no [ before it")
	}
	return t, err
}

func parsePieces(text string, inside bool) (t template, rest string, err error) {
	for text != "" {
		at := strings.IndexAny(text, "{[]}")
		if at < 0 {
			at = len(text)
		}
		if at > 0 {
			t, text = append(t, piece{text: text[:at]}), text[at:]
			continue
		}
		switch text[0] {
		case '{':
			name, after, closed := strings.Cut(text[1:], "}")
			if !closed || name == "" || strings.ContainsAny(name, "{[] ") {
				return nil, "", errors.New("a { needs a name and a }")
			}
			name, format, _ := strings.Cut(name, ":")
			t, text = append(t, piece{name: name, format: format}), after
		case '[':
			if inside {
				return nil, "", errors.New("a [ stands within another")
			}
			part, after, err := parsePieces(text[1:], true)
			if err != nil {
				return nil, "", err
			}
			if after == "" {
				return nil, "", errors.New("a [ is not closed")
			}
			t, text = append(t, piece{part: part}), after[1:]
		case ']':
			return t, text, nil // whoever opened it goes on behind it
		default:
			return nil, "", errors.New("a } has no { before it")
		}
	}
	return t, "", nil
}

// names calls visit for every name.
func (t template) names(visit func(name, format string)) {
	for _, p := range t {
		if p.name != "" {
			visit(p.name, p.format)
		}
		p.part.names(visit)
	}
}

// write gives the text, and whether all names outside of brackets are known.
func (t template) write(look lookup) (string, bool) {
	var out strings.Builder
	whole := true
	for _, p := range t {
		switch {
		case p.name != "":
			value, known := look(p.name, p.format)
			whole = whole && known
			out.WriteString(value)
		case p.part != nil:
			if text, known := p.part.write(look); known {
				out.WriteString(text)
			}
		default:
			out.WriteString(p.text)
		}
	}
	return out.String(), whole
}
