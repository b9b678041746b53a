package toolbox

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// This file gives built-in tools what the operator configured. The rules are: a tool gets the settings that its
// manifest names and no other; settings that are required alike belong together and count only when all of them are
// set; a secret goes to the addresses that stand beside it in the configuration and to nobody else.

// Setting is what a built-in tool takes from the configuration.
type Setting struct {
	Name string `json:"name" max:"128"` // of the key
	// Env is the variable by which the guest reads it. A web address is the grant to ask exactly there, on private
	// addresses too.
	Env      string `json:"env,omitempty" max:"64"`
	Secret   string `json:"secret,omitempty" max:"64"`   // the header in which the host adds it to requests
	Host     string `json:"host,omitempty" max:"64"`     // the channel whose recipients it lists; the guest does not see it
	Required string `json:"required,omitempty" max:"64"` // the tool runs when all settings of one such name are set
}

func (s *Setting) check(path string) error {
	uses := 0
	for _, use := range []string{s.Env, s.Secret, s.Host} {
		uses += min(len(use), 1)
	}
	switch {
	case s.Name == "":
		return fieldError(join(path, "name"), "is missing")
	case uses > 1 || uses == 0 && s.Required == "":
		return fieldError(path, "needs one of env, secret and host, or required alone")
	case s.Env != "" && !isEnvName(s.Env):
		return fieldError(join(path, "env"), "must be a name of letters, digits and _")
	}
	return nil
}

// configured is a setting with what the configuration has for it.
type configured struct {
	Setting
	values []string
}

// configure gives a built-in tool what its manifest asks for, with what is configured.
func (t *Toolbox) configure(made *tool) {
	made.rights, made.env = made.manifest.Asks, maps.Clone(made.manifest.Env)
	if made.env == nil {
		made.env = map[string]string{}
	}
	var used []configured
	used, made.blocked = t.configured(made.manifest.Settings)
	env, hosts := map[string]string{}, map[string][]string{} // hosts by section
	for _, s := range used {
		if s.Env == "" {
			continue
		}
		env[s.Env] = strings.Join(s.values, "\n")
		u, err := url.Parse(env[s.Env])
		if err == nil && u.Hostname() != "" && !slices.Contains(hosts[s.section()], u.Hostname()) {
			hosts[s.section()] = append(hosts[s.section()], u.Hostname())
		}
	}
	maps.Copy(made.env, env)
	made.rules = configuredRules(env, made.manifest.Asks.Net)
	for _, s := range used {
		if s.Host != "" {
			made.rights.Deliver = append(made.rights.Deliver, Delivery{Channel: s.Host, Recipients: s.values})
		}
		if s.Secret == "" {
			continue
		}
		for _, host := range hosts[s.section()] {
			made.rights.Secrets = append(made.rights.Secrets, Secret{Ref: s.Name, Header: s.Secret, OnlyTo: host})
		}
	}
}

// section is where the key stands.
func (s Setting) section() string { return s.Name[:max(0, strings.LastIndexByte(s.Name, '.'))] }

// configured are the settings that count. Where some are required and none of their names is complete, the reason
// is what follows "it": first what lacks least.
func (t *Toolbox) configured(settings []Setting) (used []configured, reason string) {
	missing := map[string][]string{} // by the name that requires
	var names []string
	for _, s := range settings {
		var values []string
		called := s.Name
		if t.options.Setting != nil {
			values, called = t.options.Setting(s.Name)
		}
		if !slices.Contains(names, s.Required) {
			names = append(names, s.Required)
		}
		if len(values) > 0 {
			used = append(used, configured{s, values})
		} else if s.Required != "" && !slices.Contains(missing[s.Required], called) {
			missing[s.Required] = append(missing[s.Required], called)
		}
	}
	used = slices.DeleteFunc(used, func(s configured) bool { return len(missing[s.Required]) > 0 })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.SortStableFunc(names, func(a, b string) int { return len(missing[a]) - len(missing[b]) })
	if len(names) == 0 || len(missing[names[0]]) == 0 {
		return used, ""
	}
	for i, name := range names {
		names[i] = strings.Join(missing[name], " and ")
	}
	return used, "waits for " + strings.Join(names, ", or ")
}
