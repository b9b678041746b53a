package tool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	toolswasm "chatterbox/tools-wasm"
)

// toolName is narrower than what a manifest may have: it is the name of a folder, a Go module and a crate, too.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func newCommand(host *cli.Host) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new NAME --lang " + strings.Join(toolswasm.Languages(), "|"),
		Short: "Make a folder NAME with a tool that builds as it stands",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			name := filepath.Base(dir)
			if !toolName.MatchString(name) {
				return cli.Usage("for example: chatterbox tool new word_count --lang go",
					"%q: a new tool's name has small letters, digits and _, and begins with a letter", name)
			}
			files, ok := toolswasm.Template(language, name)
			if !ok {
				return cli.Usage("any language will do: write a folder with a tool.json by hand, see tools-wasm/ABI.md",
					"--lang is one of %s", strings.Join(toolswasm.Languages(), ", "))
			}
			if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
				return cli.Usage("", "%s is there already", cli.InLine(dir))
			} else if err != nil {
				return cli.Infrastructure("", err)
			}
			var written []string
			for file, content := range files {
				if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
					return cli.Infrastructure("", err)
				}
				written = append(written, file)
			}
			slices.Sort(written)
			fmt.Fprintf(host.Env.Stdout, "%s: %s\n", cli.InLine(dir), strings.Join(written, ", "))
			fmt.Fprintf(host.Env.Stdout, "next: cd %s && chatterbox tool build && chatterbox tool check\n", cli.InLine(dir))
			return nil
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `language`: "+strings.Join(toolswasm.Languages(), ", "))
	return cmd
}
