package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop/route"
	"chatterbox/runtime/config"
)

// modesOf are the built-in modes with the configuration's changes.
func modesOf(settings config.Config) (*route.Modes, error) {
	changes := make([]route.Mode, len(settings.Modes))
	for i, mode := range settings.Modes {
		changes[i] = route.Mode{
			Name: mode.Name, Aliases: mode.Aliases, Tools: mode.Tools, Workflows: mode.Workflows, Model: mode.Model,
			Prompt: mode.Prompt, Idle: mode.Idle,
		}
	}
	modes, err := route.NewModes(route.Merge(route.DefaultModes(), changes), settings.Conversation.Mode, settings.Tools.Shared,
		settings.Conversation.Name)
	if err != nil {
		return nil, cli.Usage("correct modes in the configuration", "modes: %w", err)
	}
	return modes, nil
}

func newMode(host *cli.Host) *cobra.Command {
	cmd := &cobra.Command{Use: "mode", Short: "Say which modes there are"}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the modes with their tools, workflows and models", Args: cobra.NoArgs,
		RunE: host.Configured(func(_ context.Context, settings config.Config, _ []string) error {
			modes, err := modesOf(settings)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, shownModes(modes))
			}
			return printModes(host.Env.Stdout, modes)
		}),
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(list)
	return cmd
}

// shownMode is a mode as programs read it.
type shownMode struct {
	Name      string   `json:"name"`
	Start     bool     `json:"start"` // conversations begin here
	Aliases   []string `json:"aliases"`
	Tools     []string `json:"tools"` // the shared ones included; "*" is every tool
	Workflows []string `json:"workflows"`
	Model     string   `json:"model"`
	Prompt    string   `json:"prompt,omitempty"`
	Idle      string   `json:"idle"`
}

func shownModes(modes *route.Modes) []shownMode {
	shown := make([]shownMode, 0, len(modes.List()))
	for i := range modes.List() {
		mode := &modes.List()[i]
		tools := mode.Tools
		if len(tools) == 0 || tools[0] != route.All {
			tools = append(append([]string{}, tools...), modes.Shared()...)
		}
		shown = append(shown, shownMode{
			Name: mode.Name, Start: mode == modes.Start(), Aliases: append([]string{}, mode.Aliases...), Tools: tools,
			Workflows: append([]string{}, mode.Workflows...), Model: mode.Model, Prompt: mode.Prompt,
			Idle: mode.Idle.Round(time.Second).String(),
		})
	}
	return shown
}

func printModes(to io.Writer, modes *route.Modes) error {
	rows := [][]string{{"MODE", "ALIASES", "MODEL", "IDLE", "WORKFLOWS", "TOOLS"}}
	for _, mode := range shownModes(modes) {
		name := mode.Name
		if mode.Start {
			name += " (start)"
		}
		rows = append(rows, []string{
			name, cli.List(mode.Aliases, "-"), mode.Model, mode.Idle, cli.List(mode.Workflows, "-"), cli.List(mode.Tools, "-"),
		})
	}
	return cli.PrintRows(to, rows)
}
