package tool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// lockfile says what was installed, file by file, and from where. It lies in the data folder, apart from the tools.
type lockfile struct {
	Version int                   `json:"version"`
	Files   map[string]lockedFile `json:"files"` // by name without suffix
}

type lockedFile struct {
	Tools    []string `json:"tools"`
	Module   string   `json:"module"`             // digest of NAME.wasm
	Manifest string   `json:"manifest,omitempty"` // digest of NAME.tool.json, where there is one
	Source   string   `json:"source"`             // what was asked for: a path or a reference
	Pinned   string   `json:"pinned,omitempty"`   // the reference by digest that it came to
	SignedBy string   `json:"signed_by,omitempty"`
}

const lockVersion = 1

func lockPath(settings config.Config) string { return settings.InData(config.LockFile) }

func readLock(settings config.Config) (lockfile, error) {
	lock := lockfile{Version: lockVersion, Files: map[string]lockedFile{}}
	text, err := os.ReadFile(lockPath(settings))
	if errors.Is(err, fs.ErrNotExist) {
		return lock, nil
	} else if err != nil {
		return lock, cli.Infrastructure("", err)
	}
	if err := json.Unmarshal(text, &lock); err != nil || lock.Version != lockVersion || lock.Files == nil {
		return lock, cli.FailedHint("move it away; the tools stay, and count as put there by hand until they are installed again",
			"%s is not a lockfile of this version", cli.InLine(lockPath(settings)))
	}
	return lock, nil
}

func (l lockfile) write(settings config.Config) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err == nil {
		err = toolbox.WriteFile(lockPath(settings), append(text, '\n'), 0o600)
	}
	if err != nil {
		return cli.Infrastructure("", fmt.Errorf("write the lockfile: %w", err))
	}
	return nil
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// digestOfFile is empty where there is no file.
func digestOfFile(file string) (string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return digest(data), err
}

func removeCommand(host *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove an installed tool, what it was allowed and what it kept", Args: cobra.ExactArgs(1),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			lock, err := readLock(settings)
			if err != nil {
				return err
			}
			stem, tools, err := findInstalled(ctx, host, settings, lock, args[0])
			if err != nil {
				return err
			}
			if err := removeTool(settings, lock, stem, tools); err != nil {
				return err
			}
			fmt.Fprintf(host.Env.Stdout, "removed %s (%s)\n", cli.InLine(stem), cli.List(tools, "no tool"))
			return nil
		}),
	}
}

// findInstalled gives the file that a name means, and its tools: one that was installed, one that was put there by
// hand, or one that gave no tool.
func findInstalled(
	ctx context.Context, host *cli.Host, settings config.Config, lock lockfile, name string,
) (stem string, tools []string, err error) {
	for stem, file := range lock.Files {
		if stem == name || slices.Contains(file.Tools, name) {
			return stem, file.Tools, nil
		}
	}
	infos, err := installedTools(ctx, host, settings)
	if err != nil {
		return "", nil, err
	}
	at := slices.IndexFunc(infos, func(i toolbox.Info) bool { return i.Name == name && !i.Builtin })
	if at < 0 {
		if file := filepath.Join(settings.Tools.Dir, name+".wasm"); stemOf(file) == name && isFile(file) {
			return name, nil, nil
		}
		return "", nil, cli.Usage("chatterbox tool list shows the tools; built-in ones go with tools.builtin: false",
			"there is no installed tool %q", name)
	}
	for _, info := range infos {
		if info.File == infos[at].File {
			tools = append(tools, info.Name)
		}
	}
	return stemOf(infos[at].File), tools, nil
}

// stemOf is the name under which a module's file is in the lockfile.
func stemOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".wasm") }

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// removeTool takes the module away first: what is left without it does nothing.
func removeTool(settings config.Config, lock lockfile, stem string, tools []string) error {
	for _, suffix := range []string{".wasm", ".tool.json"} {
		if err := os.Remove(filepath.Join(settings.Tools.Dir, stem+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cli.Infrastructure("", fmt.Errorf("remove the tool: %w", err))
		}
	}
	kept := toolbox.NewKV(settings.InData(config.KVFolder))
	for _, name := range tools {
		err := errors.Join(toolbox.RemoveApproval(settings.InData(config.GrantsFolder), name), kept.Forget(name))
		if err != nil {
			return cli.Infrastructure("", err)
		}
	}
	delete(lock.Files, stem)
	return lock.write(settings)
}

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
