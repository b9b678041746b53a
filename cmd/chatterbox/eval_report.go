package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/evals/report"
	"chatterbox/evals/report/page"
)

// reportFiles are the files that eval report writes beside what it prints, "-" for standard output.
type reportFiles struct {
	names map[string]*string
}

// reportFormats are the formats of files, by the flag that asks for one.
var reportFormats = []struct {
	flag, about string
	write       func(io.Writer, *report.Logs) error
}{
	{"html", "one page with tables, plots and transcripts, which needs nothing else", page.Write},
	{"junit", "JUnit's XML, a case for each scenario", report.JUnit},
	{"cucumber", "Cucumber's JSON, an element for each trial", report.Cucumber},
	{"markdown", "Markdown, such as for GITHUB_STEP_SUMMARY", report.Markdown},
	{"jsonl", "the trials that count, one a line", report.JSONL},
}

func newEvalReport(common *commonFlags) *cobra.Command {
	var asJSON bool
	files := reportFiles{map[string]*string{}}
	cmd := &cobra.Command{
		Use: "report LOG...", Short: "Say what the trials of logs show, by subject", Args: cobra.MinimumNArgs(1),
		Long: "Prints a table, or with --json the same for programs, and writes the files that are asked for. Of several lines about\n" +
			"a trial the last counts, but an error never replaces what is none. A file named - is standard output, without the table.",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := files.check(args, asJSON); err != nil {
				return err
			}
			logs, err := openLogs(common.env, args)
			if err != nil {
				return err
			}
			printed, err := files.write(common.env, logs)
			switch {
			case err != nil || printed:
				return err
			case asJSON:
				return printJSON(common.env.Stdout, logs.Summary())
			}
			return showSummary(common.env, logs.Summary())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	for _, format := range reportFormats {
		files.names[format.flag] = cmd.Flags().String(format.flag, "", "write to this `file`: "+format.about)
	}
	return cmd
}

// check refuses files that would lose something: a log that is read, or one of two things on standard output.
func (f reportFiles) check(logs []string, asJSON bool) error {
	printed := asJSON
	for _, format := range reportFormats {
		name := *f.names[format.flag]
		if name == "-" && printed {
			return usageError("name files for the others", "only one format can go to standard output")
		}
		printed = printed || name == "-"
		for _, log := range logs {
			there, err := os.Stat(name)
			read, err2 := os.Stat(log)
			if err == nil && err2 == nil && os.SameFile(there, read) {
				return usageError("name another file with --"+format.flag, "%s is one of the logs that are read", name)
			}
		}
	}
	return nil
}

// write writes the files, and says whether standard output is one of them.
func (f reportFiles) write(env env, logs *report.Logs) (printed bool, err error) {
	for _, format := range reportFormats {
		switch name := *f.names[format.flag]; name {
		case "":
		case "-":
			printed = true
			if err := format.write(env.Stdout, logs); err != nil {
				return true, infrastructureError("", err)
			}
		default:
			if err := writeReport(name, logs, format.write); err != nil {
				return printed, infrastructureError("", fmt.Errorf("write %s: %w", name, err))
			}
		}
	}
	return printed, nil
}

func writeReport(name string, logs *report.Logs, write func(io.Writer, *report.Logs) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file, logs), file.Close())
}

// openLogs reads logs, each a file with one trial a line.
func openLogs(env env, names []string) (*report.Logs, error) {
	logs, err := report.Open(names)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return nil, usageError("", "%w", err)
	case err != nil:
		return nil, usageError("a log has one JSON object a line, with subject, scenario, trial and outcome", "%w", err)
	}
	tellTorn(env, logs.Torn)
	if len(logs.Subjects()) == 0 {
		return nil, usageError("chatterbox eval run --log FILE makes one", "there is no trial in %s", strings.Join(names, ", "))
	}
	return logs, nil
}

// collect reads logs for what they add up to.
func collect(env env, names []string) (*report.Collector, error) {
	logs, err := openLogs(env, names)
	if err != nil {
		return nil, err
	}
	return &logs.Collector, nil
}

func newEvalCompare(common *commonFlags) *cobra.Command {
	var asJSON, gate bool
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether B is better than A on the scenarios that both have",
		Long:  "A and B are logs with one subject, or FILE#SUBJECT. Scenarios are compared in pairs.",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var sides [2]report.Side
			for i, arg := range args {
				var err error
				if sides[i], err = side(common.env, arg); err != nil {
					return err
				}
			}
			c := report.Compare(sides[0], sides[1])
			if err := comparable(args[0], args[1], c); err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(common.env.Stdout, c); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(common.env.Stdout, "A is %s, B is %s\n", args[0], args[1])
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

// comparable says what to do when two sides have no scenario that can be compared.
func comparable(a, b string, c report.Comparison) error {
	switch {
	case c.Paired > 0:
		return nil
	case len(c.Changed) > 0:
		return usageError("run both sides with the same features", "%s and %s are of different versions of the suite: no scenario is the same in both", a, b)
	}
	return usageError("compare logs of the same scenarios", "%s and %s have no scenario in common", a, b)
}

// side reads FILE or FILE#SUBJECT.
func side(env env, arg string) (report.Side, error) {
	name, subject, named := strings.Cut(arg, "#")
	collector, err := collect(env, []string{name})
	if err != nil {
		return report.Side{}, err
	}
	subjects := collector.Subjects()
	switch {
	case named && !slices.Contains(subjects, subject):
		return report.Side{}, usageError("it has: "+strings.Join(subjects, ", "), "%s has no subject %q", name, subject)
	case !named && len(subjects) > 1:
		return report.Side{}, usageError("it has: "+strings.Join(subjects, ", "), "%s has several subjects: write %s#SUBJECT", name, name)
	case !named:
		subject = subjects[0]
	}
	return collector.Side(subject), nil
}

func printComparison(to io.Writer, c report.Comparison) {
	fmt.Fprintf(to, "B is %s: %+.1f points (%+.1f to %+.1f) on %d scenarios\n", verdict(c), 100*c.Difference,
		100*c.Interval[0], 100*c.Interval[1], c.Paired)
	fmt.Fprintf(to, "A better in %d, B better in %d, p %.4f by sign flips", c.OnlyA, c.OnlyB, c.PermutationP)
	if c.McNemarP != nil {
		fmt.Fprintf(to, ", %.4f by McNemar", *c.McNemarP)
	}
	if c.HolmP != nil {
		fmt.Fprintf(to, ", %.4f among all subjects", *c.HolmP)
	}
	fmt.Fprintln(to)
	if c.Paired < report.PairsLeast {
		fmt.Fprintf(to, "with fewer than %d scenarios no difference can be shown, however many runs each has\n", report.PairsLeast)
	}
	if c.Verdict == report.NoEvidence && c.RunsNeeded > 0 {
		fmt.Fprintf(to, "rates like these are told apart with %d runs on each side", c.RunsNeeded)
		if c.ScenariosNeeded > 0 {
			fmt.Fprintf(to, "; this verdict goes by scenario, and needs %d scenarios that are run once", c.ScenariosNeeded)
		}
		fmt.Fprintln(to)
	}
	if len(c.Changed) > 0 {
		fmt.Fprintf(to, "left out, since they are not the same in both versions of the suite: %s\n", strings.Join(c.Changed, ", "))
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
