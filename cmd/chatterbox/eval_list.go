package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatterbox/evals/scenario"
	"chatterbox/features"
)

// chosenScenarios is which scenarios a command is about.
type chosenScenarios struct {
	folder string
	by     scenario.Selection
}

func (c *chosenScenarios) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.folder, "features", "", "`folder` with features and, beside them, tools.json (default: the built-in ones)")
	cmd.Flags().StringVar(&c.by.Tags, "tags", "", "scenarios with these tags, as in '@model && ~@slow'; a comma is or")
	cmd.Flags().StringVar(&c.by.Name, "name", "", "scenarios whose id or name has this regular `expression`")
}

func (c *chosenScenarios) open() (*scenario.Suite, error) {
	var files fs.FS = features.FS
	if c.folder != "" {
		files = os.DirFS(c.folder)
	}
	opened, err := scenario.Open(files)
	if err != nil {
		return nil, usageError("chatterbox eval list --sentences shows what scenarios may say", "%w", err)
	}
	return opened, nil
}

func newEvalList(common *commonFlags) *cobra.Command {
	var chosen chosenScenarios
	var asJSON, sentences bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the scenarios with their tags, or the sentences that they may use", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if sentences {
				return printVocabulary(common.env.Stdout, asJSON)
			}
			opened, err := chosen.open()
			if err != nil {
				return err
			}
			selected, err := scenario.Select(opened.Scenarios, chosen.by)
			if err != nil {
				return usageError("chatterbox eval list shows all scenarios", "%w", err)
			}
			if asJSON {
				return printJSON(common.env.Stdout, map[string]any{"scenarios": selected, "tags": tagCounts(selected)})
			}
			return printScenarios(common.env.Stdout, selected)
		},
	}
	chosen.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&sentences, "sentences", false, "list the sentences that scenarios may use")
	return cmd
}

func tagCounts(scenarios []scenario.Scenario) map[string]int {
	counts := map[string]int{}
	for _, s := range scenarios {
		for _, tag := range s.Tags {
			counts[tag]++
		}
	}
	return counts
}

func printScenarios(to io.Writer, scenarios []scenario.Scenario) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	live := 0
	for _, s := range scenarios {
		if s.Live {
			live++
		}
		fmt.Fprintf(table, "%s\t%s\n", s.ID, strings.Join(s.Tags, " "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	counts := tagCounts(scenarios)
	var tags []string
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		tags = append(tags, fmt.Sprintf("%s %d", tag, counts[tag]))
	}
	fmt.Fprintf(to, "%d scenarios, %d of them for models: %s\n", len(scenarios), live, strings.Join(tags, ", "))
	if others := len(scenarios) - live; others > 0 {
		fmt.Fprintf(to, "%d are not tagged @model: they say what this product must do, its own tests run them, and eval run leaves them out\n", others)
	}
	return nil
}

// printVocabulary prints what scenarios may say: those tagged @model first, then the others.
func printVocabulary(to io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(to, scenario.Forms())
	}
	for _, kind := range []struct {
		title string
		has   func(scenario.Form) bool
	}{
		{"Scenarios tagged @model, which eval run scores on models:", func(f scenario.Form) bool { return f.Model }},
		{"\nAll others, which the tests of this product run:", func(f scenario.Form) bool { return f.Product }},
	} {
		fmt.Fprintln(to, kind.title)
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		for _, form := range scenario.Forms() {
			if kind.has(form) {
				fmt.Fprintf(table, "%s\t%s\t%s\n", form.Keyword, form.Form, form.About)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return nil
}
