package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"chatterbox/runtime/config"

	"github.com/spf13/cobra"

	"chatterbox/runtime/flows"
)

func newWorkflow(common *commonFlags) *cobra.Command {
	cmd := &cobra.Command{Use: "workflow", Short: "Check workflows, and try them without their tools"}
	cmd.AddCommand(newWorkflowCheck(common), newWorkflowTry(common))
	return cmd
}

// checkedWorkflow is what check says of one file.
type checkedWorkflow struct {
	File     string   `json:"file"`
	Workflow string   `json:"workflow,omitempty"`
	Mistakes []string `json:"mistakes"`
	Lacks    []string `json:"lacks,omitempty"` // sentences of a language that are said in English
}

func newWorkflowCheck(common *commonFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Say what is wrong with workflow files, by default with those in the data folder",
		Long: "Reads each file as it would be beside the built-in workflows and prints every mistake with line, column and what " +
			"was probably meant. Ends with 1 when there is one.",
		RunE: func(cmd *cobra.Command, files []string) error {
			settings, err := common.load(nil)
			if err != nil {
				return err
			}
			folder := settings.InData(config.FlowsFolder)
			if len(files) == 0 {
				if files, err = flows.WorkflowFiles(folder); err != nil {
					return infrastructureError("", err)
				}
			}
			options := flows.Options{Tools: []string{}}
			if len(files) > 0 {
				t, err := openTools(cmd.Context(), common.env, settings, logger(common.env.Stderr, quiet(settings.Log), secrets(common.env, settings)), nil)
				if err != nil {
					return err
				}
				defer t.close()
				for _, tool := range t.box.Tools() {
					options.Tools = append(options.Tools, tool.Name)
					if tool.Reversible {
						options.Reversible = append(options.Reversible, tool.Name)
					}
				}
			}
			return checkWorkflows(common, folder, files, options, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func checkWorkflows(common *commonFlags, folder string, files []string, options flows.Options, asJSON bool) error {
	checked, wrong := []checkedWorkflow{}, 0
	for _, file := range files {
		name, lacks, err := flows.CheckWorkflow(file, options)
		if errors.Is(err, fs.ErrNotExist) {
			return usageError("name a workflow file, or none for all in "+folder, "%w", err)
		}
		one := checkedWorkflow{File: file, Workflow: name, Mistakes: []string{}, Lacks: lacks}
		if err != nil {
			one.Mistakes = mistakes(err)
			wrong++
		}
		checked = append(checked, one)
	}
	switch {
	case asJSON:
		if err := printJSON(common.env.Stdout, map[string]any{"files": checked}); err != nil {
			return err
		}
	case len(files) == 0:
		fmt.Fprintf(common.env.Stdout, "there is no workflow in %s; the built-in ones are in use\n", folder)
	}
	if !asJSON {
		printChecked(common.env, checked)
	}
	if wrong > 0 {
		return failed("%d of %d files have mistakes", wrong, len(files))
	}
	return nil
}

func printChecked(env env, checked []checkedWorkflow) {
	for _, one := range checked {
		for _, mistake := range one.Mistakes {
			fmt.Fprintln(env.Stdout, mistake)
		}
		if len(one.Mistakes) == 0 {
			fmt.Fprintf(env.Stdout, "ok: %s %s\n", one.File, one.Workflow)
		}
		if len(one.Lacks) > 0 {
			fmt.Fprintf(env.Stdout, "%s lacks what is then said in English: %s\n", one.File, strings.Join(one.Lacks, ", "))
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
