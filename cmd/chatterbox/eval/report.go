package eval

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/report"
	"chatterbox/evals/report/page"
)

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

// reportFiles are the files that eval report writes beside what it prints, by format; "-" is standard output.
type reportFiles map[string]*string

func reportCommand(flags *cli.Flags) *cobra.Command {
	var asJSON bool
	files := reportFiles{}
	cmd := &cobra.Command{
		Use: "report LOG...", Short: "Say what the trials of logs show, by subject", Args: cobra.MinimumNArgs(1),
		Long: "Prints a table, or with --json the same for programs, and writes the files that are asked for. Of several\n" +
			"lines about a trial the last counts, but an error never replaces what is none. A file named - is standard\n" +
			"output, without the table.",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := files.check(args, asJSON); err != nil {
				return err
			}
			logs, err := openLogs(flags.Env, args)
			if err != nil {
				return err
			}
			printed, err := files.write(flags.Env, logs)
			switch {
			case err != nil || printed:
				return err
			case asJSON:
				return cli.PrintJSON(flags.Env.Stdout, logs.Summary())
			}
			return showSummary(flags.Env, logs.Summary())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	for _, format := range reportFormats {
		files[format.flag] = cmd.Flags().String(format.flag, "", "write to this `file`: "+format.about)
	}
	return cmd
}

// check refuses files that would lose something: a log that is read, or one of two things on standard output.
func (f reportFiles) check(logs []string, asJSON bool) error {
	printed := asJSON
	for _, format := range reportFormats {
		name := *f[format.flag]
		if name == "-" && printed {
			return cli.Usage("name files for the others", "only one format can go to standard output")
		}
		printed = printed || name == "-"
		for _, log := range logs {
			there, err := os.Stat(name)
			read, err2 := os.Stat(log)
			if err == nil && err2 == nil && os.SameFile(there, read) {
				return cli.Usage("name another file with --"+format.flag, "%s is one of the logs that are read", name)
			}
		}
	}
	return nil
}

// write writes the files, and says whether standard output is one of them.
func (f reportFiles) write(env cli.Env, logs *report.Logs) (printed bool, err error) {
	for _, format := range reportFormats {
		switch name := *f[format.flag]; name {
		case "":
		case "-":
			printed = true
			err = format.write(env.Stdout, logs)
		default:
			err = writeReport(name, logs, format.write)
		}
		if err != nil {
			return printed, cli.Infrastructure("", err)
		}
	}
	return printed, nil
}

func writeReport(name string, logs *report.Logs, write func(io.Writer, *report.Logs) error) error {
	file, err := os.Create(name)
	if err == nil {
		err = errors.Join(write(file, logs), file.Close())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// openLogs reads logs, each a file with one trial a line.
func openLogs(env cli.Env, names []string) (*report.Logs, error) {
	logs, err := report.Open(names)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, cli.Usage("", "%w", err)
	}
	if err != nil {
		return nil, cli.Usage(logForm, "%w", err)
	}
	tellTorn(env, logs.Torn)
	if len(logs.Subjects()) == 0 {
		return nil, cli.Usage("chatterbox eval run --log FILE makes one",
			"there is no trial in %s", strings.Join(names, ", "))
	}
	return logs, nil
}

func compareCommand(flags *cli.Flags) *cobra.Command {
	var asJSON, gate bool
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say whether B is better than A on the scenarios that both have",
		Long:  "A and B are logs with one subject, or FILE#SUBJECT. Scenarios are compared in pairs.",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := compare(flags.Env, args[0], args[1])
			if err != nil {
				return err
			}
			if asJSON {
				if err := cli.PrintJSON(flags.Env.Stdout, c); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(flags.Env.Stdout, "A is %s, B is %s\n", args[0], args[1])
				printComparison(flags.Env.Stdout, c)
			}
			if gate && c.Verdict == report.Worse {
				return cli.Failed("%s is worse than %s", args[1], args[0])
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&gate, "fail-if-worse", false, "exit with 1 when B is worse")
	return cmd
}

// compare compares two sides, which have a scenario that can be compared.
func compare(env cli.Env, a, b string) (c report.Comparison, err error) {
	sideA, err := side(env, a)
	if err != nil {
		return c, err
	}
	sideB, err := side(env, b)
	if err != nil {
		return c, err
	}
	c = report.Compare(sideA, sideB)
	switch {
	case c.Paired > 0:
		return c, nil
	case len(c.Changed) > 0:
		return c, cli.Usage("run both sides with the same features",
			"%s and %s are of different versions of the suite: no scenario is the same in both", a, b)
	}
	return c, cli.Usage("compare logs of the same scenarios", "%s and %s have no scenario in common", a, b)
}

// side reads FILE or FILE#SUBJECT.
func side(env cli.Env, arg string) (report.Side, error) {
	name, subject, named := strings.Cut(arg, "#")
	logs, err := openLogs(env, []string{name})
	if err != nil {
		return report.Side{}, err
	}
	subjects := logs.Subjects()
	hint := "it has: " + strings.Join(subjects, ", ")
	switch {
	case named && !slices.Contains(subjects, subject):
		return report.Side{}, cli.Usage(hint, "%s has no subject %q", name, subject)
	case !named && len(subjects) > 1:
		return report.Side{}, cli.Usage(hint, "%[1]s has several subjects: write %[1]s#SUBJECT", name)
	case !named:
		subject = subjects[0]
	}
	return logs.Side(subject), nil
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
		fmt.Fprintf(to, "with fewer than %d scenarios no difference can be shown, however many runs each has\n",
			report.PairsLeast)
	}
	if c.Verdict == report.NoEvidence && c.RunsNeeded > 0 {
		fmt.Fprintf(to, "rates like these are told apart with %d runs on each side", c.RunsNeeded)
		if c.ScenariosNeeded > 0 {
			fmt.Fprintf(to, "; this verdict goes by scenario, and needs %d scenarios that are run once", c.ScenariosNeeded)
		}
		fmt.Fprintln(to)
	}
	if len(c.Changed) > 0 {
		fmt.Fprintf(to, "left out, since they are not the same in both versions of the suite: %s\n",
			strings.Join(c.Changed, ", "))
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
