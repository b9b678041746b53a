// Package service runs chatterbox as a systemd service.
package service

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

//go:embed unit/chatterbox.service
var unitText []byte

// Where an installation puts its files, below the root folder.
const (
	unitName   = "chatterbox.service"
	unitPath   = "etc/systemd/system/" + unitName
	binaryPath = "usr/local/bin/chatterbox"
	configPath = "etc/chatterbox/chatterbox.yaml"
	dataPath   = "var/lib/chatterbox"
)

// installation is a systemd service below root. On the running system root is "/"; any other folder is only filled with
// files, which is how packages are made.
type installation struct {
	root string
	out  io.Writer
	json bool // the status is for a program
	// systemctl runs one systemctl command and returns what it printed; nil where files are all there is to do.
	systemctl func(ctx context.Context, args ...string) (string, error)
}

// New is the command service.
func New(host *cli.Host) *cobra.Command {
	service := &cobra.Command{Use: "service", Short: "Run as a systemd service, with rights for nothing else"}
	at := &installation{out: host.Env.Stdout}
	service.PersistentPreRun = func(*cobra.Command, []string) {
		if at.root == "/" {
			at.systemctl = runSystemctl
		}
	}
	service.PersistentFlags().StringVar(&at.root, "root", "/", "install below this `folder` and start nothing")
	command := func(use, short string, run func(context.Context) error) *cobra.Command {
		cmd := &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context()) },
		}
		service.AddCommand(cmd)
		return cmd
	}
	command("install", "Copy this file, write configuration and unit, start at every boot", func(ctx context.Context) error {
		self, err := os.Executable()
		if err != nil {
			return cli.Infrastructure("", fmt.Errorf("find the own file: %w", err))
		}
		return at.install(ctx, self)
	})
	command("status", "Say whether the service is installed and running", at.status).
		Flags().BoolVar(&at.json, "json", false, "print as JSON")
	var purge bool
	command("uninstall", "Stop and remove the service; configuration and conversations stay", func(ctx context.Context) error {
		return at.uninstall(ctx, purge)
	}).Flags().BoolVar(&purge, "purge", false, "remove configuration and conversations too")
	return service
}

func (i *installation) path(name string) string { return filepath.Join(i.root, name) }
func (i *installation) live() bool              { return i.systemctl != nil }

func (i *installation) install(ctx context.Context, self string) error {
	if i.live() {
		if out, err := i.systemctl(ctx, "show", "--property=Version"); err != nil {
			return cli.Infrastructure("have what starts programs on this machine run: chatterbox serve",
				fmt.Errorf("systemd does not run here: %w: %s", err, strings.TrimSpace(out)))
		}
	}
	if err := i.write(self); err != nil {
		return explained(err)
	}
	if !i.live() {
		fmt.Fprintf(i.out, "files are below %s; nothing was started\n", i.root)
		return nil
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", unitName}, {"restart", unitName}} {
		if out, err := i.systemctl(ctx, args...); err != nil {
			return cli.Infrastructure("see: journalctl -u chatterbox",
				fmt.Errorf("systemctl %s: %w: %s", args[0], err, strings.TrimSpace(out)))
		}
	}
	fmt.Fprintf(i.out, "chatterbox runs, and starts at every boot\n"+
		"  settings: /%s, then: systemctl restart chatterbox\n  log: journalctl -u chatterbox\n", configPath)
	return nil
}

// write puts all files in place; a configuration that is there stays.
func (i *installation) write(self string) error {
	program, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	files := []struct {
		name    string
		content []byte
		mode    fs.FileMode
	}{{binaryPath, program, 0o755}, {configPath, []byte(config.Template()), 0o600}, {unitPath, unitText, 0o644}}
	for _, file := range files {
		name := i.path(file.name)
		if _, err := os.Stat(name); err == nil && file.name == configPath {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := toolbox.WriteFile(name, file.content, file.mode); err != nil {
			return err
		}
	}
	return nil
}

func (i *installation) status(ctx context.Context) error {
	if _, err := os.Stat(i.path(unitPath)); err != nil {
		if err := i.say("", false, ""); err != nil {
			return err
		}
		return cli.FailedHint("install it with: sudo chatterbox service install", "the service is not installed")
	}
	if !i.live() {
		return i.say("installed below "+i.root+"\n", true, "")
	}
	state, err := i.systemctl(ctx, "is-active", unitName)
	state = strings.TrimSpace(state)
	if err := i.say("installed, "+state+"\n", true, state); err != nil {
		return err
	}
	if err != nil {
		return cli.FailedHint("see: journalctl -u chatterbox", "the service does not run")
	}
	return nil
}

// say prints the status in words or as JSON. State is systemd's word; empty where it was not asked.
func (i *installation) say(words string, installed bool, state string) error {
	if i.json {
		return cli.PrintJSON(i.out, map[string]any{"installed": installed, "state": state})
	}
	_, err := io.WriteString(i.out, words)
	return err
}

func (i *installation) uninstall(ctx context.Context, purge bool) error {
	if i.live() {
		out, err := i.systemctl(ctx, "disable", "--now", unitName)
		if err != nil && !strings.Contains(out, "does not exist") {
			return cli.Infrastructure("", fmt.Errorf("systemctl disable: %w: %s", err, out))
		}
	}
	remove, said := []string{unitPath, binaryPath}, fmt.Sprintf("removed; /%s and /%s are kept", filepath.Dir(configPath), dataPath)
	if purge {
		remove = append(remove, filepath.Dir(configPath), dataPath, "var/lib/private/chatterbox")
		said = "removed, with configuration and conversations"
	}
	for _, name := range remove {
		if err := os.RemoveAll(i.path(name)); err != nil {
			return explained(err)
		}
	}
	if i.live() {
		if out, err := i.systemctl(ctx, "daemon-reload"); err != nil {
			return cli.Infrastructure("", fmt.Errorf("systemctl daemon-reload: %w: %s", err, out))
		}
	}
	fmt.Fprintln(i.out, said)
	return nil
}

func explained(err error) error {
	hint := ""
	if errors.Is(err, fs.ErrPermission) {
		hint = "run it as root: sudo chatterbox service install"
	}
	return cli.Infrastructure(hint, err)
}

func runSystemctl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	return string(out), err
}

// Ready tells systemd, which waits for it at the end of socket, that the server answers from now on. Without a socket
// nobody waits.
func Ready(socket string) error {
	if socket == "" {
		return nil
	}
	connection, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Net: "unixgram", Name: socket})
	if err != nil {
		return err
	}
	_, err = connection.Write([]byte("READY=1"))
	return errors.Join(err, connection.Close())
}
