package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// condition is a parsed expression such as "name and (address or time)". The zero value always holds.
type condition struct {
	operator string // "and", "or", or empty for a field or for nothing
	field    string
	parts    []condition
}

// holds evaluates the condition over the fields that are known.
func (c condition) holds(known func(field string) bool) bool {
	switch {
	case c.operator == "and":
		return !slices.ContainsFunc(c.parts, func(part condition) bool { return !part.holds(known) })
	case c.operator == "or":
		return slices.ContainsFunc(c.parts, func(part condition) bool { return part.holds(known) })
	default:
		return c.field == "" || known(c.field)
	}
}

// fields lists what the condition names, in its order.
func (c condition) fields() []string {
	var names []string
	if c.field != "" {
		names = append(names, c.field)
	}
	for _, part := range c.parts {
		names = append(names, part.fields()...)
	}
	return names
}

const (
	conditionMax      = 1 << 10 // bytes
	conditionDepthMax = 16
)

// parseCondition reads an expression of fields, and, or and parentheses; and binds closer than or.
func parseCondition(text string) (condition, error) {
	if len(text) > conditionMax {
		return condition{}, fmt.Errorf("is longer than %d bytes", conditionMax)
	}
	p := conditionParser{words: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))}
	if len(p.words) == 0 {
		return condition{}, nil
	}
	c, err := p.list("or", 0)
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%q does not belong there", p.words[0])
	}
	return c, err
}

type conditionParser struct{ words []string }

func (p *conditionParser) next() string {
	if len(p.words) == 0 {
		return ""
	}
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

func (p *conditionParser) list(operator string, depth int) (condition, error) {
	result := condition{operator: operator}
	for more := true; more; {
		part, err := p.part(operator, depth)
		if err != nil {
			return condition{}, err
		}
		result.parts = append(result.parts, part)
		if more = len(p.words) > 0 && p.words[0] == operator; more {
			p.next()
		}
	}
	if len(result.parts) == 1 {
		return result.parts[0], nil
	}
	return result, nil
}

func (p *conditionParser) part(operator string, depth int) (condition, error) {
	if depth > conditionDepthMax {
		return condition{}, errors.New("has too many parentheses")
	}
	if operator == "or" {
		return p.list("and", depth)
	}
	switch word := p.next(); word {
	case "", ")", "and", "or":
		return condition{}, errors.New("a field is missing; write it like: name and (address or time)")
	case "(":
		c, err := p.list("or", depth+1)
		if err == nil && p.next() != ")" {
			err = errors.New("a parenthesis is not closed")
		}
		return c, err
	default:
		return condition{field: word}, nil
	}
}
