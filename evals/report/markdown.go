package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"chatterbox/evals/judge"
)

// MarkdownBytesMax is how long the Markdown may be: what CI services show is cut off, or left out as a whole, at 1 MiB
// of all that a step writes.
const MarkdownBytesMax = 960 << 10

// markdownCases is how many failed cases are named, and markdownCell how many characters of a text are shown.
const (
	markdownCases = 200
	markdownCell  = 300
)

// Markdown writes what the logs show as GitHub's Markdown, for the summary of a step.
func Markdown(to io.Writer, l *Logs) error {
	cases, err := l.cases()
	if err != nil {
		return err
	}
	text := &strings.Builder{}
	summary := l.Summary()
	markdownSubjects(text, summary)
	markdownClasses(text, summary)
	markdownCurves(text, summary)
	markdownList(text, "Failed", cases, func(c testCase) bool { return c.state() == broken })
	markdownList(text, "Flaky", cases, testCase.flaky)
	markdownList(text, "Errors", cases, func(c testCase) bool { return c.state() == errored })
	_, err = io.WriteString(to, cutLines(text.String(), MarkdownBytesMax))
	return err
}

// cutLines keeps whole lines of a text up to a length, and says what it left out.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const note = "\nThe rest is left out: the whole report is longer than what is shown here.\n"
	end := strings.LastIndexByte(text[:most-len(note)], '\n') + 1
	return text[:end] + note
}

func markdownSubjects(out *strings.Builder, summary Summary) {
	out.WriteString("## Evaluation\n\n" +
		"| subject | success | 95 % | passed | scenarios | pass^k | p50 | p95 | errors | excluded | cost |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n")
	simulated := false
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		s := summary.Subjects[name]
		simulated = simulated || s.Simulated
		rate, interval := "none", "none"
		if s.Success.Mean != nil {
			rate, interval = Percent(*s.Success.Mean), Between(s.Success.Interval)
		}
		fmt.Fprintf(out, "| %s | **%s** | %s | %d of %d | %d | %s | %.0f ms | %.0f ms | %d | %d | %s |\n",
			markdownText(name), rate, interval, s.Passed, s.Judged(), s.Scenarios, s.Hat(),
			s.Latency.P50, s.Latency.P95, s.Errors, s.Excluded, Cost(s.CostUSD))
	}
	out.WriteString("\nIntervals are clustered by scenario." +
		" Errors are of the infrastructure and count against nobody.\n")
	if simulated {
		out.WriteString("\nSome of the models are simulated or played.\n")
	}
}

func markdownClasses(out *strings.Builder, summary Summary) {
	names := slices.Sorted(maps.Keys(summary.Subjects))
	classes := summary.Classes()
	if len(classes) == 0 {
		return
	}
	out.WriteString("\n### Why trials failed\n\n| class |")
	for _, name := range names {
		fmt.Fprintf(out, " %s |", markdownText(name))
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(names)) + "\n")
	for _, class := range classes {
		fmt.Fprintf(out, "| %s |", markdownText(class))
		for _, name := range names {
			fmt.Fprintf(out, " %d |", summary.Subjects[name].Classes[class])
		}
		out.WriteString("\n")
	}
}

// Classes are the classes of all subjects' failures, the most frequent first.
func (s Summary) Classes() []string {
	counts := map[string]int{}
	for _, subject := range s.Subjects {
		for class, n := range subject.Classes {
			counts[class] += n
		}
	}
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

func markdownCurves(out *strings.Builder, summary Summary) {
	curves := summary.Curves()
	if len(curves) == 0 {
		return
	}
	out.WriteString("\n### Success by the number of tools\n\n" +
		"| subject | tools | success | 95 % | passed |\n|---|---|---|---|---|\n")
	for _, curve := range curves {
		for _, p := range curve.Points {
			fmt.Fprintf(out, "| %s | %d | %s | %s | %d of %d |\n",
				markdownText(curve.Subject), p.Tools, Percent(p.Mean), Between(p.Interval), p.Passed, p.Trials)
		}
	}
}

func markdownList(out *strings.Builder, title string, cases []testCase, listed func(testCase) bool) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool { return !listed(c) })
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>%s: %d</summary>\n\n", title, len(cases))
	out.WriteString("| scenario | subject | trials | first |\n|---|---|---|---|\n")
	for _, c := range cases[:min(len(cases), markdownCases)] {
		first := strings.Join(c.notes[:min(1, len(c.notes))], "")
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n",
			markdownText(c.scenario), markdownText(c.subject), c.summary(), markdownText(first))
	}
	if left := len(cases) - markdownCases; left > 0 {
		fmt.Fprintf(out, "\n%d more are left out.\n", left)
	}
	out.WriteString("\n</details>\n")
}

// markdownMarks are letters that stand for something else in a cell, with what stands for them: a reference, since no
// one is to be notified and nothing is to be HTML, or a backslash.
var markdownMarks = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '@': "&#64;"}

// markdownText makes a text of others stand in a cell as it is: one line, no longer than a cell may be, nothing in it
// a mark.
func markdownText(text string) string {
	var out strings.Builder
	for _, r := range judge.Short(text, markdownCell) {
		switch mark := markdownMarks[r]; {
		case mark != "":
			out.WriteString(mark)
		case unicode.IsSpace(r), unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			out.WriteByte(' ')
		case strings.ContainsRune("\\`*_{}[]()#+!|~$:", r):
			out.WriteByte('\\')
			fallthrough
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
