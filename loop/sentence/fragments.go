package sentence

import (
	"slices"
	"strings"
)

// fragments are the pieces of text that templates can't do without. Which of them stand in a sentence is found in one
// pass, and spares trying the templates that can't fit.
type fragments struct {
	ids  map[string]int
	next []map[rune]int32 // a trie; node 0 is its root
	ends []int32          // by node: the fragment that ends there, or -1
}

func newFragments() *fragments {
	return &fragments{ids: map[string]int{}, next: []map[rune]int32{{}}, ends: []int32{-1}}
}

func (f *fragments) id(text string) int {
	id, known := f.ids[text]
	if known {
		return id
	}
	id = len(f.ids)
	f.ids[text] = id
	at := int32(0)
	for _, r := range text {
		to, there := f.next[at][r]
		if !there {
			to = int32(len(f.next))
			f.next = append(f.next, map[rune]int32{})
			f.ends = append(f.ends, -1)
			f.next[at][r] = to
		}
		at = to
	}
	f.ends[at] = int32(id)
	return id
}

// in tells by id which fragments stand in the text.
func (f *fragments) in(text []rune, found []bool) {
	for i := range text {
		at := int32(0)
		for _, r := range text[i:] {
			to, there := f.next[at][r]
			if !there {
				break
			}
			at = to
			if id := f.ends[at]; id >= 0 {
				found[id] = true
			}
		}
	}
}

// clauses are what a template needs, each a choice of fragments.
func (f *fragments) clauses(t *template) [][]int {
	var ids [][]int
	for _, clause := range needs(t, t.root) {
		choice := make([]int, len(clause))
		for i, text := range clause {
			choice[i] = f.id(text)
		}
		ids = append(ids, choice)
	}
	// What can fail soonest is asked first.
	slices.SortStableFunc(ids, func(a, b []int) int { return len(a) - len(b) })
	return ids
}

// needs are the choices of pieces of which every text has one that fits the node. A node that can do without gives
// none.
func needs(t *template, n *node) [][]string {
	switch n.kind {
	case chunk:
		var result [][]string
		for piece := range strings.FieldsSeq(string(n.text)) {
			if !strings.ContainsFunc(piece, func(r rune) bool { return isMark(r) || r == '-' || r == '_' }) {
				result = append(result, []string{piece})
			}
		}
		return result
	case ruled:
		return needs(t, t.rules[n.name])
	case listed:
		return nil
	case alternative:
		var merged []string
		for _, item := range n.items {
			branch := needs(t, item)
			if len(branch) == 0 {
				return nil
			}
			least := slices.MinFunc(branch, func(a, b []string) int { return len(a) - len(b) })
			merged = append(merged, least...)
		}
		slices.Sort(merged)
		return [][]string{slices.Compact(merged)}
	}
	var result [][]string
	for _, item := range n.items {
		result = append(result, needs(t, item)...)
	}
	return result
}
