package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

func inspectCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [FILE|FOLDER]",
		Short: "Show what a module is, by default the one built in this folder: ABI, imports, exports, what it asks for, digest",
		Args:  cobra.MaximumNArgs(1),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			file := folderOf(args)
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				p, err := openProject(file)
				if err != nil {
					return err
				}
				file = p.module()
			}
			return inspectModule(ctx, host, settings, file, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func inspectModule(ctx context.Context, host *cli.Host, settings config.Config, file string, asJSON bool) error {
	module, text, err := readModule(file)
	if err != nil {
		return err
	}
	t, err := openAlone(ctx, host, settings, "inspected", module, nil)
	if err != nil {
		return err
	}
	defer t.Close()
	known, manifests, err := toolbox.Inspect(ctx, t.Pool, module, text)
	if err != nil && !errors.Is(err, toolbox.ErrNoManifest) {
		return cli.Failed("%s: %w", cli.InLine(file), err)
	}
	if asJSON {
		return cli.PrintJSON(host.Env.Stdout, map[string]any{
			"file": file, "abi": known.ABI, "bytes": len(module), "digest": known.Digest, "memory_pages": known.MemoryPages,
			"imports": known.Imports, "exports": known.Exports, "tools": manifests,
		})
	}
	out := host.Env.Stdout
	fmt.Fprintf(out, "file     %s, %d bytes\ndigest   %s\nabi      %s\nmemory   %s at the start\n",
		cli.InLine(filepath.Base(file)), len(module), known.Digest, known.ABI, cli.Count(int(known.MemoryPages), "page"))
	fmt.Fprintf(out, "imports  %s\nexports  %s\n", cli.List(known.Imports, "none"), cli.List(known.Exports, "none"))
	for _, manifest := range manifests {
		fmt.Fprintf(out, "tool     %s asks for this: %s\n", manifest.Name, asksInWords(manifest))
	}
	if len(manifests) == 0 {
		fmt.Fprintln(out, "tool     no manifest")
	}
	return nil
}
