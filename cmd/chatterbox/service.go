package main

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
)

//go:embed unit/chatterbox.service
var unitText []byte

// Where an installation puts its files, below the root folder.
const (
	unitPath   = "etc/systemd/system/chatterbox.service"
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

func newService(common *commonFlags) *cobra.Command {
	service := &cobra.Command{Use: "service", Short: "Run as a systemd service, with rights for nothing else"}
	at := &installation{out: common.env.Stdout}
	service.PersistentPreRun = func(*cobra.Command, []string) {
		if at.root == "/" {
			at.systemctl = runSystemctl
		}
	}
	service.PersistentFlags().StringVar(&at.root, "root", "/", "install below this `folder` and start nothing")
	service.AddCommand(
		&cobra.Command{
			Use: "install", Short: "Copy this file, write configuration and unit, start at every boot", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				self, err := os.Executable()
				if err != nil {
					return infrastructureError("", fmt.Errorf("find the own file: %w", err))
				}
				return at.install(cmd.Context(), self)
			},
		},
		newServiceStatus(at), newUninstall(at),
	)
	return service
}

func newServiceStatus(at *installation) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status", Short: "Say whether the service is installed and running", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return at.status(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&at.json, "json", false, "print as JSON")
	return cmd
}

func newUninstall(at *installation) *cobra.Command {
	var purge bool
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Stop and remove the service; configuration and conversations stay", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return at.uninstall(cmd.Context(), purge) },
	}
	cmd.Flags().BoolVar(&purge, "purge", false, "remove configuration and conversations too")
	return cmd
}

func (i *installation) path(name string) string { return filepath.Join(i.root, name) }
func (i *installation) live() bool              { return i.systemctl != nil }

func (i *installation) install(ctx context.Context, self string) error {
	if i.live() {
		if out, err := i.systemctl(ctx, "show", "--property=Version"); err != nil {
			return infrastructureError("have what starts programs on this machine run: chatterbox serve",
				fmt.Errorf("systemd does not run here: %w: %s", err, strings.TrimSpace(out)))
		}
	}
	if err := i.copyFile(self, i.path(binaryPath), 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(i.path(configPath)); errors.Is(err, fs.ErrNotExist) {
		if err := i.write(i.path(configPath), []byte(configTemplate()), 0o600); err != nil {
			return err
		}
	}
	if err := i.write(i.path(unitPath), unitText, 0o644); err != nil {
		return err
	}
	if !i.live() {
		fmt.Fprintf(i.out, "files are below %s; nothing was started\n", i.root)
		return nil
	}
	for _, args := range [][]string{{"daemon-reload"}, {"enable", "chatterbox.service"}, {"restart", "chatterbox.service"}} {
		if out, err := i.systemctl(ctx, args...); err != nil {
			return infrastructureError("see: journalctl -u chatterbox", fmt.Errorf("systemctl %s: %w: %s", args[0], err, strings.TrimSpace(out)))
		}
	}
	fmt.Fprintf(i.out, "chatterbox runs, and starts at every boot\n  settings: /%s, then: systemctl restart chatterbox\n  log: journalctl -u chatterbox\n", configPath)
	return nil
}

func (i *installation) status(ctx context.Context) error {
	if _, err := os.Stat(i.path(unitPath)); err != nil {
		if err := i.say("", false, ""); err != nil {
			return err
		}
		return &codedError{Code: exitFailed, Hint: "install it with: sudo chatterbox service install", Err: errors.New("the service is not installed")}
	}
	if !i.live() {
		return i.say("installed below "+i.root+"\n", true, "")
	}
	state, err := i.systemctl(ctx, "is-active", "chatterbox.service")
	state = strings.TrimSpace(state)
	if err := i.say("installed, "+state+"\n", true, state); err != nil {
		return err
	}
	if err != nil {
		return &codedError{Code: exitFailed, Hint: "see: journalctl -u chatterbox", Err: errors.New("the service does not run")}
	}
	return nil
}

// say prints the status in words or as JSON. State is systemd's word; empty where it was not asked.
func (i *installation) say(words string, installed bool, state string) error {
	if i.json {
		return printJSON(i.out, map[string]any{"installed": installed, "state": state})
	}
	_, err := io.WriteString(i.out, words)
	return err
}

func (i *installation) uninstall(ctx context.Context, purge bool) error {
	if i.live() {
		if out, err := i.systemctl(ctx, "disable", "--now", "chatterbox.service"); err != nil && !strings.Contains(out, "does not exist") {
			return infrastructureError("", fmt.Errorf("systemctl disable: %w: %s", err, out))
		}
	}
	remove := []string{unitPath, binaryPath}
	if purge {
		remove = append(remove, filepath.Dir(configPath), dataPath, "var/lib/private/chatterbox")
	}
	for _, name := range remove {
		if err := os.RemoveAll(i.path(name)); err != nil {
			return i.explain(err)
		}
	}
	if i.live() {
		if out, err := i.systemctl(ctx, "daemon-reload"); err != nil {
			return infrastructureError("", fmt.Errorf("systemctl daemon-reload: %w: %s", err, out))
		}
	}
	if purge {
		fmt.Fprintln(i.out, "removed, with configuration and conversations")
	} else {
		fmt.Fprintf(i.out, "removed; /%s and /%s are kept\n", filepath.Dir(configPath), dataPath)
	}
	return nil
}

func (i *installation) write(name string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return i.explain(err)
	}
	// A running program's file cannot be written to, but it can be replaced.
	temporary := name + ".new"
	if err := os.WriteFile(temporary, content, mode); err != nil {
		return i.explain(err)
	}
	if err := os.Chmod(temporary, mode); err != nil {
		return i.explain(err)
	}
	return i.explain(os.Rename(temporary, name))
}

func (i *installation) copyFile(from, to string, mode fs.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return i.explain(err)
	}
	return i.write(to, content, mode)
}

func (i *installation) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return infrastructureError("run it as root: sudo chatterbox service install", err)
	}
	return infrastructureError("", err)
}

func runSystemctl(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	return string(out), err
}

// notifyReady tells systemd, which waits for it at the end of socket, that the server answers from now on. Without a socket
// nobody waits.
func notifyReady(socket string) error {
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
