package workflow

import "strings"

// This file finds the value of a field by the field's own patterns.

// patterned is what the field's patterns find in the text.
func (m *machine) patterned(_ []found, index int) (found, bool) {
	f := &m.flow.fields[index]
	patterns := f.patterns[m.state.Language]
	if patterns == nil || m.bare {
		return found{}, false
	}
	for _, pattern := range patterns() {
		group := pattern.SubexpIndex("value")
		at := pattern.FindStringSubmatchIndex(m.heard.text)
		if at == nil || group < 0 || at[2*group] < 0 {
			continue
		}
		if one, ok := m.without(f.except[m.state.Language], at[2*group], at[2*group+1]); ok {
			one.field = index
			return one, true
		}
	}
	return found{}, false
}

// without is a part of the text as a value, without the words at its ends that are no part of one.
func (m *machine) without(except *phrases, start, end int) (found, bool) {
	part := hear(m.heard.text[start:end])
	first := skip(part.words, except)
	if len(part.words) == 0 || except.in(part.words[first:]) {
		return found{}, false
	}
	start += part.starts[first]
	text := strings.TrimRight(m.heard.text[start:end], " ,.!?")
	if text == "" || len(text) > valueMax {
		return found{}, false
	}
	value := strings.Join(strings.Fields(text), " ")
	return found{value: Value{Value: value, Text: text}, start: start, end: start + len(text)}, true
}
