package route

import (
	"fmt"
	"maps"
)

// Reader reads a text by sentence templates: the name of the rule that it means, "" for none, and what was said for
// each slot. It must be pure, and several goroutines may call it at once.
type Reader func(text string) (rule string, said map[string]any)

// Reading gives rules whose templates are read by language, base tags. They come before rules with patterns. The
// rules stay as they are; the result has the readers beside those that they had.
func (r *Rules) Reading(readers map[string]Reader) *Rules {
	result := *r
	result.readers = maps.Clone(r.readers)
	if result.readers == nil {
		result.readers = map[string]Reader{}
	}
	maps.Copy(result.readers, readers)
	return &result
}

// templated is the command that the text is by the templates of the person's language, or nil and the reason.
func (r *Rules) templated(text, lower, language string, input Input) (*Command, string) {
	read := r.readers[language]
	if read == nil {
		return nil, ""
	}
	name, values := read(text)
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.Name != name || rule.Language != language || rule.Slots == nil || !rule.applies(lower, input) {
			continue
		}
		if no := r.guarded(rule, text); no != "" {
			return nil, fmt.Sprintf("rule %s fits, but the sentence is %s", rule.title(), no)
		}
		said := make(map[string]string, len(values))
		for _, slot := range rule.Slots {
			said[slot] = ""
		}
		for slot, value := range values {
			said[slot] = fmt.Sprint(value)
		}
		return rule.build(said, values, input)
	}
	return nil, ""
}

// guarded says why a sentence is no command by a rule that changes something.
func (r *Rules) guarded(rule *compiled, text string) string {
	if rule.Reads {
		return ""
	}
	return r.sentences.NoCommand(text, rule.Language)
}
