package tool

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
)

// verified is what verify found out about one file of tools.dir.
type verified struct {
	File    string `json:"file"`             // without .wasm
	State   string `json:"state"`            // ok, changed, or by hand
	Module  string `json:"module,omitempty"` // digest of what was installed
	Problem string `json:"problem,omitempty"`
}

// The states of a verified file.
const (
	verifiedOK      = "ok"
	verifiedChanged = "changed"
	verifiedByHand  = "by hand" // it was not installed, so there is nothing to compare with
)

func verifyCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "verify", Short: "Compare the installed tools with what was installed", Args: cobra.NoArgs,
		RunE: host.Configured(func(_ context.Context, settings config.Config, _ []string) error {
			files, err := verify(settings)
			if err != nil {
				return err
			}
			if asJSON {
				if err := cli.PrintJSON(host.Env.Stdout, files); err != nil {
					return err
				}
			} else {
				printVerified(host.Env.Stdout, files)
			}
			counted := map[string]int{}
			for _, file := range files {
				counted[file.State]++
			}
			if wrong := counted[verifiedChanged]; wrong > 0 {
				return cli.Failed("%d of %d installed files are not what was installed", wrong, wrong+counted[verifiedOK])
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// verify compares what was installed, and then names what was put beside it by hand.
func verify(settings config.Config) ([]verified, error) {
	lock, err := readLock(settings)
	if err != nil {
		return nil, err
	}
	files := []verified{}
	for _, stem := range slices.Sorted(maps.Keys(lock.Files)) {
		problem, err := lock.Files[stem].compare(filepath.Join(settings.Tools.Dir, stem))
		if err != nil {
			return nil, cli.Infrastructure("", err)
		}
		one := verified{File: stem, State: verifiedOK, Module: lock.Files[stem].Module, Problem: problem}
		if problem != "" {
			one.State = verifiedChanged
		}
		files = append(files, one)
	}
	modules, err := filepath.Glob(filepath.Join(settings.Tools.Dir, "*.wasm"))
	if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	for _, file := range modules {
		if stem := stemOf(file); lock.Files[stem].Module == "" {
			files = append(files, verified{File: stem, State: verifiedByHand})
		}
	}
	return files, nil
}

func printVerified(to io.Writer, files []verified) {
	for _, file := range files {
		says := "put there by hand; nothing to compare with"
		switch file.State {
		case verifiedOK:
			says = "ok " + file.Module
		case verifiedChanged:
			says = cli.InLine(file.Problem)
		}
		fmt.Fprintf(to, "%s: %s\n", cli.InLine(file.File), says)
	}
	if len(files) == 0 {
		fmt.Fprintln(to, "no tool is installed; the built-in ones are part of this program")
	}
}

// compare says what of the files at path, without suffix, is not what was installed.
func (l lockedFile) compare(path string) (string, error) {
	for suffix, want := range map[string]string{".wasm": l.Module, ".tool.json": l.Manifest} {
		got, err := digestOfFile(path + suffix)
		switch {
		case err != nil:
			return "", err
		case got == want:
		case got == "":
			return filepath.Base(path) + suffix + " is missing", nil
		case want == "":
			return filepath.Base(path) + suffix + " was not there when the tool was installed", nil
		default:
			return fmt.Sprintf("%s%s has changed: it is %s, installed was %s", filepath.Base(path), suffix, got, want), nil
		}
	}
	return "", nil
}
