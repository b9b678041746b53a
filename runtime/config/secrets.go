package config

import (
	"net/url"
	"slices"
)

// Secrets lists the values that must be shown nowhere: tokens, keys, and the passwords in URLs. Each is there once, in
// alphabetical order.
func (c Config) Secrets() []string {
	var found []string
	for _, k := range keys(&c) {
		switch field := k.field.(type) {
		case *string:
			if k.secret {
				found = append(found, *field)
			} else {
				found = append(found, password(*field))
			}
		case *[]Model:
			for _, model := range *field {
				found = append(found, model.APIKey, password(model.BaseURL))
			}
		}
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(secret string) bool { return secret == "" })
}

// password is the one in a URL, decoded; empty when there is none.
func password(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	found, _ := u.User.Password()
	return found
}
