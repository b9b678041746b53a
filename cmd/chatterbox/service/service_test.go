package service

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
)

// fakeSystemd is a machine on which the commands fail that begin with one of broken. It notes what it is told to do.
type fakeSystemd struct {
	told   []string
	broken []string
}

func (s *fakeSystemd) run(_ context.Context, args ...string) (string, error) {
	command := strings.Join(args, " ")
	s.told = append(s.told, command)
	if slices.ContainsFunc(s.broken, func(one string) bool { return strings.HasPrefix(command, one) }) {
		return "it is broken\n", errors.New("exit status 1")
	}
	return "active\n", nil
}

func TestServiceOnARunningSystem(t *testing.T) {
	self := filepath.Join(t.TempDir(), "self")
	if err := os.WriteFile(self, []byte("program"), 0o700); err != nil {
		t.Fatal(err)
	}
	installed := []string{"show --property=Version", "daemon-reload", "enable chatterbox.service", "restart chatterbox.service"}
	for name, test := range map[string]struct {
		broken  []string
		do      func(*installation) error
		told    []string // after the installation, which is told first
		code    int
		printed string
	}{
		"it is installed and started": {
			do: func(*installation) error { return nil }, printed: "chatterbox runs, and starts at every boot",
		},
		"it runs": {
			do:   func(i *installation) error { return i.status(t.Context()) },
			told: []string{"is-active chatterbox.service"}, printed: "installed, active",
		},
		"it does not run": {
			broken: []string{"is-active"}, do: func(i *installation) error { return i.status(t.Context()) },
			told: []string{"is-active chatterbox.service"}, code: cli.ExitFailed, printed: "installed, it is broken",
		},
		"it is removed": {
			do:   func(i *installation) error { return i.uninstall(t.Context(), false) },
			told: []string{"disable --now chatterbox.service", "daemon-reload"}, printed: "removed; /etc/chatterbox and /var/lib/chatterbox are kept",
		},
		"it cannot be stopped": {
			broken: []string{"disable"}, do: func(i *installation) error { return i.uninstall(t.Context(), false) },
			told: []string{"disable --now chatterbox.service"}, code: cli.ExitInfrastructure,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			systemd := &fakeSystemd{broken: test.broken}
			i := &installation{root: t.TempDir(), out: &out, systemctl: systemd.run}
			if err := i.install(t.Context(), self); err != nil {
				t.Fatal(err)
			}
			err := test.do(i)
			if got := exitCode(err); got != test.code {
				t.Errorf("exit code %d (%v), want %d", got, err, test.code)
			}
			if want := append(slices.Clone(installed), test.told...); !slices.Equal(systemd.told, want) {
				t.Errorf("systemd is told %q, want %q", systemd.told, want)
			}
			if !strings.Contains(out.String(), test.printed) {
				t.Errorf("printed %q, want %q", out.String(), test.printed)
			}
		})
	}
}

func TestInstallationFails(t *testing.T) {
	for name, test := range map[string]struct {
		broken, want string
		files        bool
	}{
		"no systemd: nothing is written":     {"show", "systemd does not run here", false},
		"the server does not become ready":   {"restart", "systemctl restart: exit status 1: it is broken", true},
		"it cannot be started at every boot": {"enable", "systemctl enable", true},
	} {
		t.Run(name, func(t *testing.T) {
			i := &installation{root: t.TempDir(), out: &bytes.Buffer{}, systemctl: (&fakeSystemd{broken: []string{test.broken}}).run}
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			err = i.install(t.Context(), self)
			if exitCode(err) != cli.ExitInfrastructure || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the installation ends with %v, want %q", err, test.want)
			}
			if _, err := os.Stat(i.path(unitPath)); (err == nil) != test.files {
				t.Errorf("the unit: %v", err)
			}
		})
	}
}

func exitCode(err error) int {
	var coded *cli.Error
	switch {
	case err == nil:
		return cli.ExitOK
	case errors.As(err, &coded):
		return coded.Code
	}
	return -1
}
