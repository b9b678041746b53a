package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
)

func newConfig(host *cli.Host) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Write, check and explain the configuration"}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every setting, its value and where it came from; secrets are masked", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			loaded, err := host.Resolve(nil)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, loaded.Values())
			}
			fmt.Fprint(host.Env.Stdout, loaded.Text())
			return nil
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.AddCommand(
		&cobra.Command{
			Use: "init", Short: "Print a complete file with every key, its default and what it does", Args: cobra.NoArgs,
			Example: "  chatterbox config init > chatterbox.yaml",
			RunE: func(*cobra.Command, []string) error {
				fmt.Fprint(host.Env.Stdout, config.Template())
				return nil
			},
		},
		newConfigCheck(host),
		show,
		&cobra.Command{
			Use: "schema", Short: "Print the JSON Schema of the file, for editors", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				return cli.PrintJSON(host.Env.Stdout, json.RawMessage(config.Schema()))
			},
		},
	)
	return cmd
}

func newConfigCheck(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "check", Short: "Say whether the configuration holds, with every mistake at once", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			loaded, err := host.Resolve(nil)
			if wrong := (*config.Error)(nil); asJSON && (err == nil || errors.As(err, &wrong)) {
				found := checkedConfig{OK: err == nil, File: loaded.File, Mistakes: []config.Mistake{}}
				if wrong != nil {
					found.Mistakes = wrong.Mistakes
				}
				if err := cli.PrintJSON(host.Env.Stdout, found); err != nil {
					return err
				}
			}
			if err != nil || asJSON {
				return err
			}
			from := loaded.File
			if from == "" {
				from = "no file, the defaults and the environment"
			}
			fmt.Fprintf(host.Env.Stdout, "ok: %s\n", from)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// checkedConfig is what config check --json prints.
type checkedConfig struct {
	OK       bool             `json:"ok"`
	File     string           `json:"file,omitempty"`
	Mistakes []config.Mistake `json:"mistakes"`
}

func newVersion(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version, and what it was built with and for", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, map[string]string{
					"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			fmt.Fprintf(host.Env.Stdout, "chatterbox %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
