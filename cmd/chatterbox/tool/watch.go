package tool

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"chatterbox/cmd/chatterbox/cli"

	"github.com/spf13/cobra"
)

// watchEvery is how often the folder is looked at.
const watchEvery = 300 * time.Millisecond

func watchCommand(host *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use: "watch [FOLDER]", Args: cobra.MaximumNArgs(1),
		Short: "Build and check the tool in a folder, by default this one, whenever a file in it changes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return watchTool(cmd.Context(), host, folderOf(args))
		},
	}
}

// watchTool goes on until ctx ends. A mistake is printed, and waits for the next change; what nothing in the folder can
// mend, such as a missing compiler, ends it.
func watchTool(ctx context.Context, host *cli.Host, dir string) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	var seen uint64
	for {
		now, err := stateOf(dir)
		if err != nil {
			return cli.Usage("", "watch %s: %w", cli.InLine(dir), err)
		}
		if now != seen {
			seen = now
			if err := rebuild(ctx, host, dir); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

func rebuild(ctx context.Context, host *cli.Host, dir string) error {
	p, err := openProject(dir)
	if err == nil {
		err = buildTool(ctx, host.Env, p)
	}
	if err == nil {
		err = checkTool(ctx, host, p, tellPerson(host.Env))
	}
	var coded *cli.Error
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if !errors.As(err, &coded) || coded.Code != cli.ExitFailed {
		return err
	}
	fmt.Fprintf(host.Env.Stdout, "%v; waiting for a change\n", cli.ErrorText(err))
	return nil
}

// stateOf changes when a source in the folder does. What is built there is not looked at.
func stateOf(dir string) (uint64, error) {
	hash := fnv.New64a()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil && path != dir:
			return nil // gone since the folder was read
		case err != nil:
			return err
		case entry.IsDir() && path != dir && (name == "target" || name == "node_modules" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case entry.IsDir(), strings.HasSuffix(name, ".wasm"), strings.HasPrefix(name, "."), name == "Cargo.lock":
			return nil
		}
		if info, err := entry.Info(); err == nil {
			fmt.Fprintf(hash, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return hash.Sum64(), err
}
