package sentence

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Set is what can be said in one language, ready to match.
type Set struct {
	templates []template
	lists     map[string]*list
	skip      [][]rune // phrases in lower case, the longest first
	dense     bool
	numbers   func(text string) []Number
	fragments *fragments
}

// template is one sentence of a block.
type template struct {
	intent   string
	block    *Block
	text     string
	root     *node
	rules    map[string]*node
	lists    map[string]*list // the block's own
	clauses  [][]int          // of each, one fragment at least stands in every text that fits
	wildcard edges
}

// edges tells where a template has a wildcard at its edge: there the words that are skipped elsewhere belong to it.
type edges struct{ first, last bool }

// list is a [List] made ready.
type list struct {
	values   []value
	numbers  *Range
	wildcard bool
}

type value struct {
	root *node
	*Value
}

// Lists are the names of a house, by list: they join the lists of a language and come before those of the same name.
// They never change; several goroutines may match with them at once.
type Lists map[string]*list

// NewLists makes lists ready. The error joins one for every value that can't be read.
func NewLists(lists map[string]List) (Lists, error) {
	result := make(Lists, len(lists))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		made, err := newList(lists[name])
		if err != nil {
			errs = append(errs, fmt.Errorf("list %s: %w", name, err))
		}
		result[name] = made
	}
	return result, errors.Join(errs...)
}

func newList(from List) (*list, error) {
	result := &list{numbers: from.Range, wildcard: from.Wildcard}
	if from.Range != nil {
		return result, from.Range.check()
	}
	if len(from.Values) == 0 && !from.Wildcard {
		return result, errors.New("it has neither values nor a range and is no wildcard")
	}
	var errs []error
	for i := range from.Values {
		root, err := parse(from.Values[i].In)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		result.values = append(result.values, value{root, &from.Values[i]})
	}
	return result, errors.Join(errs...)
}

// New makes a language ready. numbers reads the numbers in words that begin a text, the shorter ones too; it may be
// nil. live are the names of lists that [Set.Best] will be given. The error joins one for everything that can't be
// read.
func New(language Language, numbers func(text string) []Number, live ...string) (*Set, error) {
	c := compiler{set: &Set{dense: language.Settings.IgnoreWhitespace, numbers: numbers, fragments: newFragments()}, live: live}
	lists, err := NewLists(language.Lists)
	c.complain(err)
	c.set.lists = lists
	for _, phrase := range language.SkipWords {
		if phrase = strings.TrimSpace(phrase); phrase != "" {
			c.set.skip = append(c.set.skip, folded(phrase))
		}
	}
	slices.SortStableFunc(c.set.skip, func(a, b []rune) int { return len(b) - len(a) })
	rules := c.rules("", nil, language.Rules)
	for _, name := range slices.Sorted(maps.Keys(language.Intents)) {
		data := language.Intents[name].Data
		for i := range data {
			c.block(name, &data[i], rules)
		}
	}
	if err := errors.Join(c.errs...); err != nil {
		return nil, err
	}
	return c.set, nil
}

type compiler struct {
	set  *Set
	live []string
	errs []error
}

func (c *compiler) complain(err error) {
	if err != nil {
		c.errs = append(c.errs, err)
	}
}

// rules reads expansion rules, over those of the language.
func (c *compiler) rules(intent string, outer map[string]*node, texts map[string]string) map[string]*node {
	if len(texts) == 0 && outer != nil {
		return outer
	}
	result := make(map[string]*node, len(outer)+len(texts))
	maps.Copy(result, outer)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		root, err := parse(texts[name])
		if err != nil {
			c.complain(fmt.Errorf("%s: rule <%s>: %w", intent, name, err))
		}
		result[name] = root
	}
	return result
}

func (c *compiler) block(intent string, block *Block, outer map[string]*node) {
	rules := c.rules(intent, outer, block.Rules)
	var own map[string]*list
	if len(block.Lists) > 0 {
		lists, err := NewLists(block.Lists)
		c.complain(err)
		own = lists
	}
	first := len(c.set.templates)
	for _, text := range block.Sentences {
		root, err := parse(strings.TrimSpace(text))
		if err == nil {
			t := template{intent: intent, block: block, text: text, root: root, rules: rules, lists: own}
			if err = c.refers(&t, root, nil); err == nil {
				t.clauses = c.set.fragments.clauses(&t)
				t.wildcard = c.edges(&t)
				c.set.templates = append(c.set.templates, t)
				continue
			}
		}
		c.complain(fmt.Errorf("%s: %w", intent, err))
	}
	// Of templates with wildcards those with more text of their own come first.
	added := c.set.templates[first:]
	slices.SortStableFunc(added, func(a, b template) int { return c.weight(&b) - c.weight(&a) })
}

func (c *compiler) weight(t *template) int {
	if !c.anyWildcard(t, t.root) {
		return 0
	}
	return chunks(t.root)
}

func chunks(n *node) int {
	if n.kind == chunk {
		return 1
	}
	count := 0
	for _, item := range n.items {
		count += chunks(item)
	}
	return count
}

func (c *compiler) anyWildcard(t *template, n *node) bool {
	if n.kind == listed {
		return c.isWildcard(t, n)
	}
	return slices.ContainsFunc(n.items, func(item *node) bool { return c.anyWildcard(t, item) })
}

func (c *compiler) isWildcard(t *template, n *node) bool {
	if n.kind != listed {
		return false
	}
	found := t.lists[n.name]
	if found == nil {
		found = c.set.lists[n.name]
	}
	return found != nil && found.wildcard
}

func (c *compiler) edges(t *template) edges {
	if t.root.kind != sequence || len(t.root.items) == 0 {
		return edges{}
	}
	return edges{c.isWildcard(t, t.root.items[0]), c.isWildcard(t, t.root.items[len(t.root.items)-1])}
}

// refers checks that every rule and list that a template names is there, and that no rule uses itself.
func (c *compiler) refers(t *template, n *node, through []string) error {
	switch n.kind {
	case listed:
		if n.numbers == nil && t.lists[n.name] == nil && c.set.lists[n.name] == nil && !slices.Contains(c.live, n.name) {
			return fmt.Errorf("%q: there is no list {%s}", t.text, n.name)
		}
	case ruled:
		rule := t.rules[n.name]
		switch {
		case rule == nil:
			return fmt.Errorf("%q: there is no rule <%s>", t.text, n.name)
		case slices.Contains(through, n.name):
			return fmt.Errorf("%q: the rule <%s> uses itself", t.text, n.name)
		}
		return c.refers(t, rule, append(through, n.name))
	}
	for _, item := range n.items {
		if err := c.refers(t, item, through); err != nil {
			return err
		}
	}
	return nil
}
