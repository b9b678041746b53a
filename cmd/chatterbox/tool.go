package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatterbox/runtime/toolbox"
)

func newTool(common *commonFlags) *cobra.Command {
	tool := &cobra.Command{Use: "tool", Short: "Make, check, see and call tools"}
	tool.AddCommand(
		newToolList(common), newToolCall(common), newToolNew(common), newToolBuild(common), newToolCheck(common),
		newToolInspect(common), newToolWatch(common),
		newToolInstall(common), newToolGrant(common), newToolVerify(common), newToolRemove(common), newToolPublish(common),
	)
	return tool
}

func newToolList(common *commonFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the tools, and the files that gave none with the reason", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := common.load(nil)
			if err != nil {
				return err
			}
			log := quiet(settings.Log)
			if log.Level == "warn" {
				log.Level = "error" // a file that is no tool is part of the list
			}
			t, err := openTools(cmd.Context(), common.env, settings, logger(common.env.Stderr, log, secrets(common.env, settings)), nil)
			if err != nil {
				return err
			}
			defer t.close()
			if asJSON {
				return printJSON(common.env.Stdout, map[string]any{
					"tools": append([]toolbox.Info{}, t.box.Tools()...), "problems": append([]toolbox.Problem{}, t.box.Problems()...),
				})
			}
			printTools(common, t.box)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printTools(common *commonFlags, box *toolbox.Toolbox) {
	table := tabwriter.NewWriter(common.env.Stdout, 0, 0, 2, ' ', 0)
	for _, info := range box.Tools() {
		from := inLine(info.File)
		if info.Builtin {
			from = "built in"
		}
		state := info.Effects
		if !info.Granted {
			state = "blocked: " + inLine(info.Reason)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", info.Name, info.ABI, from, state)
	}
	table.Flush()
	for _, problem := range box.Problems() {
		fmt.Fprintf(common.env.Stdout, "%s: %s\n", inLine(problem.File), inLine(problem.Reason))
	}
}
