package route

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Grammar is how a language tells commands from other sentences, as data. Its texts are in lower case; its regular
// expressions read a text in lower case.
type Grammar struct {
	Language string `yaml:"sentences"` // base tag, such as "en"
	// Lead are words that may stand before a sentence and are no part of it.
	Lead []string `yaml:"lead"`
	// Free are regular expressions, each with one group: there the person's own words begin, such as what a reminder is
	// about. What they say makes the sentence neither a command nor something else.
	Free []string `yaml:"free"`
	// Courtesy are regular expressions for what has the form of such a sentence and makes none, such as "would you
	// mind". It is taken out before the guards look, but for its first group, where it has one.
	Courtesy []string `yaml:"courtesy"`
	Guards   []Guard  `yaml:"guards"`
	// And are the words between two things that are asked for in one sentence, the longer of two that begin alike
	// first.
	And []string `yaml:"and"`
	// Anew are regular expressions for how something else begins behind the person's own words: "… and remind me". What
	// does not begin so is theirs.
	Anew []string `yaml:"anew"`
	// Checked says that the grammar was compiled before without a mistake, when it was not Checked.
	Checked bool `yaml:"-"`
}

// Guard finds sentences that are no command, whatever else they say.
type Guard struct {
	Name string `yaml:"name"` // such as "a negation"
	// First are words of which the first of the sentence must be one, Words of which any must be one, for the
	// patterns to be looked at: one of the two suffices. Most texts have none of them, which costs less to find out.
	First    []string `yaml:"first"`
	Words    []string `yaml:"words"`
	Courtesy []string `yaml:"courtesy"` // as Grammar.Courtesy, for this guard alone
	Patterns []string `yaml:"patterns"` // regular expressions of which one must occur
}

// Sentences are grammars made ready. They never change; several goroutines may use them at once. A nil *Sentences takes
// every sentence for a command.
type Sentences struct{ grammars map[string]*grammar }

type grammar struct {
	lead        map[string]bool
	first, word map[string]uint // sets of guards, as bits
	free        func() []*regexp.Regexp
	courtesy    func() []*regexp.Regexp
	guards      []guard
	joins       []string // of which one occurs in every text with a joint
	join        func() *regexp.Regexp
	anew        func() []*regexp.Regexp
}

// guard is a Guard made ready.
type guard struct {
	name               string
	courtesy, patterns func() []*regexp.Regexp
}

// guardsMax is how many guards a grammar may have: as many as a set of them has bits for.
const guardsMax = 32

// NewSentences checks the grammars and makes them ready. A later one replaces an earlier one of its language. The error
// joins a *[Mistake] for each.
func NewSentences(grammars []Grammar) (*Sentences, error) {
	s := &Sentences{grammars: map[string]*grammar{}}
	var mistakes []error
	for i, from := range grammars {
		c := compiler{index: i, checked: from.Checked}
		s.grammars[from.Language] = c.grammar(from)
		mistakes = append(mistakes, c.mistakes...)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *compiler) grammar(from Grammar) *grammar {
	g := &grammar{lead: map[string]bool{}, first: map[string]uint{}, word: map[string]uint{}}
	if from.Language == "" {
		c.complain("sentences", errors.New("the language is missing"))
	}
	if len(from.Guards) > guardsMax {
		c.complain("guards", fmt.Errorf("there are more than %d", guardsMax))
		return g
	}
	for _, word := range from.Lead {
		g.lead[word] = true
	}
	g.free = c.expressions("free", from.Free, "%s", oneGroup)
	g.courtesy = c.expressions("courtesy", from.Courtesy, "%s", nil)
	g.anew = c.expressions("anew", from.Anew, "%s", nil)
	if len(from.And) > 0 {
		g.joins = []string{". ", "; ", ", "}
		for _, word := range from.And {
			g.joins = append(g.joins, " "+word+" ")
		}
		g.join = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(joinExpression(from.And)) })
	}
	for i, from := range from.Guards {
		field := fmt.Sprintf("guards[%d]", i)
		if from.Name == "" || len(from.Patterns) == 0 || len(from.First)+len(from.Words) == 0 {
			c.complain(field, errors.New("a guard needs a name, patterns, and words to look for"))
		}
		for _, word := range from.First {
			g.first[word] |= 1 << i
		}
		for _, word := range from.Words {
			g.word[word] |= 1 << i
		}
		g.guards = append(g.guards, guard{
			name: from.Name, courtesy: c.expressions(field+".courtesy", from.Courtesy, "%s", nil),
			patterns: c.expressions(field+".patterns", from.Patterns, "%s", nil),
		})
	}
	return g
}

// Languages lists the languages that have a grammar, sorted.
func (s *Sentences) Languages() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.grammars))
}

// NoCommand says what the text is where it is no command, such as "a negation", read as a sentence of the language; it
// is empty where it may be one.
func (s *Sentences) NoCommand(text, language string) string {
	if s == nil {
		return ""
	}
	g := s.grammars[language]
	if g == nil {
		return ""
	}
	lower := strings.ToLower(clean(text))
	suspects, begins := g.suspects(lower)
	for i := range g.guards {
		one := &g.guards[i]
		if suspects&(1<<i) == 0 || !anyMatches(one.patterns(), lower[begins:]) {
			continue // as with most texts, which costs less to find out without a look at what is courtesy
		}
		if anyMatches(one.patterns(), g.said(one, lower, begins)) {
			return one.name
		}
	}
	return ""
}

// said is what a guard looks at: the text in lower case without its lead, the person's own words and courtesy.
func (g *grammar) said(by *guard, lower string, begins int) string {
	end := len(lower)
	for _, free := range g.free() {
		if at := free.FindStringSubmatchIndex(lower); at != nil {
			end = min(end, at[2])
		}
	}
	head := lower[min(begins, end):end]
	for _, list := range [][]*regexp.Regexp{g.courtesy(), by.courtesy()} {
		for _, courtesy := range list {
			head = courtesy.ReplaceAllString(head, " $1 ")
		}
	}
	head = strings.TrimLeft(strings.Join(strings.Fields(head), " "), ",.;:!? ")
	_, begins = g.suspects(head) // what stood behind the courtesy may be more of the lead
	return head[begins:]
}

// suspects are the guards whose words occur in a text in lower case, and where the text begins behind its lead.
func (g *grammar) suspects(lower string) (set uint, begins int) {
	leading := true
	for at := 0; at < len(lower); {
		end := len(lower)
		if space := strings.IndexByte(lower[at:], ' '); space >= 0 {
			end = at + space
		}
		word := strings.Trim(lower[at:end], `,.;:!?"'()-`)
		if leading && !g.lead[word] {
			leading, begins = false, at
			set |= g.first[word]
		} else if leading && end == len(lower) {
			begins = at
		}
		set |= g.word[word]
		at = end + 1
	}
	return set, begins
}

func anyMatches(expressions []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool { return e.MatchString(text) })
}
