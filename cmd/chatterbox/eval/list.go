package eval

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/scenario"
	"chatterbox/features"
)

// chosenScenarios is which scenarios a command is about.
type chosenScenarios struct {
	folder string
	by     scenario.Selection
}

func (c *chosenScenarios) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.folder, "features", "",
		"`folder` with features and, beside them, tools.json (default: the built-in ones)")
	cmd.Flags().StringVar(&c.by.Tags, "tags", "", "scenarios with these tags, as in '@model && ~@slow'; a comma is or")
	cmd.Flags().StringVar(&c.by.Name, "name", "", "scenarios whose id or name has this regular `expression`")
}

// open reads all scenarios, and says which are chosen.
func (c *chosenScenarios) open() (suite *scenario.Suite, selected []scenario.Scenario, err error) {
	var files fs.FS = features.FS
	if c.folder != "" {
		files = os.DirFS(c.folder)
	}
	suite, err = scenario.Open(files)
	if err != nil {
		return nil, nil, cli.Usage("chatterbox eval list --sentences shows what scenarios may say", "%w", err)
	}
	selected, err = scenario.Select(suite.Scenarios, c.by)
	if err != nil {
		return nil, nil, cli.Usage("chatterbox eval list shows all scenarios", "%w", err)
	}
	return suite, selected, nil
}

func listCommand(flags *cli.Flags) *cobra.Command {
	var chosen chosenScenarios
	var asJSON, sentences bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the scenarios with their tags, or the sentences that they may use", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if sentences {
				return printVocabulary(flags.Env.Stdout, asJSON)
			}
			_, selected, err := chosen.open()
			switch {
			case err != nil:
				return err
			case asJSON:
				return cli.PrintJSON(flags.Env.Stdout, map[string]any{"scenarios": selected, "tags": tagCounts(selected)})
			}
			return printScenarios(flags.Env.Stdout, selected)
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
	var rows [][]string
	live := 0
	for _, s := range scenarios {
		if s.Live {
			live++
		}
		rows = append(rows, []string{s.ID, strings.Join(s.Tags, " ")})
	}
	if err := cli.PrintRows(to, rows); err != nil {
		return err
	}
	counts := tagCounts(scenarios)
	var tags []string
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		tags = append(tags, fmt.Sprintf("%s %d", tag, counts[tag]))
	}
	fmt.Fprintf(to, "%d scenarios, %d of them for models: %s\n", len(scenarios), live, strings.Join(tags, ", "))
	if others := len(scenarios) - live; others > 0 {
		fmt.Fprintf(to, "%d are not tagged @model: "+
			"they say what this product must do, its own tests run them, and eval run leaves them out\n", others)
	}
	return nil
}

// printVocabulary prints what scenarios may say: those tagged @model first, then the others.
func printVocabulary(to io.Writer, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(to, scenario.Forms())
	}
	var model, product [][]string
	for _, form := range scenario.Forms() {
		row := []string{form.Keyword, form.Form, form.About}
		if form.Model {
			model = append(model, row)
		}
		if form.Product {
			product = append(product, row)
		}
	}
	fmt.Fprintln(to, "Scenarios tagged @model, which eval run scores on models:")
	if err := cli.PrintRows(to, model); err != nil {
		return err
	}
	fmt.Fprintln(to, "\nAll others, which the tests of this product run:")
	return cli.PrintRows(to, product)
}
