package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolswasm "chatterbox/tools-wasm"
)

// newToolName is narrower than what a manifest may have: it is the name of a folder, a Go module and a crate, too.
var newToolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

func newToolNew(common *commonFlags) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new NAME --lang " + strings.Join(toolswasm.Languages(), "|"),
		Short: "Make a folder NAME with a tool that builds as it stands",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			name := filepath.Base(dir)
			if !newToolName.MatchString(name) {
				return usageError("for example: chatterbox tool new word_count --lang go",
					"%q: a new tool's name has small letters, digits and _, and begins with a letter", name)
			}
			files, ok := toolswasm.Template(language, name)
			if !ok {
				return usageError("any language will do: write a folder with a tool.json by hand, see tools-wasm/ABI.md",
					"--lang is one of %s", strings.Join(toolswasm.Languages(), ", "))
			}
			if err := os.Mkdir(dir, 0o755); errors.Is(err, os.ErrExist) {
				return usageError("", "%s is there already", inLine(dir))
			} else if err != nil {
				return infrastructureError("", err)
			}
			var written []string
			for file, content := range files {
				if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
					return infrastructureError("", err)
				}
				written = append(written, file)
			}
			slices.Sort(written)
			fmt.Fprintf(common.env.Stdout, "%s: %s\n", inLine(dir), strings.Join(written, ", "))
			fmt.Fprintf(common.env.Stdout, "next: cd %s && chatterbox tool build && chatterbox tool check\n", inLine(dir))
			return nil
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `language`: "+strings.Join(toolswasm.Languages(), ", "))
	return cmd
}
