package route

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// listMax is how many entries of a list are spoken; of the others only how many they are.
const listMax = 10

// list speaks the objects of a result: the text between them, the one before the last, the form of one, and the list.
// In the form, {key} stands for a member, {key|LAYOUT} for a date or a time in a layout of Go's time package, and
// what stands in [brackets] is left out when a member in it is empty.
func list(words map[string]string) function {
	return func(arguments []any) (any, error) {
		if len(arguments) != 4 {
			return nil, errors.New("needs two separators, a form and a list")
		}
		entries, ok := arguments[3].([]any)
		if !ok {
			return nil, errors.New("argument 4 must be a list")
		}
		return onTexts(3, "", func(given []string) (any, error) {
			return listed(entries, given[0], given[1], given[2], words)
		})(arguments[:3])
	}
}

func listed(entries []any, between, last, form string, words map[string]string) (string, error) {
	var spoken []string
	for i, entry := range entries {
		if i == listMax {
			spoken = append(spoken, fmt.Sprintf("%d %s", len(entries)-i, translate("more", words)))
			break
		}
		object, ok := entry.(map[string]any)
		if !ok {
			return "", errors.New("the list must hold objects")
		}
		text, _, err := formed(form, object, words)
		if err != nil {
			return "", err
		}
		spoken = append(spoken, text)
	}
	if len(spoken) < 2 {
		return strings.Join(spoken, ""), nil
	}
	n := len(spoken) - 1
	return strings.Join(spoken[:n], between) + last + spoken[n], nil
}

// formed is one entry in its form, and whether all its members are there.
func formed(form string, object map[string]any, words map[string]string) (string, bool, error) {
	var out strings.Builder
	whole := true
	for form != "" {
		at := strings.IndexAny(form, "[{")
		if at < 0 {
			out.WriteString(form)
			break
		}
		out.WriteString(form[:at])
		end := map[byte]string{'[': "]", '{': "}"}[form[at]]
		inside, after, closed := strings.Cut(form[at+1:], end)
		if !closed {
			return "", false, fmt.Errorf("a %q is not closed", form[at:at+1])
		}
		var text string
		var err error
		if end == "]" {
			var there bool
			if text, there, err = formed(inside, object, words); !there {
				text = ""
			}
		} else {
			text, err = member(inside, object, words)
			whole = whole && text != ""
		}
		if err != nil {
			return "", false, err
		}
		out.WriteString(text)
		form = after
	}
	return out.String(), whole, nil
}

func member(name string, object map[string]any, words map[string]string) (string, error) {
	name, layout, formatted := strings.Cut(name, "|")
	text := spoken(object[name])
	if text == "" || !formatted {
		return text, nil
	}
	for _, from := range []string{time.DateOnly, "15:04", "2006-01-02T15:04", time.RFC3339} {
		if t, err := time.Parse(from, text); err == nil {
			return translate(strings.TrimPrefix(t.Format(layout), "0"), words), nil
		}
	}
	return "", fmt.Errorf("%q is neither a date nor a time", text)
}

func translate(text string, words map[string]string) string {
	if translated, ok := words[text]; ok {
		return translated
	}
	return text
}
