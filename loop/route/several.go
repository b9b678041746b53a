package route

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file finds several things in one sentence. The rules are: a part counts when it is understood by itself, with
// what it leaves out taken from the part before it; all parts are understood, or none is one; the person's own words,
// such as what a reminder is about, are not taken apart unless what follows has a time of its own or begins anew.

// Part is one of several things that a text asks for.
type Part struct {
	Text     string // as a sentence of its own
	Decision Decision
	whole    bool // the part itself, or the workflow that it opens, lacks nothing
}

// joinsMax is how many joints of a text are looked at; partsMax bounds the parts by that.
const joinsMax = 4

// joint is what stands between two parts of a text.
type joint struct {
	start, end int
	binds      bool // a word such as "and", behind which something may be left out
	breaks     bool // the end of a sentence
}

// splitter looks for the parts of one text.
type splitter struct {
	input  Input
	rules  *Rules
	by     *grammar
	text   string // clean
	joints []joint
}

// several is the decision for a text that asks for several things, or nil. Single is the decision for it as one.
func (r *Rules) several(input Input, single Decision) *Decision {
	if r == nil || len(input.Text) > triggerTextMax || !r.sentences.mayJoin(input.Text) {
		return nil
	}
	text := clean(input.Text)
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return nil // letters that change their length: the places would not be the same
	}
	for _, language := range r.sentences.ordered(baseLanguage(input.Language)) {
		s := splitter{input: input, rules: r, by: r.sentences.grammars[language], text: text}
		if s.joints = s.by.joints(lower); len(s.joints) == 0 {
			continue
		}
		if parts := s.from(0, nil, joint{}); len(parts) > 1 && (single.Command == nil || !s.leftOut(parts)) {
			return decideParts(parts)
		}
		if single.Stage == StageLoop || single.Stage == StageNone || s.doubtful(single) {
			if known, unknown := s.some(); len(known) > 0 {
				return &Decision{
					Stage: nobody(input), Reason: "only a part is understood", Tools: input.Tools,
					Known: known, Unknown: unknown,
				}
			}
		}
	}
	return nil
}

// triggerTextMax is the longest text that is looked at for parts, in bytes.
const triggerTextMax = 500

func decideParts(parts []Part) *Decision {
	decision := &Decision{Stage: StageSeveral, Parts: parts}
	var reasons []string
	for _, part := range parts {
		reasons = append(reasons, part.Decision.Reason)
		for _, tool := range part.Decision.Tools {
			if !slices.Contains(decision.Tools, tool) {
				decision.Tools = append(decision.Tools, tool)
			}
		}
	}
	decision.Reason = fmt.Sprintf("%d things are asked for: %s", len(parts), strings.Join(reasons, "; "))
	return decision
}

// nobody is the stage of what no rule takes.
func nobody(input Input) Stage {
	if input.Model {
		return StageLoop
	}
	return StageNone
}

// doubtful says whether a command holds only because there is no model to ask what its words mean.
func (s *splitter) doubtful(single Decision) bool {
	input := s.input
	input.Model = true
	return single.Command != nil && s.rules.single(input).Command == nil
}

// leftOut says whether a part is not said as it is understood.
func (s *splitter) leftOut(parts []Part) bool {
	return slices.ContainsFunc(parts, func(part Part) bool { return !strings.Contains(s.text, part.Text) })
}

// from gives the parts from a place on, nil where they are not all understood. Before is the part that ends there.
func (s *splitter) from(at int, before *Part, by joint) []Part {
	for i := 0; i <= len(s.joints); i++ {
		end, next := len(s.text), joint{}
		if i < len(s.joints) {
			next = s.joints[i]
			if end = next.start; end <= at {
				continue
			}
		} else if before == nil {
			return nil // the text as one is not several
		}
		for _, reading := range s.readings(s.text[at:end], before, by) {
			part, ok := s.understand(reading)
			if !ok {
				continue
			}
			if i == len(s.joints) {
				return []Part{part}
			}
			if rest := s.from(next.end, &part, next); rest != nil {
				return append([]Part{part}, rest...)
			}
		}
	}
	return nil
}

// reading is how a piece of the text may be a sentence.
type reading struct {
	text    string
	leftOut bool // something in it was taken from the part before
}

