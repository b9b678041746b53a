package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// MarkdownBytesMax is how long the Markdown may be: what CI services show is cut off, or left out as a whole, at 1 MiB of
// all that a step writes.
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
	markdownList(text, "Failed", cases, func(c testCase) bool { return c.state == broken })
	markdownList(text, "Flaky", cases, func(c testCase) bool { return c.flaky() })
	markdownList(text, "Errors", cases, func(c testCase) bool { return c.state == errored })
	_, err = io.WriteString(to, cutLines(text.String(), MarkdownBytesMax))
	return err
}

// cutLines keeps whole lines of a text up to a length, and says what it left out.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const told = "\nThe rest is left out: the whole report is longer than what is shown here.\n"
	end := strings.LastIndexByte(text[:most-len(told)], '\n') + 1
	return text[:end] + told
}

func markdownSubjects(out *strings.Builder, summary Summary) {
	out.WriteString("## Evaluation\n\n| subject | success | 95 % | passed | scenarios | pass^k | p50 | p95 | errors | excluded | cost |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	simulated := false
	for _, name := range slices.Sorted(maps.Keys(summary.Subjects)) {
		s := summary.Subjects[name]
		simulated = simulated || s.Simulated
		rate, interval := "none", "none"
		if s.Success.Mean != nil {
			shown := s.Success.Interval
			rate, interval = Percent(*s.Success.Mean), fmt.Sprintf("%.1f to %.1f %%", 100*shown[0], 100*shown[1])
		}
		hat := "none"
		if k := len(s.PassHat); k > 0 {
			hat = fmt.Sprintf("%s (k %d)", Percent(s.PassHat[k]), k)
		}
		fmt.Fprintf(out, "| %s | **%s** | %s | %d of %d | %d | %s | %.0f ms | %.0f ms | %d | %d | %s |\n", markdownText(name), rate, interval,
			s.Passed, s.Trials-s.Errors-s.Excluded, s.Scenarios, hat, s.Latency.P50, s.Latency.P95, s.Errors, s.Excluded, Cost(s.CostUSD))
	}
	out.WriteString("\nIntervals are clustered by scenario. Errors are of the infrastructure and count against nobody.\n")
	if simulated {
		out.WriteString("\nSome of the models are simulated or played.\n")
	}
}

// Percent is a rate as people read it.
func Percent(rate float64) string { return fmt.Sprintf("%.1f %%", 100*rate) }

// Cost is an amount in USD, or that it is not known.
func Cost(usd *float64) string {
	if usd == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.4f USD", *usd)
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
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
}

func markdownCurves(out *strings.Builder, summary Summary) {
	curves := summary.Curves()
	if len(curves) == 0 {
		return
	}
	out.WriteString("\n### Success by the number of tools\n\n| subject | tools | success | 95 % | passed |\n|---|---|---|---|---|\n")
	for _, curve := range curves {
		for _, p := range curve.Points {
			fmt.Fprintf(out, "| %s | %d | %s | %.1f to %.1f %% | %d of %d |\n", markdownText(curve.Subject), p.Tools, Percent(p.Mean),
				100*p.Interval[0], 100*p.Interval[1], p.Passed, p.Trials)
		}
	}
}

func markdownList(out *strings.Builder, title string, cases []testCase, listed func(testCase) bool) {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool { return !listed(c) })
	if len(cases) == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>%s: %d</summary>\n\n| scenario | subject | trials | first |\n|---|---|---|---|\n", title, len(cases))
	for _, c := range cases[:min(len(cases), markdownCases)] {
		first := ""
		if len(c.notes) > 0 {
			first = c.notes[0]
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", markdownText(c.scenario), markdownText(c.subject), c.summary(), markdownText(first))
	}
	if left := len(cases) - markdownCases; left > 0 {
		fmt.Fprintf(out, "\n%d more are left out.\n", left)
	}
	out.WriteString("\n</details>\n")
}

// markdownText makes a text of others stand in a cell as it is: one line, no longer than a cell may be, nothing in it a mark.
func markdownText(text string) string {
	var out strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > markdownCell {
			out.WriteString("…")
			break
		}
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			out.WriteByte(' ')
		case r == '&':
			out.WriteString("&amp;")
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '@': // no one is to be notified
			out.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]()#+!|~$:", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
