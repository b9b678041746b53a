package page

import (
	"fmt"
	"maps"
	"net/url"
	"slices"

	"chatterbox/evals/judge"
	"chatterbox/evals/report"
)

// sections writes what stands above the list of trials.
func sections(b *builder, summary report.Summary, list *listing) {
	names := slices.Sorted(maps.Keys(summary.Subjects))
	trials := 0
	simulated := false
	for _, name := range names {
		trials += summary.Subjects[name].Trials
		simulated = simulated || summary.Subjects[name].Simulated
	}
	b.put("<a class=\"skip\" href=\"#list\">To the trials</a>\n<header>\n<h1>Evaluation report</h1>\n")
	b.put("<p>%d trials of %d subjects.", trials, len(names))
	if simulated {
		b.put(" <strong>Some of the models are simulated or played.</strong>")
	}
	b.put("</p>\n")
	b.put("<noscript><p>The list of trials needs a script; all else stands here.</p></noscript>\n</header>\n<main>\n")
	if left := len(names) - subjectsMax; left > 0 {
		b.put("<p class=\"note\">%d subjects are left out of the tables; the list of trials has them.</p>\n", left)
		names = names[:subjectsMax]
	}
	success(b, summary, names)
	curves(b, summary.Curves())
	classes(b, summary, names)
	latency(b, summary, names)
	effort(b, summary, names)
	flaky(b, summary, names)
	explorer(b, list)
	b.put("</main>\n")
}

// open begins a section with a table that scrolls by itself, since a phone is narrow.
func open(b *builder, id, title, note string) {
	b.put("<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id, id, id, title)
	if note != "" {
		b.put("<p class=\"note\">%s</p>\n", note)
	}
	b.put("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"%s-title\">\n", id)
}

func end(b *builder) { b.put("</div>\n</section>\n") }

// table begins a table by what its columns are.
func table(b *builder, columns ...string) {
	b.put("<table><thead><tr>")
	for _, column := range columns {
		b.put("<th scope=\"col\">%s", short(column))
	}
	b.put("</tr></thead><tbody>\n")
}

func endTable(b *builder) { b.put("</tbody></table>\n") }

// link is the address of a filtered list.
func link(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], short(pairs[i+1]))
	}
	return "#" + values.Encode()
}

func success(b *builder, summary report.Summary, names []string) {
	open(b, "success", "Success", "The share of trials that passed, with its interval at 95 %: clustered by scenario, since repeats of a scenario resemble one another. pass^k is the chance that k trials of a scenario all pass. Errors are of the infrastructure and count against nobody; excluded trials say nothing about the subject.")
	table(b, "subject", "success", "0 to 100 %", "95 %", "passed", "scenarios", "pass^k", "errors", "excluded")
	for _, name := range names {
		s := summary.Subjects[name]
		b.put("<tr><th scope=\"row\"><a href=\"%s\">%s</a>", link("subject", name), short(name))
		if s.Success.Mean == nil {
			b.put("<td>none<td><td>")
		} else {
			b.put("<td class=\"n\">%s<td>", report.Percent(*s.Success.Mean))
			bar(b, *s.Success.Mean, s.Success.Interval)
			b.put("<td class=\"n\">%s", report.Between(s.Success.Interval))
		}
		b.put("<td class=\"n\">%d of %d<td class=\"n\">%d<td class=\"n\">%s",
			s.Passed, s.Judged(), s.Scenarios, s.Hat())
		counted(b, s.Errors, link("subject", name, "outcome", "error"))
		counted(b, s.Excluded, link("subject", name, "outcome", "excluded"))
		b.put("</tr>\n")
	}
	endTable(b)
	end(b)
}

// counted is a cell with a number that leads to the trials that it counts.
func counted(b *builder, n int, to string) {
	if n == 0 {
		b.put("<td class=\"n\">0")
		return
	}
	b.put("<td class=\"n\"><a href=\"%s\">%d</a>", to, n)
}

func classes(b *builder, summary report.Summary, names []string) {
	found := summary.Classes()
	open(b, "classes", "Why trials failed", "")
	if len(found) == 0 {
		b.put("<p>No trial failed.</p>\n")
		end(b)
		return
	}
	table(b, slices.Concat([]string{"class"}, names, []string{"what it is"})...)
	for _, class := range found {
		b.put("<tr><th scope=\"row\"><a href=\"%s\">%s</a>", link("class", class), short(class))
		for _, name := range names {
			counted(b, summary.Subjects[name].Classes[class], link("subject", name, "class", class))
		}
		b.put("<td>%s</tr>\n", judge.Class(class).About())
	}
	endTable(b)
	end(b)
}

