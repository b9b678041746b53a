package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"chatterbox/evals/scenario"
)

// secretForm is what a kind of secret looks like. The first group, where there is one, is what is replaced.
type secretForm struct {
	kind    string
	pattern *regexp.Regexp
}

// secretForms are what secrets look like that nobody has named.
var secretForms = sync.OnceValue(func() []secretForm {
	const named = `(?i)\b(?:password|passwort|passwd|secret|api[_-]?key|token|pin)`
	const long = `[A-Za-z0-9+/_-]*[0-9][A-Za-z0-9+/_-]*[A-Z][A-Za-z0-9+/_-]{20,}={0,2}`
	return []secretForm{
		{"a key", regexp.MustCompile(`\b(?:sk|pk|rk|ghp|gho|xox[abp]|AKIA|AIza|hf|glpat)[-_A-Za-z0-9]{12,}`)},
		{"a token", regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,})`)},
		{"a signed token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
		{"a password", regexp.MustCompile(named + `["']?\s*(?:is|ist|=|:)\s*["']?([^\s"',;}]{3,})`)},
		{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`)},
		{"a password in an address", regexp.MustCompile(`://[^/\s:@]+:([^/\s@]+)@`)},
		{"a long random text", regexp.MustCompile(`\b(?:[0-9a-f]{32,}|` + long + `)`)},
	}
})

// everywhereLeast is how long a secret is that is replaced also where nothing says that it is one.
const everywhereLeast = 6

// redactor replaces secrets, the same one by the same words everywhere. What is found in one pass over a conversation
// is known in the next.
type redactor struct {
	kinds   map[string]string // of the secrets that are replaced wherever they stand
	words   map[string]string // that stand for a secret
	removed []string
}

func newRedactor(secrets []string) *redactor {
	r := &redactor{kinds: map[string]string{}, words: map[string]string{}}
	for _, secret := range secrets {
		if strings.TrimSpace(secret) != "" {
			r.kinds[secret] = "a named secret"
		}
	}
	return r
}

func (r *redactor) conversation(c Conversation) Conversation {
	out := Conversation{Name: r.text("the name", c.Name), Model: c.Model}
	for i, turn := range c.Turns {
		place := fmt.Sprintf("turn %d", i+1)
		clean := RecordedTurn{
			User: r.text(place+", what the user said", turn.User), Answer: r.text(place+", the answer", turn.Answer),
		}
		for _, step := range turn.Steps {
			var calls []RecordedCall
			for _, call := range step {
				arguments := r.json(place+", arguments of "+call.Name, call.Arguments)
				result := r.json(place+", result of "+call.Name, call.Result)
				calls = append(calls, RecordedCall{Name: call.Name, Arguments: arguments, Result: result})
			}
			clean.Steps = append(clean.Steps, calls)
		}
		out.Turns = append(out.Turns, clean)
	}
	for _, tool := range c.Tools {
		tool.Description = r.text("the description of "+tool.Name, tool.Description)
		tool.Parameters = r.json("the parameters of "+tool.Name, tool.Parameters)
		out.Tools = append(out.Tools, tool)
	}
	return out
}

// json replaces within the texts of a value, so that it stays JSON.
func (r *redactor) json(place string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	value, err := scenario.ReadJSON(raw)
	if err != nil {
		value = string(raw)
	}
	return marshal(r.value(place, "", value))
}

// secretName is the name of a field whose value is a secret whatever it looks like.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	const names = `password|passwort|passwd|secret|api[_-]?key|token|pin|authorization|access[_-]?token`
	return regexp.MustCompile(`(?i)^(` + names + `)$`)
})

func (r *redactor) value(place, name string, value any) any {
	switch v := value.(type) {
	case string:
		if secretName().MatchString(name) && v != "" {
			return r.replace("a "+strings.ToLower(name), place, v)
		}
		return r.text(place, v)
	case []any:
		for i := range v {
			v[i] = r.value(place, name, v[i])
		}
	case map[string]any:
		for field := range v {
			if _, isSchema := v[field].(map[string]any); isSchema && strings.HasPrefix(place, "the parameters") {
				v[field] = r.value(place, "", v[field])
				continue
			}
			v[field] = r.value(place, field, v[field])
		}
	}
	return value
}

func (r *redactor) text(place, text string) string {
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, secret := range slices.SortedFunc(maps.Keys(r.kinds), longest) {
		if strings.Contains(text, secret) {
			text = strings.ReplaceAll(text, secret, r.replace(r.kinds[secret], place, secret))
		}
	}
	for _, form := range secretForms() {
		for _, match := range form.pattern.FindAllStringSubmatch(text, -1) {
			secret := match[len(match)-1]
			if strings.HasPrefix(secret, "removed-") {
				continue
			}
			text = strings.ReplaceAll(text, secret, r.replace(form.kind, place, secret))
		}
	}
	return text
}

func (r *redactor) replace(kind, place, secret string) string {
	if strings.HasPrefix(secret, "removed-") {
		return secret
	}
	if r.words[secret] == "" {
		r.words[secret] = fmt.Sprintf("removed-%d", len(r.words)+1)
	}
	if len(secret) >= everywhereLeast && r.kinds[secret] == "" {
		r.kinds[secret] = kind
	}
	r.removed = append(r.removed, fmt.Sprintf("%s in %s, now %s", kind, place, r.words[secret]))
	return r.words[secret]
}
