package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	evalrun "chatterbox/evals/run"
)

func newEvalMerge(common *commonFlags) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "merge LOG...", Short: "Put the logs of shards together", Args: cobra.MinimumNArgs(1),
		Long: "Writes every trial once. Of several lines about a trial the last counts, but an error never replaces what is none.",
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				_, err := merge(common.env, common.env.Stdout, args)
				return err
			}
			if slices.Contains(args, out) {
				return usageError("", "%s is one of the logs that are merged", out)
			}
			file, err := os.Create(out)
			if err != nil {
				return usageError("", "%w", err)
			}
			n, err := merge(common.env, file, args)
			if closed := file.Close(); err == nil && closed != nil {
				err = infrastructureError("", closed)
			}
			if err == nil {
				fmt.Fprintf(common.env.Stderr, "%d trials\n", n)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write (default: standard output)")
	return cmd
}

func merge(env env, to io.Writer, names []string) (int, error) {
	n, torn, err := evalrun.Merge(to, names)
	if err != nil {
		return 0, usageError("a log has one JSON object a line, with subject, scenario, trial and outcome", "%w", err)
	}
	tellTorn(env, torn)
	if n == 0 {
		return 0, usageError("", "there is no trial in the logs")
	}
	return n, nil
}

// tellTorn names logs whose run was killed.
func tellTorn(env env, names []string) {
	for _, name := range names {
		fmt.Fprintf(env.Stderr, "chatterbox: the last line of %s has no end and is left out; what stands before it is used\n", name)
	}
}
