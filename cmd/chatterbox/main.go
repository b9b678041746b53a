// Command chatterbox answers what a person said, with a language model and sandboxed tools, from one file.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	_ "time/tzdata" // zones for hosts that have none, a container from scratch among them

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/cmd/chatterbox/doctor"
	"chatterbox/cmd/chatterbox/eval"
	"chatterbox/cmd/chatterbox/service"
	"chatterbox/cmd/chatterbox/tool"
	"chatterbox/cmd/chatterbox/workflow"
)

// version is set by the release build.
var version = "dev"

// env is the process as the wiring sees it.
type env struct {
	cli.Env
	decorate decorations
}

func main() {
	os.Exit(runProcess(decorations{}))
}

// runProcess runs the command that the process was started with.
func runProcess(with decorations) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	screen := os.Stdout
	if !cli.IsTerminal(screen) {
		screen = nil
	}
	return run(ctx, env{Env: cli.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Screen: screen,
		Environ: os.Environ(), Getenv: os.Getenv,
	}, decorate: with})
}

// run runs one command and returns its exit code.
func run(ctx context.Context, env env) int {
	printed := cli.NewText(env.Stdout)
	env.Stdout, env.Stderr = printed, cli.NewText(env.Stderr)
	command, err := newRoot(env).ExecuteContextC(ctx)
	if lost := printed.Lost(); lost != nil && ctx.Err() == nil && (err == nil || errors.Is(err, lost)) {
		err = cli.Infrastructure("", fmt.Errorf("print the result: %w", lost))
	}
	if err == nil {
		return cli.ExitOK
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return cli.ExitInterrupted
	}
	var coded *cli.Error
	if !errors.As(err, &coded) {
		// What cobra itself reports is about the words of the command.
		hint := "see '" + command.CommandPath() + " --help'"
		if command.HasParent() {
			hint = "usage: " + command.UseLine() + "; " + hint
		}
		coded = &cli.Error{Code: cli.ExitUsage, Hint: hint, Err: err}
	}
	if text := cli.ErrorText(coded); text != "" {
		fmt.Fprintf(env.Stderr, "chatterbox: %s\n", text)
	}
	if coded.Hint != "" {
		fmt.Fprintf(env.Stderr, "  %s\n", coded.Hint)
	}
	return coded.Code
}

func newRoot(env env) *cobra.Command {
	root := &cobra.Command{
		Use:           "chatterbox",
		Short:         "Answers what a person said, with a language model and sandboxed tools",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       version,
	}
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	host := newHost(env)
	root.PersistentFlags().StringVar(&host.Config, "config", "",
		"configuration `file` (default: chatterbox.yaml here, then the user's and the system's configuration folder)")
	root.PersistentFlags().StringVar(&host.Data, "data", "", "data `folder`")
	root.AddCommand(
		newServe(host, env), newChat(host, env), tool.New(host), newHistory(host), newMode(host), workflow.New(host), newMockLLM(host),
		eval.New(&host.Flags, ownFile), newConfig(host), doctor.NewHealth(host), doctor.New(host), service.New(host), newVersion(host), newWorker(),
	)
	root.InitDefaultCompletionCmd()
	refuseUnknown(root)
	return root
}

// refuseUnknown makes a word that is no subcommand an error everywhere. Below the root cobra would print the help and
// end with 0, and a script that misspells a check would pass.
func refuseUnknown(command *cobra.Command) {
	for _, sub := range command.Commands() {
		refuseUnknown(sub)
	}
	if command.HasParent() && command.HasSubCommands() && !command.Runnable() {
		command.Args = cobra.ArbitraryArgs
		command.SuggestionsMinimumDistance = 2
		command.RunE = func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Help()
			}
			hint := "see '" + command.CommandPath() + " --help'"
			if near := command.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "?"
			}
			return cli.Usage(hint, "unknown command %q for %q", args[0], command.CommandPath())
		}
	}
}

// ownFile is the file of this program. A container without /proc does not tell; there it is what the program was
// started as.
func ownFile() (string, error) {
	file, err := os.Executable()
	if err == nil || !filepath.IsAbs(os.Args[0]) {
		return file, err
	}
	return os.Args[0], nil
}
