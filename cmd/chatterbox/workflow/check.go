package workflow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"

	"github.com/spf13/cobra"

	"chatterbox/runtime/flows"
)

// New is the command workflow.
func New(host *cli.Host) *cobra.Command {
	cmd := &cobra.Command{Use: "workflow", Short: "Check workflows, and try them without their tools"}
	cmd.AddCommand(checkCommand(host), tryCommand(host))
	return cmd
}

// checkedWorkflow is what check says of one file.
type checkedWorkflow struct {
	File     string   `json:"file"`
	Workflow string   `json:"workflow,omitempty"`
	Mistakes []string `json:"mistakes"`
	Lacks    []string `json:"lacks,omitempty"` // sentences of a language that are said in English
}

func checkCommand(host *cli.Host) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Say what is wrong with workflow files, by default with those in the data folder",
		Long: "Reads each file as it would be beside the built-in workflows and prints every mistake with line, column and what " +
			"was probably meant. Ends with 1 when there is one.",
		RunE: host.Configured(func(ctx context.Context, settings config.Config, files []string) error {
			folder := settings.InData(config.FlowsFolder)
			options := flows.Options{Tools: []string{}}
			var err error
			if len(files) == 0 {
				if files, err = flows.WorkflowFiles(folder); err != nil {
					return cli.Infrastructure("", err)
				}
			}
			if len(files) > 0 {
				if err := addTools(ctx, host, settings, &options); err != nil {
					return err
				}
			}
			return checkWorkflows(host, folder, files, options, asJSON)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// addTools says which tools there are, so that a call of another one is a mistake.
func addTools(ctx context.Context, host *cli.Host, settings config.Config, options *flows.Options) error {
	t, err := host.Tools(ctx, settings, host.Env.Stderr)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, tool := range t.Box.Tools() {
		options.Tools = append(options.Tools, tool.Name)
		if tool.Reversible {
			options.Reversible = append(options.Reversible, tool.Name)
		}
	}
	return nil
}

func checkWorkflows(host *cli.Host, folder string, files []string, options flows.Options, asJSON bool) error {
	checked, wrong := []checkedWorkflow{}, 0
	for _, file := range files {
		name, lacks, err := flows.CheckWorkflow(file, options)
		if errors.Is(err, fs.ErrNotExist) {
			return cli.Usage("name a workflow file, or none for all in "+folder, "%w", err)
		}
		one := checkedWorkflow{File: file, Workflow: name, Mistakes: []string{}, Lacks: lacks}
		if err != nil {
			one.Mistakes = mistakes(err)
			wrong++
		}
		checked = append(checked, one)
	}
	if !asJSON {
		printChecked(host.Env.Stdout, folder, checked)
	} else if err := cli.PrintJSON(host.Env.Stdout, map[string]any{"files": checked}); err != nil {
		return err
	}
	if wrong > 0 {
		return cli.Failed("%d of %d files have mistakes", wrong, len(files))
	}
	return nil
}

func printChecked(to io.Writer, folder string, checked []checkedWorkflow) {
	if len(checked) == 0 {
		fmt.Fprintf(to, "there is no workflow in %s; the built-in ones are in use\n", folder)
	}
	for _, one := range checked {
		for _, mistake := range one.Mistakes {
			fmt.Fprintln(to, mistake)
		}
		if len(one.Mistakes) == 0 {
			fmt.Fprintf(to, "ok: %s %s\n", one.File, one.Workflow)
		}
		if len(one.Lacks) > 0 {
			fmt.Fprintf(to, "%s lacks what is then said in English: %s\n", one.File, strings.Join(one.Lacks, ", "))
		}
	}
}

// mistakes are the errors that were joined, each as a text.
func mistakes(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var list []string
	for _, one := range joined.Unwrap() {
		list = append(list, mistakes(one)...)
	}
	return list
}
