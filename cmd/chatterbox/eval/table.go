package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/report"
)

// goodRate and poorRate are the rates from which and below which a rate is shown as good and as poor.
const goodRate, poorRate = 0.9, 0.5

// flakyShown is how many flaky scenarios of a subject are named.
const flakyShown = 5

// cellText is a cell of a table, with its colour where it has one.
type cellText struct{ text, colour string }

func cell(format string, args ...any) cellText { return cellText{text: fmt.Sprintf(format, args...)} }

// showSummary prints the table, in colours on a terminal, and below it what it has no room for.
func showSummary(env cli.Env, summary report.Summary) error {
	if err := showTable(env, summaryTable(summary)); err != nil {
		return err
	}
	for _, part := range []struct {
		title string
		table [][]cellText
	}{{"success by the number of tools", curveTable(summary)}, {"latency by kind of turn", turnTable(summary)}} {
		if len(part.table) > 1 {
			fmt.Fprintf(env.Stdout, "\n%s\n", part.title)
			if err := showTable(env, part.table); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		if flaky := summary.Subjects[name].Flaky; len(flaky) > 0 {
			fmt.Fprintf(env.Stdout, "\n%s: %d flaky scenarios\n", name, len(flaky))
			for _, f := range flaky[:min(len(flaky), flakyShown)] {
				fmt.Fprintf(env.Stdout, "  %d of %d  %s\n", f.Passed, f.Trials, f.Scenario)
			}
		}
	}
	return nil
}

func summaryTable(summary report.Summary) [][]cellText {
	table := [][]cellText{header("subject", "scenarios", "trials", "passed", "success", "95 %", "pass^k", "p50", "p95",
		"errors", "excluded", "cost", "failures")}
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		s := summary.Subjects[name]
		success, interval := cellText{"none", cli.Dim}, cell("none")
		if s.Success.Mean != nil {
			success, interval = rateCell(*s.Success.Mean), cell("%s", report.Between(s.Success.Interval))
		}
		table = append(table, []cellText{
			cell("%s", name), cell("%d", s.Scenarios), cell("%d", s.Trials), cell("%d", s.Passed), success, interval,
			cell("%s", s.Hat()), cell("%.0f ms", s.Latency.P50), cell("%.0f ms", s.Latency.P95),
			warned(s.Errors), warned(s.Excluded), cell("%s", report.Cost(s.CostUSD)), classes(s.Classes),
		})
	}
	return table
}

func curveTable(summary report.Summary) [][]cellText {
	table := [][]cellText{header("subject", "tools", "passed", "success", "95 %")}
	for _, curve := range summary.Curves() {
		for _, p := range curve.Points {
			table = append(table, []cellText{
				cell("%s", curve.Subject), cell("%d", p.Tools), cell("%d of %d", p.Passed, p.Trials), rateCell(p.Mean),
				cell("%s", report.Between(p.Interval)),
			})
		}
	}
	return table
}

func turnTable(summary report.Summary) [][]cellText {
	table := [][]cellText{header("subject", "turn", "trials", "p50", "p95", "documented")}
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		for _, reference := range report.TurnReferences() {
			t, ok := summary.Subjects[name].ByTurn[reference.Turn]
			if !ok {
				continue
			}
			median := cell("%.0f ms", t.P50)
			if t.P50 > 1000*reference.To {
				median.colour = cli.Red
			}
			documented := cellText{fmt.Sprintf("%g to %g s", reference.From, reference.To), cli.Dim}
			table = append(table, []cellText{
				cell("%s", name), cell("%s", reference.Text), cell("%d", t.Trials), median, cell("%.0f ms", t.P95), documented,
			})
		}
	}
	return table
}

func header(names ...string) (out []cellText) {
	for _, name := range names {
		out = append(out, cellText{name, cli.Bold})
	}
	return out
}

// warned is a count that should be nothing.
func warned(n int) cellText {
	out := cell("%d", n)
	if n > 0 {
		out.colour = cli.Yellow
	}
	return out
}

func rateCell(rate float64) cellText {
	out := cell("%s", report.Percent(rate))
	switch {
	case rate >= goodRate:
		out.colour = cli.Green
	case rate < poorRate:
		out.colour = cli.Red
	}
	return out
}

// classes lists the classes of failures, the most frequent first.
func classes(counts map[string]int) cellText {
	summary := report.Summary{Subjects: map[string]*report.Subject{"": {Classes: counts}}}
	names := summary.Classes()
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return cell("%s", strings.Join(names, ", "))
}

// showTable prints a table: on a terminal in colours, and what is too wide for it in parts, one below the other.
func showTable(env cli.Env, table [][]cellText) error {
	if env.Screen == nil {
		return printTable(env.Stdout, nil, table)
	}
	for i, part := range fold(table, env.Width()) {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := printTable(env.Stdout, env.Colours(), part); err != nil {
			return err
		}
	}
	return nil
}

// columnGap is between two columns.
const columnGap = 2

// fold cuts a table into tables that fit a width, as far as columns can; each begins with the first column. 0 is any
// width.
func fold(table [][]cellText, width int) [][][]cellText {
	widths := columnWidths(table)
	var out [][][]cellText
	for from := 1; from < len(widths); {
		to, used := from, widths[0]
		for to < len(widths) && (to == from || width == 0 || used+columnGap+widths[to] <= width) {
			used += columnGap + widths[to]
			to++
		}
		part := make([][]cellText, len(table))
		for i, row := range table {
			part[i] = append([]cellText{row[0]}, row[from:to]...)
		}
		out = append(out, part)
		from = to
	}
	return out
}

func columnWidths(table [][]cellText) []int {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	return widths
}

// printTable prints cells in columns. Colours go to the screen itself, where there is one: texts of others never do.
func printTable(to, screen io.Writer, table [][]cellText) (err error) {
	if screen == nil {
		screen = io.Discard
	}
	write := func(to io.Writer, text string) {
		if err == nil && text != "" {
			_, err = io.WriteString(to, text)
		}
	}
	widths := columnWidths(table)
	for _, row := range table {
		for i, c := range row {
			padding := "\n"
			if i < len(row)-1 {
				padding = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text)+columnGap)
			}
			if c.colour == "" {
				write(to, c.text+padding)
				continue
			}
			write(screen, c.colour)
			write(to, c.text)
			write(screen, cli.Plain)
			write(to, padding)
		}
	}
	return err
}
