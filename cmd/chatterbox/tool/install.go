package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/worker"
)

// parcel is a tool on its way into the folder of tools.
type parcel struct {
	module, manifest []byte // manifest is the file beside the module; nil where there is none
	locked           lockedFile
}

func installCommand(host *cli.Host) *cobra.Command {
	var how consent
	var from origin
	cmd := &cobra.Command{
		Use:   "install FILE|FOLDER|REFERENCE",
		Short: "Install a tool from a file, a folder or a registry, and decide what it may do",
		Long: "Install a tool from a file, a folder with one .wasm in it, or a registry: HOST/NAME@sha256:… or HOST/NAME:TAG,\n" +
			"which is resolved, shown and pinned. What comes from a registry must be signed with a key that you trust.",
		Args: cobra.ExactArgs(1),
		RunE: host.Configured(func(ctx context.Context, settings config.Config, args []string) error {
			p, err := from.fetch(ctx, host, settings, args[0])
			if err != nil {
				return err
			}
			return install(ctx, host, settings, p, &how)
		}),
	}
	how.flags(cmd)
	from.flags(cmd)
	return cmd
}

const installBytesMax = 32 << 20

// readParcel reads a module from a file, or the one in a folder.
func readParcel(path string) (parcel, error) {
	info, err := os.Stat(path)
	if err != nil {
		return parcel{}, cli.Usage("", "%w", err)
	}
	file := path
	if info.IsDir() {
		found, err := filepath.Glob(filepath.Join(path, "*.wasm"))
		if err != nil || len(found) != 1 {
			return parcel{}, cli.Usage("name the file, or build it first: chatterbox tool build",
				"%s holds %d .wasm files, not one", cli.InLine(path), len(found))
		}
		file = found[0]
		if info, err = os.Stat(file); err != nil {
			return parcel{}, cli.Usage("", "%w", err)
		}
	}
	stem, isModule := strings.CutSuffix(file, ".wasm")
	if !isModule || !info.Mode().IsRegular() || info.Size() > installBytesMax {
		return parcel{}, cli.Usage("", "%s is not a .wasm file of at most %d bytes", cli.InLine(file), installBytesMax)
	}
	p := parcel{locked: lockedFile{Source: file}}
	if whole, err := filepath.Abs(file); err == nil {
		p.locked.Source = whole
	}
	if p.module, err = os.ReadFile(file); err != nil {
		return parcel{}, cli.Infrastructure("", err)
	}
	if p.manifest, err = os.ReadFile(stem + ".tool.json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return parcel{}, cli.Infrastructure("", err)
	}
	return p, nil
}

// install checks the parcel, gets the person's yes and puts everything in place, the module last: until it is there,
// nothing else has an effect.
func install(ctx context.Context, host *cli.Host, settings config.Config, p parcel, how *consent) error {
	t, err := openInstalled(ctx, host, settings)
	if err != nil {
		return err
	}
	defer t.Close()
	known, manifests, err := toolbox.Inspect(ctx, t.Pool, p.module, p.manifest)
	if err != nil {
		return cli.Failed("%s cannot be installed: %w", cli.InLine(p.locked.Source), err)
	}
	if known.Manifest != nil {
		p.manifest = nil // the one in the module wins
	}
	stem, err := checkNames(host, t.Box.Tools(), settings, p.locked.Source, manifests)
	if err != nil {
		return err
	}
	p.locked.Module = digest(p.module)
	if p.manifest != nil {
		p.locked.Manifest = digest(p.manifest)
	}
	var tools []asked
	for _, m := range manifests {
		p.locked.Tools = append(p.locked.Tools, m.Name)
		tools = append(tools, asked{m.Name, known.Digest, m.Shown(), toolbox.Grant(m.Asks)})
	}
	printParcel(host, p, known.ABI, manifests)
	approvals, err := how.approvals(host, settings, tools)
	if err != nil {
		return err
	}
	lock, err := readLock(settings)
	if err != nil {
		return err
	}
	lock.Files[stem] = p.locked
	if err := putInPlace(settings, lock, stem, p, approvals); err != nil {
		return err
	}
	fmt.Fprintf(host.Env.Stdout, "installed %s (%s)\n", stem, p.locked.Module)
	return nil
}

func putInPlace(settings config.Config, lock lockfile, stem string, p parcel, approvals []toolbox.Approval) error {
	if err := keepApprovals(settings, approvals); err != nil {
		return err
	}
	file := filepath.Join(settings.Tools.Dir, stem)
	var err error
	if p.manifest != nil {
		err = toolbox.WriteFile(file+".tool.json", p.manifest, 0o644)
	} else if err = os.Remove(file + ".tool.json"); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = lock.write(settings)
	}
	if err == nil {
		err = toolbox.WriteFile(file+".wasm", p.module, 0o644)
	}
	if err != nil {
		return cli.Infrastructure("", fmt.Errorf("install %s: %w", stem, err))
	}
	return nil
}

func printParcel(host *cli.Host, p parcel, abi worker.ABI, manifests []toolbox.Manifest) {
	out := host.Env.Stdout
	fmt.Fprintf(out, "from      %s\n", cli.InLine(p.locked.Source))
	if p.locked.Pinned != "" {
		fmt.Fprintf(out, "pinned    %s\n", p.locked.Pinned)
		fmt.Fprintf(out, "signed by %s\n", cmp.Or(p.locked.SignedBy, "nobody: you said --unsigned"))
	}
	fmt.Fprintf(out, "module    %s, %s, %d bytes\n", p.locked.Module, abi, len(p.module))
	for _, m := range manifests {
		fmt.Fprintln(out)
		printDescribed(out, m.Name, m.Description)
	}
}

// printDescribed says what a tool says of itself. Further lines stand in, so that none can pass for a line of ours.
func printDescribed(out io.Writer, name, description string) {
	fmt.Fprintf(out, "%s: %s\n", name, strings.ReplaceAll(description, "\n", "\n    "))
}

// checkNames refuses names that are taken or look like one that is, warns of words about other tools, and gives the
// name of the file to be. A tool may replace an older version of itself, which is the file that has all its names.
func checkNames(
	host *cli.Host, infos []toolbox.Info, settings config.Config, source string, manifests []toolbox.Manifest,
) (string, error) {
	stem := manifests[0].Name
	if len(manifests) > 1 {
		stem = fileStem(source)
	}
	target := filepath.Join(settings.Tools.Dir, stem+".wasm")
	var others []string
	for _, info := range infos {
		if info.File == target {
			continue
		}
		others = append(others, info.Name)
		for _, m := range manifests {
			if !toolbox.SameName(m.Name, info.Name) {
				continue
			}
			if info.Builtin {
				return "", cli.Failed("the name %q is that of the built-in tool %s, or looks like it", m.Name, info.Name)
			}
			return "", cli.Failed("the name %q is that of %s in %s, or looks like it; chatterbox tool remove %s removes that one",
				m.Name, info.Name, cli.InLine(info.File), info.Name)
		}
	}
	for _, m := range manifests {
		for _, line := range toolbox.Mentions(m, others) {
			fmt.Fprintf(host.Env.Stderr, "chatterbox: warning: %s "+
				"A tool has no business with another one: read its description with care.\n", line)
		}
	}
	return stem, nil
}

// fileStem is what a module with several tools is called: the last part of where it came from.
func fileStem(source string) string {
	name, _, _ := strings.Cut(filepath.Base(source), "@")
	name, _, _ = strings.Cut(name, ":")
	return notInNames.ReplaceAllString(strings.TrimSuffix(name, ".wasm"), "_")
}
