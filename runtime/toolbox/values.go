package toolbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file compares arguments with what no schema can say, so that nobody is asked about a call that cannot be
// made: a day that no calendar has, a time that no clock shows, and somebody to whom the tool may not send.

// moments are how a day and a time are written.
var moments = []struct{ layout, what string }{
	{time.DateOnly, "day"},
	{"15:04", "time"}, {time.TimeOnly, "time"},
	{"2006-01-02T15:04", "day and time"}, {"2006-01-02T15:04:05", "day and time"},
}

// noMoment says that a value whose schema wants a day or a time has the shape of one and is none. Free text is not
// looked at.
func noMoment(s *jsonschema.Schema, value, path string) string {
	if s.Pattern == "" && !slices.Contains([]string{"date", "time", "date-time"}, s.Format) {
		return ""
	}
	for _, m := range moments {
		if digitsOf(value) != digitsOf(m.layout) {
			continue
		}
		if _, err := time.Parse(m.layout, value); err != nil {
			return fmt.Sprintf("%s is not a %s that exists: %s", argument(path), m.what, show(value))
		}
	}
	return ""
}

// digitsOf is a text with 0 for each digit.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
}

// impossible finds the first day or time in value that does not exist.
func impossible(s *jsonschema.Schema, value any, path string) string {
	if s == nil {
		return ""
	}
	switch value := value.(type) {
	case string:
		return noMoment(s, value, path)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if said := impossible(s.Properties[name], value[name], join(path, name)); said != "" {
				return said
			}
		}
	case []any:
		for i, element := range value {
			if said := impossible(s.Items, element, fmt.Sprintf("%s[%d]", path, i)); said != "" {
				return said
			}
		}
	}
	return ""
}

// recipientArgument is the argument that says to whom the tool sends, by its annotation "recipient"; empty is none.
func (m *Manifest) recipientArgument() string {
	var said struct {
		Recipient string `json:"recipient"`
	}
	if json.Unmarshal(m.Annotations, &said) != nil {
		return ""
	}
	return said.Recipient
}

// recipients are those to whom the tool may send, each once.
func (r Rights) recipients() []string {
	var all []string
	for _, delivery := range r.Deliver {
		for _, to := range delivery.Recipients {
			if !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all
}

// fitting are the recipients that a name means: the one that is the same in any letters, else those that have each
// word of it.
func (r Rights) fitting(name string) []string {
	var some []string
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	for _, to := range r.recipients() {
		if strings.EqualFold(to, name) {
			return []string{to}
		}
		lower := strings.ToLower(to)
		if len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(lower, word) }) {
			some = append(some, to)
		}
	}
	return some
}

// refusesRecipient says that the arguments name nobody, or several, to whom the tool may send.
func (t *tool) refusesRecipient(arguments map[string]any) string {
	argument, allowed := t.manifest.recipientArgument(), t.rights.recipients()
	if argument == "" || len(allowed) == 0 {
		return ""
	}
	name, _ := arguments[argument].(string)
	fitting, named := t.rights.fitting(name), strings.TrimSpace(name) != ""
	if len(fitting) == 1 || !named && len(allowed) == 1 {
		return ""
	}
	if last := len(allowed) - 1; last > 0 {
		allowed = append(allowed[:last-1], allowed[last-1]+" and "+allowed[last])
	}
	listed := oneLine(strings.Join(allowed, ", "), 400)
	switch {
	case !named:
		return "Say to whom. Allowed are " + listed
	case len(fitting) == 0:
		return "That recipient is not allowed. Allowed are " + listed
	default:
		return "Several recipients fit. Say which one is meant: " + listed
	}
}

// meant is an argument's value as a question shows it: the recipient whom the name means.
func (t *tool) meant(argument string, value any) any {
	name, isText := value.(string)
	if !isText || argument != t.manifest.recipientArgument() {
		return value
	}
	if fitting := t.rights.fitting(name); len(fitting) == 1 {
		return fitting[0]
	}
	return value
}
