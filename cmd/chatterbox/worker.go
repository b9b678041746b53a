package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// newWorker is what the server starts for guests to run in; nobody else has a use for it.
func newWorker() *cobra.Command {
	return &cobra.Command{
		Use: "worker", Short: "Run guests for a server, over the standard streams", Args: cobra.NoArgs, Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			if err := worker.Serve(os.Stdin, os.Stdout, toolbox.Clock); err != nil {
				return cli.Failed("worker: %w", err)
			}
			return nil
		},
	}
}

// workerCommand is the program that starts a worker, with its arguments; this one where nothing is configured.
func workerCommand(configured string) ([]string, error) {
	words, err := splitWords(configured)
	if err != nil {
		return nil, cli.Usage("quote it as for a shell", "worker.command: %w", err)
	}
	if len(words) > 0 {
		return words, nil
	}
	program, err := ownFile()
	if err != nil {
		return nil, cli.Usage("name it in worker.command", "find this program's file: %w", err)
	}
	return []string{program, "worker"}, nil
}

// splitWords splits as a shell does where it expands nothing: at spaces, but not in quotes or after a backslash.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	began, escaped, quote := false, false, rune(0)
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			began, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			began, quote = true, c
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			if began {
				words = append(words, word.String())
				word.Reset()
				began = false
			}
		default:
			began = true
			word.WriteRune(c)
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	case escaped:
		return nil, fmt.Errorf("a backslash stands at the end")
	case began:
		words = append(words, word.String())
	}
	return words, nil
}
