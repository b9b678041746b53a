package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
)

func inspectCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [FILE|FOLDER]",
		Short: "Show what a module is, by default the one built in this folder: ABI, imports, exports, what it asks for, digest",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := folderOf(args)
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				p, err := openProject(file)
				if err != nil {
					return err
				}
				file = p.module()
			}
			return inspectModule(cmd, host, file, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func inspectModule(cmd *cobra.Command, host *cli.Host, file string, asJSON bool) error {
	module, text, err := readModule(file)
	if err != nil {
		return err
	}
	settings, err := host.Load(nil)
	if err != nil {
		return err
	}
	t, err := openAlone(cmd.Context(), host, settings, "inspected", module, nil)
	if err != nil {
		return err
	}
	defer t.Close()
	known, manifests, err := toolbox.Inspect(cmd.Context(), t.Pool, module, text)
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
	fmt.Fprintf(out, "file     %s, %d bytes\ndigest   %s\nabi      %s\nmemory   %s at the start\n", cli.InLine(filepath.Base(file)), len(module), known.Digest, known.ABI, cli.Count(int(known.MemoryPages), "page"))
	fmt.Fprintf(out, "imports  %s\nexports  %s\n", listed(known.Imports), listed(known.Exports))
	for _, manifest := range manifests {
		fmt.Fprintf(out, "tool     %s asks for this: %s\n", manifest.Name, strings.Join(inWords(toolbox.Grant(manifest.Asks), nothingMissing()), " "))
	}
	if len(manifests) == 0 {
		fmt.Fprintln(out, "tool     no manifest")
	}
	return nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
