package tool

import (
	"fmt"
	"strings"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// missing says what of the things that rights name is not there yet, as a sentence with a blank before it, or nothing.
type missing struct{ secret, channel func(name string) string }

func nothingMissing() missing {
	nothing := func(string) string { return "" }
	return missing{nothing, nothing}
}

func missingHere(host *cli.Host, settings config.Config) missing {
	return missing{
		func(ref string) string { return host.MissingSecret(settings, ref) },
		func(channel string) string { return host.MissingChannel(settings, channel) },
	}
}

// inWords says what the rights mean, a sentence each, and what is missing.
func inWords(grant toolbox.Grant, not missing) []string {
	var words []string
	switch grant.Effects {
	case toolbox.Write:
		words = append(words, "It changes things.")
	case toolbox.Irreversible:
		words = append(words, "It does things that cannot be undone.")
	}
	for _, rule := range grant.Net {
		line := fmt.Sprintf("It may send %s requests to %s://%s:%d%s", strings.Join(rule.Methods, ", "), rule.Scheme, rule.Host,
			rule.Port, map[bool]string{true: "", false: ", path " + rule.Path}[rule.Path == "*" || rule.Path == "/*"])
		if rule.Private {
			line += ", which is in your own network"
		}
		words = append(words, line+".")
	}
	for _, s := range grant.Secrets {
		words = append(words, fmt.Sprintf("Its requests to %s carry your secret %q in the header %s. The tool itself does not see it.%s",
			s.OnlyTo, s.Ref, s.Header, not.secret(s.Ref)))
	}
	if grant.KV.Bytes > 0 {
		line := "It may keep up to %d bytes between calls, in all conversations alike."
		if grant.KV.Scope == toolbox.PerConversation {
			line = "It may keep up to %d bytes between calls, for each conversation apart."
		}
		words = append(words, fmt.Sprintf(line, grant.KV.Bytes))
	}
	for _, d := range grant.Deliver {
		line := "It may send by %s to %s.%s"
		if d.Channel == "mqtt" {
			line = "It may publish by %s, which devices may obey, to the topics %s, and to no others.%s"
		}
		words = append(words, fmt.Sprintf(line, d.Channel, strings.Join(d.Recipients, ", "), not.channel(d.Channel)))
	}
	if len(words) == 0 {
		return []string{"Nothing: it computes from what it is given, and may know what time it is."}
	}
	switch grant.Confirm {
	case toolbox.Never:
		words = append(words, "It runs without asking you.")
	default:
		words = append(words, "You are asked before it runs.")
	}
	return words
}
