package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatterbox/loop"
	"chatterbox/runtime/toolbox"
)

func newTool(common *commonFlags) *cobra.Command {
	tool := &cobra.Command{Use: "tool", Short: "See and call the installed tools"}
	tool.AddCommand(newToolList(common), newToolCall(common))
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
			t, err := openTools(cmd.Context(), common.env, settings, logger(common.env.Stderr, log, secrets(common.env, settings)))
			if err != nil {
				return err
			}
			defer t.close()
			if asJSON {
				return printJSON(common.env.Stdout, map[string]any{"tools": t.box.Tools(), "problems": t.box.Problems()})
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
		from := info.File
		if info.Builtin {
			from = "built in"
		}
		state := info.Effects
		if !info.Granted {
			state = "blocked: " + info.Reason
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", info.Name, info.ABI, from, state)
	}
	table.Flush()
	for _, problem := range box.Problems() {
		fmt.Fprintf(common.env.Stdout, "%s: %s\n", problem.File, problem.Reason)
	}
}

func newToolCall(common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "call NAME [JSON]",
		Short: "Call a tool under the rights that it has, and print its result",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			call := loop.Call{ID: "call_1", Name: args[0], Arguments: "{}"}
			if len(args) == 2 {
				call.Arguments = args[1]
			}
			var object map[string]json.RawMessage
			if err := json.Unmarshal([]byte(call.Arguments), &object); err != nil {
				return usageError(`for example: chatterbox tool call get_weather '{"location":"Oslo"}'`, "arguments are not a JSON object: %w", err)
			}
			settings, err := common.load(nil)
			if err != nil {
				return err
			}
			t, err := openTools(cmd.Context(), common.env, settings, logger(common.env.Stderr, quiet(settings.Log), secrets(common.env, settings)))
			if err != nil {
				return err
			}
			defer t.close()
			result := callTool(cmd, t, call)
			fmt.Fprintln(newJSONText(common.env.Stdout), result.Content)
			if cmd.Context().Err() != nil {
				return &codedError{code: exitInterrupted, err: errors.New("interrupted")}
			}
			if result.Failed {
				return &codedError{code: exitFailed, err: fmt.Errorf("%s failed", call.Name)}
			}
			return nil
		},
	}
}

// callTool runs the call as the loop would. The person at the command line is the one whose yes a question waits for.
func callTool(cmd *cobra.Command, t *tools, call loop.Call) loop.Result {
	verdict := t.Check(cmd.Context(), call)
	if verdict.Decision == loop.Refuse {
		return loop.ErrorResult(verdict.Reason)
	}
	verdict.Decision = loop.Run
	return t.Call(cmd.Context(), call, verdict)
}
