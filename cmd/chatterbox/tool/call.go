package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop"
	"chatterbox/runtime/config"
)

func callCommand(host *cli.Host) *cobra.Command {
	var traced bool
	cmd := &cobra.Command{
		Use:   "call NAME|FILE.wasm [JSON]",
		Short: "Call a tool under the rights that it has, or a module by its path with nothing granted, and print its result",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			call := loop.Call{ID: "call_1", Name: args[0], Arguments: "{}"}
			if len(args) == 2 {
				call.Arguments = args[1]
			}
			var object map[string]json.RawMessage
			if err := json.Unmarshal([]byte(call.Arguments), &object); err != nil {
				wrong := errors.New("arguments are not a JSON object")
				if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
					wrong = fmt.Errorf("%w: %w", wrong, syntax)
				}
				return cli.Usage(`for example: chatterbox tool call get_weather '{"location":"Oslo"}'`, "%w", wrong)
			}
			t, name, err := openCallable(cmd.Context(), host, call.Name)
			if err != nil {
				return err
			}
			defer t.Close()
			call.Name = name
			ctx := cmd.Context()
			notes := &trace{}
			if traced {
				ctx = withTrace(ctx, notes)
			}
			result := callTool(ctx, t, call)
			fmt.Fprintln(cli.NewJSONText(host.Env.Stdout), result.Content)
			if traced {
				notes.print(host.Env.Stderr)
			}
			if ctx.Err() != nil {
				return &cli.Error{Code: cli.ExitInterrupted, Err: errors.New("interrupted")}
			}
			if result.Failed {
				return cli.Failed("%s failed", call.Name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&traced, "trace", false, "print what it asked of the host, its log, time, memory and fuel to standard error")
	return cmd
}

// openCallable opens the tools among which the called one is, and answers its name: what ends in .wasm is a path.
func openCallable(ctx context.Context, host *cli.Host, called string) (*cli.Tools, string, error) {
	settings, err := host.Load(nil)
	if err != nil {
		return nil, "", err
	}
	if !strings.HasSuffix(called, ".wasm") {
		t, err := host.Tools(ctx, settings, host.Env.Stderr)
		return t, called, err
	}
	module, manifest, err := readModule(called)
	if err != nil {
		return nil, "", err
	}
	stem := notInNames.ReplaceAllString(stemOf(called), "_")
	if manifest != nil {
		return openModule(ctx, host, settings, called, stem, module, withoutRights(manifest))
	}
	if t, name, err := openModule(ctx, host, settings, called, stem, module, nil); err == nil {
		return t, name, nil // it describes itself
	}
	return openModule(ctx, host, settings, called, stem, module, plainManifest(stem))
}

// openModule opens one module and answers the name of its first tool that can be used.
func openModule(
	ctx context.Context, host *cli.Host, settings config.Config, file, stem string, module, manifest []byte,
) (*cli.Tools, string, error) {
	t, err := openAlone(ctx, host, settings, stem, module, manifest)
	if err != nil {
		return nil, "", err
	}
	reasons := problemsOf(t, stem)
	for _, info := range t.Box.Tools() {
		if !info.Builtin && len(reasons) == 0 {
			return t, info.Name, nil
		}
	}
	t.Close()
	return nil, "", cli.Failed("%s: %s", cli.InLine(file), cli.InLine(append(reasons, "it has no tool")[0]))
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// callTool runs the call as the loop would. The person at the command line is the one whose yes a question waits for.
func callTool(ctx context.Context, t *cli.Tools, call loop.Call) loop.Result {
	verdict := t.Check(ctx, call)
	if verdict.Decision == loop.Refuse {
		return loop.ErrorResult(verdict.Reason)
	}
	verdict.Decision = loop.Run
	return t.Call(ctx, call, verdict)
}
