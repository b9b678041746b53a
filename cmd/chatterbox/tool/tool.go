package tool

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// New is the command tool.
func New(host *cli.Host) *cobra.Command {
	tool := &cobra.Command{Use: "tool", Short: "Make, check, see and call tools"}
	tool.AddCommand(
		listCommand(host), callCommand(host), newCommand(host), buildCommand(host), checkCommand(host),
		inspectCommand(host), watchCommand(host),
		installCommand(host), grantCommand(host), verifyCommand(host), removeCommand(host), publishCommand(host),
	)
	return tool
}

func listCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the tools, and the files that gave none with the reason", Args: cobra.NoArgs,
		RunE: host.Configured(func(ctx context.Context, settings config.Config, _ []string) error {
			t, err := openInstalled(ctx, host, settings)
			if err != nil {
				return err
			}
			defer t.Close()
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, map[string]any{
					"tools": append([]toolbox.Info{}, t.Box.Tools()...), "problems": append([]toolbox.Problem{}, t.Box.Problems()...),
				})
			}
			return printTools(host.Env.Stdout, t.Box)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printTools(to io.Writer, box *toolbox.Toolbox) error {
	var rows [][]string
	for _, info := range box.Tools() {
		from, state := cli.InLine(info.File), info.Effects
		if info.Builtin {
			from = "built in"
		}
		if !info.Granted {
			state = "blocked: " + cli.InLine(info.Reason)
		}
		rows = append(rows, []string{info.Name, string(info.ABI), from, state})
	}
	if err := cli.PrintRows(to, rows); err != nil {
		return err
	}
	for _, problem := range box.Problems() {
		fmt.Fprintf(to, "%s: %s\n", cli.InLine(problem.File), cli.InLine(problem.Reason))
	}
	return nil
}
