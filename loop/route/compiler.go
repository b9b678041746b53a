package route

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Mistake says what is wrong with one rule or grammar.
type Mistake struct {
	Index int    // in the list that was given
	Field string // such as "patterns[2]"
	Err   error
}

func (m *Mistake) Error() string { return fmt.Sprintf("%s: %v", m.Field, m.Err) }

func (m *Mistake) Unwrap() error { return m.Err }

// compiler checks one rule or grammar, unless it was checked before. The regular expressions are made when a text first
// needs them: most texts need none, and a start should not wait for all.
type compiler struct {
	index    int
	checked  bool
	mistakes []error // each a *Mistake
}

func (c *compiler) complain(field string, err error) {
	c.mistakes = append(c.mistakes, &Mistake{Index: c.index, Field: field, Err: err})
}

// expressions makes the regular expressions of a field ready, each within around, and has check look at what was
// parsed.
func (c *compiler) expressions(field string, texts []string, around string, check func(*syntax.Regexp) error,
) func() []*regexp.Regexp {
	list := make([]func() *regexp.Regexp, len(texts))
	for i, text := range texts {
		list[i] = c.expression(fmt.Sprintf("%s[%d]", field, i), text, around, check)
	}
	return sync.OnceValue(func() []*regexp.Regexp {
		expressions := make([]*regexp.Regexp, len(list))
		for i, get := range list {
			expressions[i] = get()
		}
		return expressions
	})
}

func (c *compiler) expression(field, text, around string, check func(*syntax.Regexp) error) func() *regexp.Regexp {
	whole := fmt.Sprintf(around, text)
	if !c.checked {
		tree, err := syntax.Parse(whole, syntax.Perl)
		if err != nil {
			_, err = syntax.Parse(text, syntax.Perl) // the message then quotes what was written
		} else if check != nil {
			err = check(tree)
		}
		if err != nil {
			c.complain(field, err)
		}
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(whole) })
}

// oneGroup demands that an expression has one group.
func oneGroup(tree *syntax.Regexp) error {
	if tree.MaxCap() != 1 {
		return errors.New("needs 1 group")
	}
	return nil
}

// groupsInto adds the names of an expression's groups to a list.
func groupsInto(groups *[]string) func(*syntax.Regexp) error {
	return func(tree *syntax.Regexp) error {
		for _, name := range tree.CapNames() {
			if name != "" && !slices.Contains(*groups, name) {
				*groups = append(*groups, name)
			}
		}
		return nil
	}
}

func (c *compiler) template(field, text string, words map[string]string) *reply {
	if strings.TrimSpace(text) == "" {
		c.complain(field, errors.New("is missing"))
		return nil
	}
	parsed, err := parseReply(text, functions(words))
	if err != nil {
		c.complain(field, err)
	}
	return parsed
}

func (c *compiler) argument(field string, argument Argument, groups []string, resolvers map[string]Resolver) {
	problem := ""
	switch {
	case c.checked:
	case argument.Group == "" && argument.Value == nil:
		problem = "needs a group or a value"
	case argument.Group != "" && argument.Value != nil:
		problem = "has both a group and a value"
	case argument.Group != "" && !slices.Contains(groups, argument.Group):
		problem = fmt.Sprintf("no pattern has a group named %q", argument.Group)
	case argument.Default != "" && argument.Group == "":
		problem = "a default needs a group"
	case argument.Resolver != "" && argument.Group == "":
		problem = "a resolver needs a group"
	case argument.Resolver != "" && resolvers[argument.Resolver] == nil:
		problem = fmt.Sprintf("there is no resolver named %q", argument.Resolver)
	}
	if problem != "" {
		c.complain(field, errors.New(problem))
	}
}
