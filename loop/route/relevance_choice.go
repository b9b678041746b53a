package route

import (
	"fmt"
	"slices"

	"chatterbox/loop/toolcall"
)

// Choice is which tools of a set a model is offered, and why.
type Choice struct {
	Tools  []string // in the order of the set, so that a prompt stays the same while they do
	Best   string   // the tool that fits the text best; empty when it has no word of any, or when all are offered
	Reason string
}

// Choose picks at most limit tools for a text. Those of shared that are in the set are always among them, and so is the
// best match, also where shared alone fills the limit. before is what the turn before was offered: it stays, so that a
// model server can reuse what it has computed, until the best match is missing from it or one of it is gone.
func (x *Index) Choose(text string, limit int, shared, before []string) Choice {
	if len(x.tools) <= limit {
		return Choice{Tools: x.named(func(string) bool { return true }), Reason: "all tools are offered"}
	}
	ranked := x.Rank(text)
	best := ""
	if ranked[0].Score > 0 {
		best = x.tools[ranked[0].Tool].Name
	}
	fits := best + " fits best"
	if x.holds(before) && (best == "" || slices.Contains(before, best)) {
		if best == "" {
			fits = "none fits better"
		}
		kept := x.named(func(name string) bool { return slices.Contains(before, name) })
		return Choice{kept, best, fmt.Sprintf("the same %d of %d tools as before, %s", len(kept), len(x.tools), fits)}
	}
	taken := map[string]bool{}
	for _, name := range shared {
		if x.holds([]string{name}) {
			taken[name] = true
		}
	}
	for i, r := range ranked {
		if len(taken) >= limit && (i > 0 || best == "") {
			break
		}
		taken[x.tools[r.Tool].Name] = true
	}
	chosen := x.named(func(name string) bool { return taken[name] })
	if best == "" {
		return Choice{chosen, best, fmt.Sprintf("the first %d of %d tools, none fits", len(chosen), len(x.tools))}
	}
	return Choice{chosen, best, fmt.Sprintf("%d of %d tools by relevance, %s", len(chosen), len(x.tools), fits)}
}

// named lists the names of the set that are wanted, in its order.
func (x *Index) named(wanted func(name string) bool) []string {
	out := make([]string, 0, len(x.tools))
	for _, tool := range x.tools {
		if wanted(tool.Name) {
			out = append(out, tool.Name)
		}
	}
	return out
}

// holds reports whether all of names, and at least one, are in the set.
func (x *Index) holds(names []string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(x.tools, func(tool toolcall.Tool) bool { return tool.Name == name }) {
			return false
		}
	}
	return len(names) > 0
}
