package eval

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	evalrun "chatterbox/evals/run"
)

func mergeCommand(flags *cli.Flags) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "merge LOG...", Short: "Put the logs of shards together", Args: cobra.MinimumNArgs(1),
		Long: "Writes every trial once. Of several lines about a trial the last counts, but an error never replaces what " +
			"is none.",
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				_, err := merge(flags.Env, flags.Env.Stdout, args)
				return err
			}
			if slices.Contains(args, out) {
				return cli.Usage("", "%s is one of the logs that are merged", out)
			}
			file, err := os.Create(out)
			if err != nil {
				return cli.Usage("", "%w", err)
			}
			n, err := merge(flags.Env, file, args)
			if closed := file.Close(); err == nil && closed != nil {
				err = cli.Infrastructure("", closed)
			}
			if err == nil {
				fmt.Fprintf(flags.Env.Stderr, "%d trials\n", n)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write (default: standard output)")
	return cmd
}

func merge(env cli.Env, to io.Writer, names []string) (int, error) {
	n, torn, err := evalrun.Merge(to, names)
	if err != nil {
		return 0, cli.Usage(logForm, "%w", err)
	}
	tellTorn(env, torn)
	if n == 0 {
		return 0, cli.Usage("", "there is no trial in the logs")
	}
	return n, nil
}

// logForm is what a log has to be.
const logForm = "a log has one JSON object a line, with subject, scenario, trial and outcome"

// tellTorn names logs whose run was killed.
func tellTorn(env cli.Env, names []string) {
	for _, name := range names {
		fmt.Fprintf(env.Stderr,
			"chatterbox: the last line of %s has no end and is left out; what stands before it is used\n", name)
	}
}
