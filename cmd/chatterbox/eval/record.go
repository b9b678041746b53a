package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	evalrun "chatterbox/evals/run"
	"chatterbox/evals/scenario"
	"chatterbox/runtime/config"
	"chatterbox/runtime/history"
)

// evalRecord is one call of eval record.
type evalRecord struct {
	*cli.Flags
	conversation string
	upstream     string
	listen       string
	out          string
	secrets      []string
}

func recordCommand(flags *cli.Flags) *cobra.Command {
	r := &evalRecord{Flags: flags}
	cmd := &cobra.Command{
		Use:   "record --out DIR (--conversation ID | --upstream URL)",
		Short: "Make a scenario of a conversation that was had", Args: cobra.NoArgs,
		Long: "Takes a conversation of the history, or stands between a client and a model's server until Ctrl-C and\n" +
			"takes what passes. Writes features and tools.json, and of what passed a recording that 'eval run --replay'\n" +
			"has again without the model; the history does not keep what models were asked. What looks like a secret is\n" +
			"replaced, and so is each --secret; what was removed is told.",
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context()) },
	}
	cmd.Flags().StringVar(&r.conversation, "conversation", "", "`id` of a conversation of the history")
	cmd.Flags().StringVar(&r.upstream, "upstream", "", "`URL` of the model's server, such as http://127.0.0.1:11434/v1")
	cmd.Flags().StringVar(&r.listen, "listen", "127.0.0.1:8901", "with --upstream: `address` to listen on")
	cmd.Flags().StringVar(&r.out, "out", "", "`folder` to write to; must not be there yet")
	cmd.Flags().StringArrayVar(&r.secrets, "secret", nil, "a `text` to remove wherever it stands; may be given again")
	cmd.MarkFlagsMutuallyExclusive("conversation", "upstream")
	cmd.MarkFlagsOneRequired("conversation", "upstream")
	required(cmd, "out")
	return cmd
}

func (r *evalRecord) run(ctx context.Context) error {
	if _, err := os.Stat(r.out); err == nil {
		return cli.Usage("name another folder with --out", "%s is there already", r.out)
	}
	take := r.stored
	if r.upstream != "" {
		take = r.proxy
	}
	conversations, err := take(ctx)
	if err != nil {
		return err
	}
	scenarios, err := r.write(conversations)
	if err != nil {
		return err
	}
	if r.upstream == "" {
		fmt.Fprintln(r.Env.Stdout, "no recording: the history does not keep what models were asked; "+
			"with --model scripted the scenario plays without one")
		return nil
	}
	// The client's interrupt has ended ctx, as it is meant to.
	if err := r.keep(context.WithoutCancel(ctx), scenarios); err != nil {
		return cli.Infrastructure("", err)
	}
	return nil
}

// stored is a conversation of the history. Its answers of the model are not kept, so each call is one of its own.
func (r *evalRecord) stored(ctx context.Context) ([]evalrun.Conversation, error) {
	settings, err := r.Load(nil)
	if err != nil {
		return nil, err
	}
	store, err := history.Open(ctx, history.Options{Path: settings.InData(config.HistoryFile), TTL: settings.History.TTL})
	if err != nil {
		return nil, cli.Stored(err)
	}
	defer store.Close()
	shown, err := store.Show(ctx, r.conversation)
	if err != nil {
		return nil, cli.Stored(err)
	}
	out := evalrun.Conversation{Name: "Conversation " + r.conversation}
	for _, turn := range shown.Turns {
		one := evalrun.RecordedTurn{User: turn.User, Answer: turn.Assistant}
		var trace evalrun.Trace
		if len(turn.Trace) > 0 && json.Unmarshal(turn.Trace, &trace) != nil {
			return nil, cli.Failed("the trace of turn %s cannot be read", turn.ID)
		}
		for _, c := range trace.ToolCalls {
			one.Steps = append(one.Steps, []evalrun.RecordedCall{{Name: c.Name, Arguments: c.Arguments, Result: c.Result}})
		}
		out.Turns = append(out.Turns, one)
	}
	return []evalrun.Conversation{out}, nil
}

// proxy stands before a model's server until it is interrupted, which is how it is meant to end.
func (r *evalRecord) proxy(ctx context.Context) ([]evalrun.Conversation, error) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	proxy := &evalrun.Proxy{Upstream: r.upstream, Client: &http.Client{Transport: transport}}
	err := cli.Serve(ctx, "eval record", r.listen, proxy, func(address string) {
		fmt.Fprintf(r.Env.Stdout, "listening on http://%[1]s\npoint a client at http://%[1]s/v1; Ctrl-C ends the recording\n",
			address)
	})
	if err != nil {
		return nil, err
	}
	conversations, err := proxy.Conversations()
	if err != nil {
		return nil, cli.Failed("%w", err)
	}
	return conversations, nil
}

// write makes a folder for each conversation, since each has its own tools.
func (r *evalRecord) write(conversations []evalrun.Conversation) (out []evalrun.RecordedScenario, err error) {
	for i, c := range conversations {
		scenario, err := evalrun.MakeScenario(c, r.secrets)
		if err != nil {
			return nil, cli.Failed("%w", err)
		}
		folder := filepath.Join(r.out, fmt.Sprintf("recorded-%d", i+1))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, cli.Infrastructure("", err)
		}
		var tools strings.Builder
		if err := cli.PrintJSON(&tools, scenario.Tools); err != nil {
			return nil, err
		}
		for name, text := range map[string]string{"recorded.feature": scenario.Feature, "tools.json": tools.String()} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				return nil, cli.Infrastructure("", err)
			}
		}
		out = append(out, scenario)
		fmt.Fprintf(r.Env.Stdout, "%s: %d turns, %d tools\n", folder, len(c.Turns), len(scenario.Tools))
		for _, what := range scenario.Removed {
			fmt.Fprintf(r.Env.Stdout, "  removed: %s\n", what)
		}
	}
	return out, nil
}

// keep writes the recording of all scenarios.
func (r *evalRecord) keep(ctx context.Context, scenarios []evalrun.RecordedScenario) (err error) {
	opened, err := scenario.Open(os.DirFS(r.out))
	if err != nil {
		return err
	}
	name := filepath.Join(r.out, "recording.jsonl")
	to, err := evalrun.StartRecording(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	for i, scenario := range scenarios {
		if err := scenario.Keep(ctx, opened, fmt.Sprintf("recorded-%d/recorded.feature", i+1), to); err != nil {
			return fmt.Errorf("keep the answers of recorded-%d: %w", i+1, err)
		}
	}
	fmt.Fprintf(r.Env.Stdout, "%[1]s: chatterbox eval run --features %[2]s --model %[3]s --replay %[1]s --runs 1\n",
		name, r.out, scenarios[0].Model)
	return nil
}