// readings are those of a piece, the likeliest first: as it stands, and with what it leaves out.
func (s *splitter) readings(piece string, before *Part, by joint) []reading {
	if before == nil {
		return []reading{{text: piece}}
	}
	opens, marker := s.by.own(strings.ToLower(before.Text))
	own := opens >= 0 && !by.breaks
	var all []reading
	if !own || s.by.begins(strings.ToLower(piece)) {
		all = append(all, reading{text: s.by.without(piece)})
	}
	if !by.binds || !before.whole || own && !(s.timed(piece) && s.timed(before.Text)) {
		return all
	}
	first, _, _ := strings.Cut(strings.ToLower(piece), " ")
	lower := strings.ToLower(before.Text)
	for at := 0; ; {
		found := strings.Index(lower[at:], " "+first+" ")
		if found < 0 {
			break
		}
		at += found + 1
		all = append(all, reading{before.Text[:at] + piece, true})
	}
	if own && s.timed(before.Text[marker:]) {
		all = append(all, reading{before.Text[:marker] + " " + piece, true})
	}
	if c := before.Decision.Command; c != nil && c.tail != "" && strings.HasSuffix(before.Text, c.tail) {
		all = append(all, reading{strings.TrimSuffix(before.Text, c.tail) + piece, true})
	}
	return all
}

func (s *splitter) timed(text string) bool {
	return s.input.Timed != nil && s.input.Timed(text, s.input.Language)
}

// understand decides a sentence by itself.
func (s *splitter) understand(as reading) (Part, bool) {
	input := s.input
	input.Text = as.text
	input.certain = as.leftOut // what was taken for a value may be anything
	part := Part{Text: as.text, Decision: s.rules.single(input)}
	switch part.Decision.Stage {
	case StageCommand:
		part.whole = true
	case StageWorkflow:
		part.whole = input.Whole != nil && input.Whole(part.Decision.Workflow, as.text, input.Language)
	default:
		return Part{}, false
	}
	return part, part.whole || !as.leftOut
}

// some are the pieces between joints that are understood by themselves, and the others. Where none is, both are empty.
func (s *splitter) some() (known, unknown []string) {
	at := 0
	for i := 0; i <= len(s.joints); i++ {
		end, next := len(s.text), len(s.text)
		if i < len(s.joints) {
			end, next = s.joints[i].start, s.joints[i].end
		}
		piece := s.by.without(s.text[at:end])
		if at = next; piece == "" {
			continue
		}
		if _, ok := s.understand(reading{text: piece}); ok {
			known = append(known, piece)
		} else {
			unknown = append(unknown, piece)
		}
	}
	if len(known) == 0 || len(unknown) == 0 {
		return nil, nil
	}
	return known, unknown
}

// mayJoin is the cheap test before joints: most texts have none.
func (s *Sentences) mayJoin(text string) bool {
	if s == nil {
		return false
	}
	for _, g := range s.grammars {
		if slices.ContainsFunc(g.joins, func(word string) bool { return strings.Contains(text, word) }) {
			return true
		}
	}
	return false
}

// joints are those of a text in lower case, nil where it has too many.
func (g *grammar) joints(lower string) []joint {
	if g.join == nil {
		return nil
	}
	var all []joint
	for _, at := range g.join().FindAllStringSubmatchIndex(lower, joinsMax+1) {
		breaks := lower[at[0]] == '.' || lower[at[0]] == ';'
		all = append(all, joint{start: at[0], end: at[1], binds: at[2] >= 0, breaks: breaks})
	}
	if len(all) > joinsMax {
		return nil
	}
	return all
}

// joinExpression finds joints: a word of the list, with a sign before it or not, or a sign alone.
func joinExpression(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = regexp.QuoteMeta(word)
	}
	return `[.;,]? (` + strings.Join(quoted, "|") + `) |[.;,] `
}

// own is where in a text in lower case the person's own words begin, and the end of what leads to them; -1 where
// there are none.
func (g *grammar) own(lower string) (opens, marker int) {
	opens, marker = -1, -1
	for _, free := range g.free() {
		if at := free.FindStringSubmatchIndex(lower); at != nil && (opens < 0 || at[2] < opens) {
			opens, marker = at[2], at[3]
		}
	}
	return opens, marker
}

// begins says whether a piece in lower case is a sentence of its own even behind the person's own words.
func (g *grammar) begins(lower string) bool { return anyMatches(g.anew(), lower) }

// without is a piece without what leads to it.
func (g *grammar) without(piece string) string {
	_, begins := g.suspects(strings.ToLower(piece))
	return piece[begins:]
}

// ordered lists the languages that have a grammar, the person's first.
func (s *Sentences) ordered(own string) []string {
	languages := s.Languages()
	slices.SortStableFunc(languages, func(a, b string) int {
		return map[bool]int{true: 0, false: 1}[a == own] - map[bool]int{true: 0, false: 1}[b == own]
	})
	return languages
}
