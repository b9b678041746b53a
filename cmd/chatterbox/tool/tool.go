package tool

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
)

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
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := host.Load(nil)
			if err != nil {
				return err
			}
			t, err := openInstalled(cmd.Context(), host, settings)
			if err != nil {
				return err
			}
			defer t.Close()
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, map[string]any{
					"tools": append([]toolbox.Info{}, t.Box.Tools()...), "problems": append([]toolbox.Problem{}, t.Box.Problems()...),
				})
			}
			printTools(host, t.Box)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printTools(host *cli.Host, box *toolbox.Toolbox) {
	table := tabwriter.NewWriter(host.Env.Stdout, 0, 0, 2, ' ', 0)
	for _, info := range box.Tools() {
		from := cli.InLine(info.File)
		if info.Builtin {
			from = "built in"
		}
		state := info.Effects
		if !info.Granted {
			state = "blocked: " + cli.InLine(info.Reason)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", info.Name, info.ABI, from, state)
	}
	table.Flush()
	for _, problem := range box.Problems() {
		fmt.Fprintf(host.Env.Stdout, "%s: %s\n", cli.InLine(problem.File), cli.InLine(problem.Reason))
	}
}
