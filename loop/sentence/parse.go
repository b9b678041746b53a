package sentence

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxDepth is how deep groups and rules may stand in each other.
const maxDepth = 24

type kind uint8

const (
	chunk       kind = iota // literal text, with the spaces beside it
	sequence                // all, in order
	alternative             // one of them
	permutation             // all, in any order
	listed                  // {list}
	ruled                   // <rule>
)

// node is a piece of a template.
type node struct {
	kind     kind
	text     []rune // of a chunk: lower case, spaces joined
	optional bool   // of an alternative that was written [so]
	items    []*node
	name     string // of a list or a rule
	slot     string // of a list
	wordEnd  bool   // a space follows the list
	capture  bool   // the list's text is for answers only
	numbers  *Range // of {1..10:slot}
}

// TemplateError says where a template can't be read.
type TemplateError struct {
	Template string
	At       int // bytes from its start
	Problem  string
}

func (e *TemplateError) Error() string {
	return fmt.Sprintf("%q, character %d: %s", e.Template, len([]rune(e.Template[:e.At]))+1, e.Problem)
}

// parser reads one template.
type parser struct {
	text string
	at   int
}

func parse(template string) (*node, error) {
	p := &parser{text: template}
	group, err := p.group(0, 0)
	if err != nil {
		return nil, err
	}
	for group.kind == sequence && len(group.items) == 1 && len(group.items[0].items) > 0 {
		group = group.items[0]
	}
	return group, nil
}

func (p *parser) fail(at int, format string, values ...any) error {
	return &TemplateError{Template: p.text, At: at, Problem: fmt.Sprintf(format, values...)}
}

// group reads up to the closing character, or to the end of the template when that is 0.
func (p *parser) group(closing byte, depth int) (*node, error) {
	opened := p.at - 1
	if depth > maxDepth {
		return nil, p.fail(opened, "groups stand more than %d deep in each other", maxDepth)
	}
	result := &node{kind: sequence}
	last := result
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == closing && closing != 0:
			p.at++
			return finished(result), nil
		case strings.IndexByte(")]}>", c) >= 0:
			return nil, p.fail(p.at, "there is a %q that nothing opened", c)
		case c == '|' || c == ';':
			want := alternative
			if c == ';' {
				want = permutation
			}
			if result.kind == sequence {
				result = &node{kind: want, items: []*node{last}}
			}
			if result.kind != want {
				return nil, p.fail(p.at, "| and ; stand in one group: put parentheses around one of them")
			}
			p.at++
			last = &node{kind: sequence}
			result.items = append(result.items, last)
		default:
			item, err := p.item(depth)
			if err != nil {
				return nil, err
			}
			last.items = append(last.items, item)
		}
	}
	if closing != 0 {
		return nil, p.fail(max(opened, 0), "this is not closed: %q is missing", closing)
	}
	return finished(result), nil
}

// finished puts spaces around the items of a permutation, which may stand anywhere.
func finished(group *node) *node {
	if group.kind != permutation {
		return group
	}
	for _, item := range group.items {
		space := func() *node { return &node{kind: chunk, text: []rune{' '}} }
		item.items = append(append([]*node{space()}, item.items...), space())
	}
	return group
}

func (p *parser) item(depth int) (*node, error) {
	opened := p.at
	switch p.text[p.at] {
	case '(':
		p.at++
		return p.group(')', depth+1)
	case '[':
		p.at++
		group, err := p.group(']', depth+1)
		if err != nil {
			return nil, err
		}
		if group.kind != alternative {
			group = &node{kind: alternative, items: []*node{group}}
		}
		group.optional = true
		group.items = append(group.items, &node{kind: chunk})
		return group, nil
	case '{', '<':
		closing := map[byte]string{'{': "}", '<': ">"}[p.text[p.at]]
		name, rest, found := strings.Cut(p.text[p.at+1:], closing)
		if !found {
			return nil, p.fail(opened, "this is not closed: %q is missing", closing)
		}
		if name == "" {
			return nil, p.fail(opened, "there is no name between the brackets")
		}
		p.at = len(p.text) - len(rest)
		if closing == ">" {
			return &node{kind: ruled, name: name}, nil
		}
		return p.list(opened, name, strings.HasPrefix(rest, " "))
	}
	return &node{kind: chunk, text: p.word()}, nil
}

var inlineRange = regexp.MustCompile(`^(\d{1,9})\.\.(\d{1,9})(?:,(\d{1,9}))?$`)

// list reads what stands in braces: list, list:slot, list:@capture, @capture or 1..10:slot.
func (p *parser) list(at int, text string, wordEnd bool) (*node, error) {
	name, slot, named := strings.Cut(text, ":")
	if !named {
		slot = name
		name = strings.TrimPrefix(name, "@")
	}
	result := &node{kind: listed, name: name, wordEnd: wordEnd}
	result.slot, result.capture = strings.CutPrefix(slot, "@")
	if parts := inlineRange.FindStringSubmatch(name); parts != nil && named {
		result.numbers = &Range{Step: 1}
		result.numbers.From, _ = strconv.Atoi(parts[1])
		result.numbers.To, _ = strconv.Atoi(parts[2])
		if parts[3] != "" {
			result.numbers.Step, _ = strconv.Atoi(parts[3])
		}
		if err := result.numbers.check(); err != nil {
			return nil, p.fail(at, "%v", err)
		}
	}
	return result, nil
}

// word reads literal text up to the next word or the next character that means something.
func (p *parser) word() []rune {
	var word strings.Builder
	for begin, spaced := p.at, false; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\\' && p.at+1 < len(p.text):
			if spaced {
				return folded(normal(word.String()))
			}
			p.at++
			c = p.text[p.at]
		case strings.IndexByte("()[]{}<>|;", c) >= 0:
			return folded(normal(word.String()))
		case c == ' ':
			spaced = p.at > begin
		case spaced:
			return folded(normal(word.String()))
		}
		word.WriteByte(c)
	}
	return folded(normal(word.String()))
}
