package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
		return lock, &cli.Error{
			Code: cli.ExitFailed, Hint: "move it away; the tools stay, and count as put there by hand until they are installed again",
			Err: fmt.Errorf("%s is not a lockfile of this version", cli.InLine(lockPath(settings))),
		}
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

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// digestOfFile is empty where there is no file.
func digestOfFile(file string) (string, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

func removeCommand(host *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove an installed tool, what it was allowed and what it kept", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := host.Load(nil)
			if err != nil {
				return err
			}
			lock, err := readLock(settings)
			if err != nil {
				return err
			}
			for stem, file := range lock.Files {
				if stem == args[0] || slices.Contains(file.Tools, args[0]) {
					return removeTool(host, settings, lock, stem)
				}
			}
			infos, err := installedTools(cmd.Context(), host, settings)
			if err != nil {
				return err
			}
			for _, info := range infos {
				if info.Name == args[0] && !info.Builtin {
					stem := stemOf(info.File)
					for _, other := range infos {
						if other.File == info.File {
							file := lock.Files[stem]
							file.Tools = append(file.Tools, other.Name)
							lock.Files[stem] = file
						}
					}
					return removeTool(host, settings, lock, stem)
				}
			}
			if file := filepath.Join(settings.Tools.Dir, args[0]+".wasm"); stemOf(file) == args[0] && isFile(file) {
				return removeTool(host, settings, lock, args[0]) // a file that gave no tool
			}
			return cli.Usage("chatterbox tool list shows the tools; built-in ones go with tools.builtin: false", "there is no installed tool %q", args[0])
		},
	}
}

// stemOf is the name under which a module's file is in the lockfile.
func stemOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".wasm") }

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// removeTool takes the module away first: what is left without it does nothing.
func removeTool(host *cli.Host, settings config.Config, lock lockfile, stem string) error {
	file := lock.Files[stem]
	for _, suffix := range []string{".wasm", ".tool.json"} {
		if err := os.Remove(filepath.Join(settings.Tools.Dir, stem+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cli.Infrastructure("", fmt.Errorf("remove the tool: %w", err))
		}
	}
	kept := toolbox.NewKV(settings.InData(config.KVFolder))
	for _, name := range file.Tools {
		if err := errors.Join(toolbox.RemoveApproval(settings.InData(config.GrantsFolder), name), kept.Forget(name)); err != nil {
			return cli.Infrastructure("", err)
		}
	}
	delete(lock.Files, stem)
	if err := lock.write(settings); err != nil {
		return err
	}
	of := "no tool"
	if len(file.Tools) > 0 {
		of = strings.Join(file.Tools, ", ")
	}
	fmt.Fprintf(host.Env.Stdout, "removed %s (%s)\n", cli.InLine(stem), of)
	return nil
}
