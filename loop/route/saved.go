package route

import (
	"encoding/json"
	"maps"
)

// Saved is a command while it waits for the person's yes, as JSON.
type Saved struct {
	Rule      string            `json:"rule"`
	Language  string            `json:"language"`
	Tool      string            `json:"tool"`
	Arguments json.RawMessage   `json:"arguments"`
	Said      map[string]string `json:"said,omitempty"`
}

// Save returns the command as it can be kept.
func (c *Command) Save() Saved {
	return Saved{Rule: c.Rule, Language: c.rule.Language, Tool: c.Tool, Arguments: c.Arguments, Said: c.said}
}

// Restore returns the command that was saved, or nil when its rule is gone or has got another tool since.
func (r *Rules) Restore(saved Saved) *Command {
	if r == nil {
		return nil
	}
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.Name == saved.Rule && rule.Language == saved.Language && rule.Tool == saved.Tool {
			return &Command{Rule: saved.Rule, Tool: saved.Tool, Arguments: saved.Arguments, rule: rule, said: saved.Said}
		}
	}
	return nil
}

// With is the command with other arguments, and with what the person called them, by argument.
func (c *Command) With(arguments json.RawMessage, called map[string]string) *Command {
	said := maps.Clone(c.said)
	for name, text := range called {
		if group := c.rule.Arguments[name].Group; group != "" {
			if said == nil {
				said = map[string]string{}
			}
			said[group] = text
		}
	}
	return &Command{Rule: c.Rule, Tool: c.Tool, Arguments: arguments, rule: c.rule, said: said}
}
