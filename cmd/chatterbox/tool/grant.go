package tool

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/toolbox"
)

// consent is how a person's yes to a tool's rights comes about.
type consent struct {
	file string // with the rights to give
	yes  bool   // for nothing beyond pure computation
}

func (c *consent) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.file, "grant", "", "give the rights in this `file`, and ask nobody")
	cmd.Flags().BoolVar(&c.yes, "yes", false, "ask nobody; only for tools that ask for nothing")
}

// asked is one tool that somebody has to decide about.
type asked struct {
	name, module, shown string
	asks                toolbox.Grant
}

func grantCommand(host *cli.Host) *cobra.Command {
	var how consent
	cmd := &cobra.Command{
		Use: "grant NAME", Short: "Show what an installed tool asks for, and allow it", Args: cobra.ExactArgs(1),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			infos, err := installedTools(ctx, host, settings)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(infos, func(i toolbox.Info) bool { return i.Name == args[0] })
			if at < 0 {
				return cli.Usage("chatterbox tool list shows the tools", "there is no tool %q", args[0])
			}
			info := infos[at]
			if info.Builtin {
				return cli.Usage("", "%s is built in and needs no grant", info.Name)
			}
			fmt.Fprintf(host.Env.Stdout, "%s (%s)\n", info.Name, cli.InLine(info.File))
			printDescribed(host.Env.Stdout, info.Name, info.Description)
			approvals, err := how.approvals(host, settings, []asked{{info.Name, info.Module, info.Shown, info.Asks}})
			if err != nil {
				return err
			}
			return keepApprovals(settings, approvals)
		}),
	}
	how.flags(cmd)
	return cmd
}

// openInstalled opens the tools and logs nothing of a file that is none: that is for the command to say.
func openInstalled(ctx context.Context, host *cli.Host, settings config.Config) (*cli.Tools, error) {
	if settings.Log.Level != "debug" {
		settings.Log.Level = "error"
	}
	return host.Tools(ctx, settings, host.Env.Stderr)
}

// installedTools are all tools, those that may not run too.
func installedTools(ctx context.Context, host *cli.Host, settings config.Config) ([]toolbox.Info, error) {
	t, err := openInstalled(ctx, host, settings)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Box.Tools(), nil
}

func keepApprovals(settings config.Config, approvals []toolbox.Approval) error {
	for _, approval := range approvals {
		if err := toolbox.WriteApproval(settings.InData(config.GrantsFolder), approval); err != nil {
			return cli.Infrastructure("", err)
		}
	}
	return nil
}

// approvals are what the person allows, shown to them first. Without a yes there are none.
func (c *consent) approvals(host *cli.Host, settings config.Config, tools []asked) ([]toolbox.Approval, error) {
	out := host.Env.Stdout
	var given *toolbox.Grant
	if c.file != "" {
		text, err := os.ReadFile(c.file)
		if err != nil {
			return nil, cli.Usage("", "read the grant: %w", err)
		}
		grant, err := toolbox.ParseGrant(text)
		if err != nil {
			return nil, cli.Usage("", "%s: %w", cli.InLine(c.file), err)
		}
		given = &grant
	}
	missing := func(thing cli.Thing, name string) string { return host.Missing(settings, thing, name) }
	var approvals []toolbox.Approval
	pure := true
	for _, tool := range tools {
		grant := withPrivate(tool.asks)
		fmt.Fprintf(out, "%s asks for this:\n", tool.name)
		for _, line := range inWords(grant, missing) {
			fmt.Fprintf(out, "  - %s\n", line)
		}
		if _, waits := toolbox.Effective(toolbox.Rights(tool.asks), nil); waits != "" {
			pure = false
		}
		if given != nil {
			grant = *given
		}
		approvals = append(approvals, toolbox.Approval{Tool: tool.name, Module: tool.module, Shown: tool.shown, Grant: grant})
	}
	switch {
	case given != nil, c.yes && pure:
		return approvals, nil
	case c.yes:
		return nil, cli.Usage("--grant FILE gives rights without a question", "--yes is only for tools that ask for nothing")
	}
	return approvals, askPerson(host)
}

// askPerson asks at the terminal. Anything but a yes is a no, which is an error.
func askPerson(host *cli.Host) error {
	if !cli.IsTerminal(host.Env.Stdin) {
		return cli.Usage("--grant FILE gives the rights in a file; --yes is for tools that ask for nothing",
			"there is no terminal to ask at")
	}
	fmt.Fprint(host.Env.Stdout, "Allow this? [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(host.Env.Stdin, 64)).ReadString('\n')
	if err != nil && err != io.EOF {
		return cli.Infrastructure("", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return cli.Failed("not allowed; nothing was changed")
	}
	return nil
}

// withPrivate allows the addresses of the person's own network for hosts that can only be there: the yes names them.
func withPrivate(grant toolbox.Grant) toolbox.Grant {
	grant.Net = slices.Clone(grant.Net)
	for i, rule := range grant.Net {
		grant.Net[i].Private = egress.IsLocal(rule.Host)
	}
	return grant
}

// asksInWords says what a manifest asks for; what is missing here is not looked at.
func asksInWords(manifest toolbox.Manifest) string {
	none := func(cli.Thing, string) string { return "" }
	return strings.Join(inWords(toolbox.Grant(manifest.Asks), none), " ")
}

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
		methods := strings.Join(rule.Methods, ", ")
		line := fmt.Sprintf("It may send %s requests to %s://%s:%d", methods, rule.Scheme, rule.Host, rule.Port)
		if rule.Path != "*" && rule.Path != "/*" {
			line += ", path " + rule.Path
		}
		if rule.Private {
			line += ", which is in your own network"
		}
		words = append(words, line+".")
	}
	for _, s := range grant.Secrets {
		words = append(words, fmt.Sprintf(
			"Its requests to %s carry your secret %q in the header %s. The tool itself does not see it.%s", s.OnlyTo,
			s.Ref, s.Header, missing(cli.Secret, s.Ref)))
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
