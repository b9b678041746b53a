package tool

import (
	"fmt"
	"strings"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
)

// noneMissing takes everything that rights name for being there.
func noneMissing(cli.Thing, string) string { return "" }

// inWords says what the rights mean, a sentence each, and what is missing.
func inWords(grant toolbox.Grant, missing func(cli.Thing, string) string) []string {
	var words []string
	switch grant.Effects {
	case toolbox.Write:
		words = append(words, "It changes things.")
	case toolbox.Irreversible:
		words = append(words, "It does things that cannot be undone.")
	}
	for _, rule := range grant.Net {
		line := fmt.Sprintf("It may send %s requests to %s://%s:%d", strings.Join(rule.Methods, ", "), rule.Scheme, rule.Host, rule.Port)
		if rule.Path != "*" && rule.Path != "/*" {
			line += ", path " + rule.Path
		}
		if rule.Private {
			line += ", which is in your own network"
		}
		words = append(words, line+".")
	}
	for _, s := range grant.Secrets {
		words = append(words, fmt.Sprintf("Its requests to %s carry your secret %q in the header %s. The tool itself does not see it.%s",
			s.OnlyTo, s.Ref, s.Header, missing(cli.Secret, s.Ref)))
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
		words = append(words, fmt.Sprintf(line, d.Channel, strings.Join(d.Recipients, ", "), missing(cli.Channel, d.Channel)))
	}
	if len(words) == 0 {
		return []string{"Nothing: it computes from what it is given, and may know what time it is."}
	}
	if grant.Confirm == toolbox.Never {
		return append(words, "It runs without asking you.")
	}
	return append(words, "You are asked before it runs.")
}