func latency(b *builder, summary report.Summary, names []string) {
	open(b, "latency", "Latency by kind of turn", "Seconds for half of the trials and for 95 of 100, beside how long such a turn is documented to take with network and model. Trials of several turns, and those with rejected or further calls, are of no kind.")
	table(b, append([]string{"turn", "documented"}, names...)...)
	for _, reference := range report.TurnReferences() {
		b.put("<tr><th scope=\"row\">%s<td class=\"n\">%g to %g s", reference.Text, reference.From, reference.To)
		for _, name := range names {
			t, ok := summary.Subjects[name].ByTurn[reference.Turn]
			class, slower := "n", ""
			if t.P50 > 1000*reference.To {
				class, slower = "n slow", ", slower"
			}
			if ok {
				b.put("<td class=\"%s\">%.2f, %.2f s (%d)%s", class, t.P50/1000, t.P95/1000, t.Trials, slower)
			} else {
				b.put("<td class=\"n\">no trial")
			}
		}
		b.put("</tr>\n")
	}
	of := func(what string, latency func(*report.Subject) report.Latency) {
		b.put("<tr><th scope=\"row\">%s<td>", what)
		for _, name := range names {
			l := latency(summary.Subjects[name])
			b.put("<td class=\"n\">%.2f, %.2f s", l.P50/1000, l.P95/1000)
		}
		b.put("</tr>\n")
	}
	of("all trials", func(s *report.Subject) report.Latency { return s.Latency })
	of("to the first token", func(s *report.Subject) report.Latency { return s.FirstToken })
	endTable(b)
	end(b)
}

func effort(b *builder, summary report.Summary, names []string) {
	open(b, "cost", "Cost", "Money is unknown when the price of one trial is. Repaired calls ran after the product had put them right; rejected ones did not run.")
	table(b, "subject", "cost", "per passed trial", "model calls per trial", "tokens in", "tokens out",
		"repaired calls", "rejected calls")
	for _, name := range names {
		s := summary.Subjects[name]
		each := "unknown"
		if s.CostUSD != nil && s.Passed > 0 {
			each = fmt.Sprintf("%.5f USD", *s.CostUSD/float64(s.Passed))
		}
		b.put("<tr><th scope=\"row\">%s<td class=\"n\">%s<td class=\"n\">%s<td class=\"n\">%.2f",
			short(name), report.Cost(s.CostUSD), each, float64(s.LLMCalls)/float64(max(1, s.Trials)))
		for _, n := range []int{s.Tokens.Prompt, s.Tokens.Completion, s.Repaired, s.Rejected} {
			b.put("<td class=\"n\">%d", n)
		}
		b.put("</tr>\n")
	}
	endTable(b)
	end(b)
}

func flaky(b *builder, summary report.Summary, names []string) {
	open(b, "flaky", "Flaky scenarios", "Scenarios of which some trials passed and some did not, those nearest to one half first. A scenario that always ends alike on one prompt may end otherwise on a paraphrase.")
	n := 0
	for _, name := range names {
		found := summary.Subjects[name].Flaky
		if len(found) == 0 {
			continue
		}
		n += len(found)
		b.put("<h3>%s: %d</h3>\n", short(name), len(found))
		first := min(len(found), flakyShown)
		flakyTable(b, name, found[:first])
		if rest := found[first:min(len(found), flakyMax)]; len(rest) > 0 {
			b.put("<details><summary>%d more</summary>\n", len(rest))
			flakyTable(b, name, rest)
			b.put("</details>\n")
		}
		if left := len(found) - flakyMax; left > 0 {
			b.put("<p class=\"note\">%d are left out.</p>\n", left)
		}
	}
	if n == 0 {
		b.put("<p>None.</p>\n")
	}
	end(b)
}

func flakyTable(b *builder, subject string, found []report.Flaky) {
	table(b, "scenario", "passed")
	for _, f := range found {
		b.put("<tr><th scope=\"row\"><a href=\"%s\">%s</a><td class=\"n\">%d of %d</tr>\n",
			link("subject", subject, "scenario", f.Scenario), short(f.Scenario), f.Passed, f.Trials)
	}
	endTable(b)
}

// explorer is the frame that the script fills with trials.
func explorer(b *builder, list *listing) {
	b.put("<section id=\"list\" aria-labelledby=\"list-title\" tabindex=\"-1\">\n<h2 id=\"list-title\">Trials</h2>\n")
	if list.LeftOut > 0 {
		b.put("<p class=\"note\">%d trials are left out, so that the page opens fast: passed ones first.</p>\n",
			list.LeftOut)
	}
	b.put("%s", raw(explorerHTML))
}
