package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"chatterbox/evals/bfcl"
)

// This file finds the meaning of sentences. A sentence of the vocabulary is written as it is shown to people; what varies
// in it stands in braces, and its pattern is made from that.

// below is what stands below a sentence.
type below int

const (
	nothing below = iota
	aTable
	aText
)

// sentence is one entry of the vocabulary.
type sentence struct {
	keyword string
	form    string
	about   string // for the reference page
	below   below
	do      func(r *rewriter, args []string, step Step) error
	pattern *regexp.Regexp
	prefix  string // that every text which fits begins with
}

// slots are what may stand for a name in braces. The part before a hyphen decides.
var slots = map[string]string{
	"tool":     `([A-Za-z_][A-Za-z0-9_-]*)`,
	"argument": `([A-Za-z_][A-Za-z0-9_.-]*)`,
	"tools":    `([A-Za-z_][A-Za-z0-9_-]*(?:(?:, | and )[A-Za-z_][A-Za-z0-9_-]*)*)`,
	"text":     `"([^"]*)"`,
	"texts":    `("[^"]*"(?:(?:, | or )"[^"]*")*)`,
	"count":    `(never|once|twice|\d+ times)`,
	"n":        `(\d+)`,
	"number":   `(-?\d+(?:\.\d+)?)`,
	"phase":    `([A-Z_]+)`,
}

var slot = regexp.MustCompile(`\\\{([a-z]+)\\\}`)

func (s sentence) compile() sentence {
	s.pattern = regexp.MustCompile("^" + slot.ReplaceAllStringFunc(regexp.QuoteMeta(s.form), func(found string) string {
		return slots[strings.Trim(found, `\{}`)]
	}) + "$")
	s.prefix, _ = s.pattern.LiteralPrefix()
	return s
}

// vocabulary gives all sentences, in the order of the reference page.
var vocabulary = sync.OnceValue(func() []sentence {
	var all []sentence
	for _, part := range [][]sentence{worldSentences(), scriptSentences(), userSentences(), callSentences(), answerSentences()} {
		for _, s := range part {
			all = append(all, s.compile())
		}
	}
	return all
})

// Form is an entry of the reference page.
type Form struct {
	Keyword string `json:"keyword"`
	Form    string `json:"form"`
	About   string `json:"about,omitempty"`
	Product bool   `json:"product,omitempty"` // of scenarios that are not tagged @model
}

// Vocabulary lists the sentences that a scenario tagged @model may use.
func Vocabulary() []Form { return forms(vocabulary(), false) }

func forms(known []sentence, product bool) (out []Form) {
	for _, s := range known {
		out = append(out, Form{s.keyword, s.form, s.about, product})
	}
	return out
}

// rewriter turns sentences into a plan.
type rewriter struct {
	suite *Suite
	plan  Plan
	// script is for the next turn.
	script []reply
	delay  int // in ms, of the next reply
	// asked is the leaderboard's question, nil without one.
	asked *bfcl.Question
}

// Plan reads the sentences of a scenario tagged @model. All mistakes are reported.
func (s *Suite) Plan(scenario Scenario) (Plan, error) {
	r := &rewriter{suite: s, plan: Plan{Scenario: scenario}}
	known := vocabulary()
	for _, step := range scenario.Steps {
		if err := r.step(known, step); err != nil {
			return r.plan, &syntaxError{scenario.File, step.Line, err.Error()}
		}
	}
	switch {
	case len(r.plan.Turns) == 0:
		return r.plan, &syntaxError{scenario.File, scenario.Line, "expected that the user says something"}
	case len(r.script) > 0 || r.delay > 0:
		return r.plan, &syntaxError{scenario.File, scenario.Line, "expected a turn after the last replies of the model"}
	case !slices.ContainsFunc(r.plan.Turns, func(t Turn) bool { return t.Expect.expects() }):
		return r.plan, &syntaxError{scenario.File, scenario.Line, "expected something: the scenario has no Then that says what must hold"}
	}
	return r.plan, nil
}

// meaning finds the one sentence that a step is, and what varies in it.
func meaning(known []sentence, step Step) (sentence, []string, error) {
	var fits []sentence
	var args []string
	for _, s := range known {
		if s.keyword != step.Keyword || !strings.HasPrefix(step.Text, s.prefix) {
			continue
		}
		if match := s.pattern.FindStringSubmatch(step.Text); match != nil {
			fits, args = append(fits, s), match[1:]
		}
	}
	switch {
	case len(fits) == 0:
		return sentence{}, nil, fmt.Errorf("expected a sentence of the vocabulary, found %q; the nearest is: %s", step.Keyword+" "+step.Text, nearest(known, step))
	case len(fits) > 1:
		return sentence{}, nil, fmt.Errorf("%q has two meanings: %q and %q", step.Text, fits[0].form, fits[1].form)
	}
	return fits[0], args, nil
}

func (r *rewriter) step(known []sentence, step Step) error {
	s, args, err := meaning(known, step)
	if err != nil {
		if _, _, other := meaning(productSentences(), step); other == nil {
			err = fmt.Errorf("%w; it is a sentence of scenarios that are not tagged %s", err, liveTag)
		}
		return err
	}
	got := nothing
	switch {
	case step.Table != nil:
		got = aTable
	case step.Doc != nil:
		got = aText
	}
	if got != s.below {
		return fmt.Errorf("expected %s below %q", [...]string{"nothing", "a table", `a text in """`}[s.below], step.Text)
	}
	if step.Keyword == "Then" && len(r.plan.Turns) == 0 {
		return fmt.Errorf("expected that the user says something before %q", step.Text)
	}
	return s.do(r, args, step)
}

// nearest names the sentence that a step resembles most, with its keyword.
func nearest(known []sentence, step Step) string {
	best, least := "", -1
	for _, s := range known {
		d := distance(step.Keyword+" "+unquote.ReplaceAllString(step.Text, `"{text}"`), s.keyword+" "+strings.ReplaceAll(s.form, "{text}", `"{text}"`))
		if least < 0 || d < least {
			best, least = s.keyword+" "+s.form, d
		}
	}
	return best
}

var unquote = regexp.MustCompile(`"[^"]*"`)

// distance is how much must be changed to make a sentence of a step's words.
func distance(step, sentence string) int {
	return edits(strings.Fields(step), strings.Fields(sentence), func(word, other string) int {
		switch {
		case strings.HasPrefix(other, "{"):
			return oneEdit / 2
		case word != other:
			return oneEdit
		}
		return 0
	})
}

// oneEdit is what it costs to put something in or to take it out.
const oneEdit = 2

// edits is the least that it costs to make one list from another.
func edits[T any](from, to []T, replace func(one, other T) int) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = oneEdit * j
	}
	for i, one := range from {
		corner := row[0]
		row[0] = oneEdit * (i + 1)
		for j, other := range to {
			corner, row[j+1] = row[j+1], min(row[j+1]+oneEdit, row[j]+oneEdit, corner+replace(one, other))
		}
	}
	return row[len(to)]
}

// expects says whether anything can be wrong about the turn.
func (e Expect) expects() bool {
	return e.NoTool || len(e.Calls) > 0 || len(e.Counts) > 0 || len(e.Before) > 0 || e.AtOnce || e.AskedMax > 0 ||
		len(e.Mentions) > 0 || len(e.Lacks) > 0 || e.Grounded || e.Question || e.Refuses || e.Approval != "" || e.Phase != "" || len(e.Fields) > 0 || e.Leaderboard != nil
}
