package page

import (
	"fmt"
	"math"

	"chatterbox/evals/report"
)

// The plots are SVG in the page's own text: it is small, sharp at every size, and the style sheet colours it.

// The size of a plot of curves, and how many of its width and height are left for what stands beside it.
const (
	plotWidth, plotHeight   = 640, 300
	plotLeft, plotRight     = 52, 16
	plotTop, plotBottom     = 12, 44
	barWidth, barHeight     = 160, 14
	colours                 = 8
	curvesMax               = 12
	spread                  = 3.0 // points between curves, so that their intervals do not hide one another
	marksMost               = 12  // numbers on the axis
	capWidth, pointDiameter = 3.0, 3.5
)

// bar draws a rate with its interval.
func bar(b *builder, rate float64, interval [2]float64) {
	x := func(value float64) float64 { return 4 + value*(barWidth-8) }
	b.put(`<svg class="bar" viewBox="0 0 %d %d" width="%d" height="%d" role="img"`,
		barWidth, barHeight, barWidth, barHeight)
	b.put(` aria-label="%.1f, from %.1f to %.1f percent">`, 100*rate, 100*interval[0], 100*interval[1])
	b.put(`<line class="axis" x1="%.1f" y1="7" x2="%.1f" y2="7"/>`, x(0), x(1))
	b.put(`<rect class="interval" x="%.1f" y="3" width="%.1f" height="8"/>`,
		x(interval[0]), math.Max(1, x(interval[1])-x(interval[0])))
	b.put(`<rect class="rate" x="%.1f" y="1" width="2.5" height="12"/></svg>`, x(rate)-1.25)
}

func curves(b *builder, all []report.Curve) {
	if len(all) == 0 {
		return
	}
	open(b, "curve", "Success by the number of tools", "How many tools were offered, and the share of trials that passed, with the interval at 95 %. Where a run did not vary the number itself, other numbers are other scenarios too.")
	if left := len(all) - curvesMax; left > 0 {
		b.put("<p class=\"note\">%d curves are left out.</p>\n", left)
		all = all[:curvesMax]
	}
	plot(b, all)
	b.put("<ul class=\"legend\">")
	for i, curve := range all {
		b.put(`<li><svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true">`)
		b.put(`<line class="c%d curve" x1="0" y1="5" x2="28" y2="5"/></svg> %s`, i%colours, short(curve.Subject))
	}
	b.put("</ul>\n<details><summary>The same as a table</summary>")
	table(b, "subject", "tools", "success", "95 %", "passed")
	for _, curve := range all {
		for _, p := range curve.Points {
			b.put("<tr><th scope=\"row\">%s", short(curve.Subject))
			counted(b, p.Tools, link("tools", fmt.Sprint(p.Tools)))
			b.put("<td class=\"n\">%s<td class=\"n\">%s<td class=\"n\">%d of %d</tr>\n",
				report.Percent(p.Mean), report.Between(p.Interval), p.Passed, p.Trials)
		}
	}
	endTable(b)
	b.put("</details>\n")
	end(b)
}

// plot draws the curves: tools to the right, success upwards.
func plot(b *builder, all []report.Curve) {
	most := 1
	ticks := map[int]bool{}
	for _, curve := range all {
		for _, p := range curve.Points {
			most = max(most, p.Tools)
			ticks[p.Tools] = true
		}
	}
	x := func(tools int) float64 {
		return plotLeft + float64(tools)/float64(most)*(plotWidth-plotLeft-plotRight)
	}
	y := func(rate float64) float64 { return plotTop + (1-rate)*(plotHeight-plotTop-plotBottom) }
	b.put(`<svg class="plot" viewBox="0 0 %d %d" role="img" `, plotWidth, plotHeight)
	b.put(`aria-label="Success by the number of tools; the table below has the numbers">`)
	for _, percent := range []int{0, 25, 50, 75, 100} {
		at := y(float64(percent) / 100)
		b.put(`<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, plotLeft, at, plotWidth-plotRight, at)
		b.put(`<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`, plotLeft-6, at+4, percent)
	}
	for _, tools := range marks(ticks, most) {
		b.put(`<text x="%.1f" y="%d" text-anchor="middle">%d</text>`, x(tools), plotHeight-plotBottom+18, tools)
	}
	b.put(`<text x="%d" y="%d" text-anchor="middle">tools offered</text>`,
		(plotLeft+plotWidth-plotRight)/2, plotHeight-6)
	for i, curve := range all {
		shift := (float64(i) - float64(len(all)-1)/2) * spread
		b.put(`<polyline class="c%d curve" points="`, i%colours)
		for _, p := range curve.Points {
			b.put("%.1f,%.1f ", x(p.Tools)+shift, y(p.Mean))
		}
		b.put(`"/>`)
		for _, p := range curve.Points {
			at, low, high := x(p.Tools)+shift, y(p.Interval[0]), y(p.Interval[1])
			b.put(`<g class="c%d"><title>%s, %d tools: %.1f %% (%.1f to %.1f), %d of %d</title>`, i%colours,
				short(curve.Subject), p.Tools, 100*p.Mean, 100*p.Interval[0], 100*p.Interval[1], p.Passed, p.Trials)
			b.put(`<path class="whisker" d="M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f"/>`,
				at, low, high, at-capWidth, low, 2*capWidth, at-capWidth, high, 2*capWidth)
			b.put(`<circle cx="%.1f" cy="%.1f" r="%.1f"/></g>`, at, y(p.Mean), pointDiameter)
		}
	}
	b.put("</svg>\n")
}

// marks are the numbers of tools that are written on the axis: those that occur, without such as would touch the one
// before.
func marks(ticks map[int]bool, most int) (out []int) {
	last := -most
	for tools := 0; tools <= most; tools++ {
		if ticks[tools] && (tools-last)*marksMost*2 >= most {
			out = append(out, tools)
			last = tools
		}
	}
	return out
}
