package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/mockllm"
)

func newMockLLM(host *cli.Host) *cobra.Command {
	var script, faults, listen string
	cmd := &cobra.Command{
		Use:   "mockllm",
		Short: "Serve a model that says what a script says",
		Long: "Serves an OpenAI-compatible model whose replies come from a script, one JSON object a line. A request that the " +
			"script has no reply for gets an error; replies that are left over when it is stopped make the exit code 1.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveMock(cmd.Context(), host.Env, script, faults, listen)
		},
	}
	cmd.Flags().StringVar(&script, "script", "", "`file` with the replies")
	cmd.Flags().StringVar(&faults, "faults", "", "`file` with faults to inject beside the script's")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8900", "`address` to listen on")
	return cmd
}

func serveMock(ctx context.Context, env cli.Env, script, faults, listen string) error {
	if script == "" {
		return cli.Usage(`for example, a file with the line {"content": "Hello."}`, "name a script with --script")
	}
	replies, err := readFile(script, mockllm.Parse)
	if err != nil {
		return err
	}
	options := mockllm.Options{OnFailure: func(err error) { fmt.Fprintf(env.Stderr, "chatterbox: %v\n", err) }}
	if faults != "" {
		if options.Faults, err = readFile(faults, mockllm.ParseFaults); err != nil {
			return err
		}
	}
	mock := mockllm.New(replies, options)
	defer mock.Close()
	err = cli.Serve(ctx, "mockllm", listen, mock, func(address string) {
		fmt.Fprintf(env.Stdout, "listening on http://%[1]s\n"+
			"use it with: CHATTERBOX_LLM_BASE_URL=http://%[1]s/v1 CHATTERBOX_LLM_MODEL=mock\n", address)
	})
	if err != nil {
		return err
	}
	if err := mock.Err(); err != nil {
		return &cli.Error{Code: cli.ExitFailed, Err: err}
	}
	return nil
}

// readFile parses a file that the person named.
func readFile[T any](name string, parse func(name string, r io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, cli.Usage("", "%w", err)
	}
	defer file.Close()
	parsed, err := parse(name, file)
	if err != nil {
		return none, cli.Usage("", "%w", err)
	}
	return parsed, nil
}
