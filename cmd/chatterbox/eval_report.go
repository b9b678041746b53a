package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"chatterbox/evals/metric"
	"chatterbox/evals/report"
	"chatterbox/evals/trial"
)

func newEvalReport(common *commonFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "report LOG...", Short: "Say what the trials of logs show, by subject", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			collector, err := collect(args)
			if err != nil {
				return err
			}
			summary := collector.Summary()
			if asJSON {
				return printJSON(common.env.Stdout, summary)
			}
			return printSummary(common.env.Stdout, summary)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// collect reads logs, each a file with one trial a line.
func collect(logs []string) (*report.Collector, error) {
	collector := &report.Collector{}
	for _, name := range logs {
		file, err := os.Open(name)
		if err != nil {
			return nil, usageError("", "%w", err)
		}
		err = trial.Read(name, file, func(t trial.Trial) error {
			collector.Add(t)
			return nil
		})
		file.Close()
		if err != nil {
			return nil, usageError("a log has one JSON object a line, with subject, scenario, trial and outcome", "%w", err)
		}
	}
	if len(collector.Subjects()) == 0 {
		return nil, usageError("", "there is no trial in %s", strings.Join(logs, ", "))
	}
	return collector, nil
}

func printSummary(to io.Writer, summary report.Summary) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "subject\tscenarios\ttrials\tpassed\tsuccess\t95 %\tpass^k\tp50\tp95\terrors\texcluded\tfailures")
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		s := summary.Subjects[name]
		success, interval := "none", "none"
		if s.Success.Mean != nil {
			success, interval = percent(*s.Success.Mean), between(s.Success.Wilson)
			if s.Success.Clustered != nil {
				interval = between(*s.Success.Clustered)
			}
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%.0f ms\t%.0f ms\t%d\t%d\t%s\n", name, s.Scenarios, s.Trials, s.Passed,
			success, interval, lastOf(s.PassHat), s.Latency.P50, s.Latency.P95, s.Errors, s.Excluded, classes(s.Classes))
	}
	return table.Flush()
}

func percent(rate float64) string { return fmt.Sprintf("%.1f %%", 100*rate) }

func between(interval [2]float64) string {
	return fmt.Sprintf("%.1f to %.1f %%", 100*interval[0], 100*interval[1])
}

// lastOf is pass^k for the greatest k.
func lastOf(passHat map[int]float64) string {
	if len(passHat) == 0 {
		return "none"
	}
	k := slices.Max(slices.Collect(maps.Keys(passHat)))
	return fmt.Sprintf("%s (k %d)", percent(passHat[k]), k)
}

// classes lists the classes of failures, the most frequent first.
func classes(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

func newEvalCompare(common *commonFlags) *cobra.Command {
	var asJSON, gate bool
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether B is better than A on the scenarios that both have",
		Long:  "A and B are logs with one subject, or FILE#SUBJECT. Scenarios are compared in pairs.",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [2]map[string]metric.Score
			for i, arg := range args {
				var err error
				if sides[i], err = side(arg); err != nil {
					return err
				}
			}
			c := report.Compare(sides[0], sides[1])
			if c.Paired == 0 {
				return usageError("compare logs of the same scenarios", "%s and %s have no scenario in common", args[0], args[1])
			}
			if asJSON {
				if err := printJSON(common.env.Stdout, c); err != nil {
					return err
				}
			} else {
				printComparison(common.env.Stdout, c)
			}
			if gate && c.Verdict == report.Worse {
				return failed("%s is worse than %s", args[1], args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&gate, "fail-if-worse", false, "exit with 1 when B is worse")
	return cmd
}

// side reads FILE or FILE#SUBJECT.
func side(arg string) (map[string]metric.Score, error) {
	name, subject, named := strings.Cut(arg, "#")
	collector, err := collect([]string{name})
	if err != nil {
		return nil, err
	}
	subjects := collector.Subjects()
	switch {
	case named && !slices.Contains(subjects, subject):
		return nil, usageError("it has: "+strings.Join(subjects, ", "), "%s has no subject %q", name, subject)
	case !named && len(subjects) > 1:
		return nil, usageError("it has: "+strings.Join(subjects, ", "), "%s has several subjects: write %s#SUBJECT", name, name)
	case !named:
		subject = subjects[0]
	}
	return collector.Scores(subject), nil
}

func printComparison(to io.Writer, c report.Comparison) {
	fmt.Fprintf(to, "B is %s: %+.1f points (%+.1f to %+.1f) on %d scenarios\n", verdict(c), 100*c.Difference,
		100*c.Interval[0], 100*c.Interval[1], c.Paired)
	fmt.Fprintf(to, "A better in %d, B better in %d, p %.4f by sign flips", c.OnlyA, c.OnlyB, c.PermutationP)
	if c.McNemarP != nil {
		fmt.Fprintf(to, ", %.4f by McNemar", *c.McNemarP)
	}
	fmt.Fprintln(to)
	if c.Verdict == report.NoEvidence && c.RunsNeeded > 0 {
		fmt.Fprintf(to, "rates like these are told apart with %d runs on each side\n", c.RunsNeeded)
	}
	for i, missing := range [][]string{c.MissingA, c.MissingB} {
		if len(missing) > 0 {
			fmt.Fprintf(to, "left out, since %c does not have them: %s\n", 'A'+i, strings.Join(missing, ", "))
		}
	}
}

func verdict(c report.Comparison) string {
	if c.Verdict == report.NoEvidence {
		return "not shown to differ"
	}
	return string(c.Verdict) + " than A"
}
