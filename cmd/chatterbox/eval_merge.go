package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"chatterbox/evals/runner"
)

func newEvalMerge(common *commonFlags) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "merge LOG...", Short: "Put the logs of shards together", Args: cobra.MinimumNArgs(1),
		Long: "Writes every trial once. Of several lines about a trial the last counts, but an error never replaces what is none.",
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return merge(common.env.Stdout, io.Discard, args)
			}
			if slices.Contains(args, out) {
				return usageError("", "%s is one of the logs that are merged", out)
			}
			file, err := os.Create(out)
			if err != nil {
				return usageError("", "%w", err)
			}
			err = merge(file, common.env.Stderr, args)
			if closed := file.Close(); err == nil && closed != nil {
				err = infrastructureError("", closed)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write (default: standard output)")
	return cmd
}

func merge(to, told io.Writer, names []string) error {
	n, err := runner.Merge(to, names)
	if err != nil {
		return usageError("a log has one JSON object a line, with subject, scenario, trial and outcome", "%w", err)
	}
	if n == 0 {
		return usageError("", "there is no trial in the logs")
	}
	fmt.Fprintf(told, "%d trials\n", n)
	return nil
}
