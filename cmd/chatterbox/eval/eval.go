// Package eval has the subcommands of chatterbox eval, which score models and say what came of it.
package eval

import (
	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
)

// New makes the command. ownFile is the file of this program, which strategies start.
func New(flags *cli.Flags, ownFile func() (string, error)) *cobra.Command {
	eval := &cobra.Command{Use: "eval", Short: "Measure how dependably models call tools"}
	importing := &cobra.Command{Use: "import", Short: "Make scenarios of other people's data"}
	importing.AddCommand(importCommand(flags))
	eval.AddCommand(
		runCommand(flags, ownFile), listCommand(flags), mergeCommand(flags), recordCommand(flags), importing,
		reportCommand(flags), compareCommand(flags), decodeCommand(flags), checkCommand(flags),
	)
	return eval
}

// required makes flags of a command required.
func required(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not defined
		}
	}
}
