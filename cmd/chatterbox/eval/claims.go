package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/report"
)

// claimsSuite is a run that the product knows by name. What is asked for besides goes before what it stands for.
const claimsSuite = "claims"

// claimsModels are simulated. The weak one goes wrong about as often as is told of some local models: nearly never
// with one tool, in two of three cases with seven or more.
var claimsModels = []string{
	"good=simulated:no_call=0.02,malformed_call=0.03,wrong_arguments=0.02",
	"weak=simulated:needless_question@7=0.3,wrong_tool@7=0.15,malformed_call=0.2,wrong_arguments=0.03",
	"nonsense=simulated:no_call=0.3,wrong_tool=0.2,unknown_tool=0.2,malformed_call=0.1,wrong_arguments=0.15",
}

// usePreset fills in what --suite stands for where nothing else was asked for.
func (r *evalRun) usePreset(flags *cobra.Command) error {
	switch r.suite {
	case "":
		return nil
	case claimsSuite:
	default:
		return cli.Usage("there is: claims", "unknown suite %q", r.suite)
	}
	given := flags.Flags().Changed
	if !given("model") && !given("product") {
		r.subjects.models = claimsModels
	}
	if !given("strategy") {
		r.subjects.strategies = []string{"bare", "loop", "routed", "workflow"}
	}
	if !given("tags") && !given("features") {
		r.chosen.by.Tags = "@claims"
	}
	if !given("runs") {
		r.options.Runs = 10
	}
	return nil
}

// printMatrix prints, in Markdown, success by model and strategy.
func (r *evalRun) printMatrix(to io.Writer, summary report.Summary) error {
	var models []string
	cells, simulated := map[string]string{}, true
	for _, subject := range r.options.Subjects {
		model, _, _ := strings.Cut(subject.Name, "/")
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
		got := summary.Subjects[subject.Name]
		if got == nil || got.Success.Mean == nil {
			cells[subject.Name] = "no trial"
			continue
		}
		simulated = simulated && got.Simulated
		between := got.Success.Interval
		cells[subject.Name] = fmt.Sprintf("%v %% (%v to %v)", whole(*got.Success.Mean), whole(between[0]), whole(between[1]))
	}
	strategies := r.subjects.strategies
	fmt.Fprintf(to, "| model | %s |\n|---|%s\n", strings.Join(strategies, " | "), strings.Repeat("---|", len(strategies)))
	for _, model := range models {
		fmt.Fprintf(to, "| %s |", model)
		for _, strategy := range strategies {
			fmt.Fprintf(to, " %s |", cells[model+"/"+strategy])
		}
		fmt.Fprintln(to)
	}
	about := fmt.Sprintf("\nSuccess in %d scenarios, %d trials of each, with the 95 %% interval.",
		len(r.options.Scenarios), r.options.Runs)
	if simulated {
		about += " These models are simulated: they go wrong at stated rates, those\n" +
			"with @7 only where seven tools or more are offered.\n"
		for _, model := range r.subjects.models {
			label, rates, _ := strings.Cut(model, "=simulated:")
			about += fmt.Sprintf("\n- %s: `%s`", label, strings.ReplaceAll(rates, ",", ", "))
		}
	}
	_, err := fmt.Fprintln(to, about)
	return err
}

// whole is a rate in whole percent.
func whole(rate float64) float64 { return math.Round(rate * 100) }
