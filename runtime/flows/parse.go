package flows

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"chatterbox/loop/route"
)

// document is one file.
type document struct {
	Language string            `yaml:"language"`
	Fillers  []string          `yaml:"fillers"`
	Before   string            `yaml:"before"`
	After    string            `yaml:"after"`
	Reads    []string          `yaml:"reads"`  // tools that change nothing: for them a question may be a command
	Define   map[string]string `yaml:"define"` // parts of patterns: {name} stands for the text
	Words    map[string]string `yaml:"words"`
	// Failures are for the commands without their own, by tool.
	Failures map[string][]failure `yaml:"failures"`
	Commands []command            `yaml:"commands"`
}

// command is a route.Rule as it is written.
type command struct {
	Name      string              `yaml:"name"`
	Tool      string              `yaml:"tool"`
	Modes     []string            `yaml:"modes"`
	Keywords  []string            `yaml:"keywords"`
	Patterns  []string            `yaml:"patterns"`
	Unless    []string            `yaml:"unless"`
	Arguments map[string]argument `yaml:"arguments"`
	Reply     string              `yaml:"reply"`
	Failures  []failure           `yaml:"failures"`
}

type argument struct {
	Group    string `yaml:"group"`
	Resolver string `yaml:"resolver"`
	Default  string `yaml:"default"`
	Value    any    `yaml:"value"`
}

type failure struct {
	Error string `yaml:"error"`
	Reply string `yaml:"reply"`
}

// source is a rule and where it stands.
type source struct {
	route.Rule
	origin
	index int // in the file's commands
}

// origin is a file and its tree, for the places of mistakes. That of a built-in file is read when there is one.
type origin struct {
	file string
	root ast.Node
}

// parse reads one file. The error has a line for every mistake.
func parse(f file) ([]source, error) {
	if known := parsed().Rules[f.name]; f.checked && known != nil {
		sources := make([]source, len(known))
		for i, rule := range known {
			sources[i] = source{Rule: rule, origin: origin{file: f.name}, index: i}
		}
		return sources, nil
	}
	return parseRules(f)
}

func parseRules(f file) ([]source, error) {
	var d document
	at, err := f.decode(&d, yaml.Strict())
	if err != nil {
		return nil, err
	}
	sources := make([]source, len(d.Commands))
	var errs []error
	for i, c := range d.Commands {
		s := source{origin: at, index: i}
		var problem *route.Mistake
		if s.Rule, problem = d.rule(c); problem != nil {
			errs = append(errs, s.place(problem))
		}
		s.Checked = f.checked
		sources[i] = s
	}
	return sources, errors.Join(errs...)
}

// decode reads the file into a struct. Without an option it complains about unknown keys itself.
func (f file) decode(into any, options ...yaml.DecodeOption) (origin, error) {
	root, err := f.tree()
	if err != nil {
		return origin{}, err
	}
	if len(options) == 0 && !f.checked {
		if errs := unknownKeys(f.name, root, reflect.TypeOf(into)); len(errs) > 0 {
			return origin{}, errors.Join(errs...)
		}
	}
	if err := yaml.NodeToValue(root, into, options...); err != nil {
		return origin{}, placed(f.name, err)
	}
	return origin{file: f.name, root: root}, nil
}

// tree is the file's one YAML document.
func (f file) tree() (ast.Node, error) {
	if !f.checked {
		if err := readable(string(f.text)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	tree, err := parser.ParseBytes(f.text, 0)
	if err != nil {
		return nil, placed(f.name, err)
	}
	if len(tree.Docs) != 1 || tree.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: must hold exactly one YAML document", f.name)
	}
	root := tree.Docs[0].Body
	if f.checked {
		return root, nil
	}
	if refused := ast.Filter(ast.AliasType, root); len(refused) > 0 {
		position := refused[0].GetToken().Position
		return nil, fmt.Errorf("%s:%d:%d: aliases are not supported; use define or write it out",
			f.name, position.Line, position.Column)
	}
	return root, nil
}

// readable says what is wrong with a text that is not given to the YAML parser.
func readable(text string) error {
	if len(text) > fileMaxBytes {
		return fmt.Errorf("is larger than %d bytes", fileMaxBytes)
	}
	depth := 0
	for number, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d is not UTF-8", number+1)
		}
		opened := strings.Count(line, "[") + strings.Count(line, "{")
		depth = max(0, depth+opened-strings.Count(line, "]")-strings.Count(line, "}"))
		if depth > nestingMax || opened > lineBracketsMax || strings.Count(line, "- ") > lineBracketsMax {
			return fmt.Errorf("line %d is nested too deeply", number+1)
		}
	}
	return nil
}

// rule is the command with its parts put in.
func (d document) rule(c command) (route.Rule, *route.Mistake) {
	rule := route.Rule{Name: c.Name, Language: d.Language, Tool: c.Tool, Modes: c.Modes, Keywords: c.Keywords,
		Before: d.Before, After: d.After, Fillers: d.Fillers, Words: d.Words, Reply: c.Reply,
		Reads: slices.Contains(d.Reads, c.Tool)}
	for _, list := range []struct {
		field string
		from  []string
		to    *[]string
	}{{"patterns", c.Patterns, &rule.Patterns}, {"unless", c.Unless, &rule.Unless}} {
		for i, text := range list.from {
			expanded, err := d.expand(text)
			if err != nil {
				return rule, &route.Mistake{Field: fmt.Sprintf("%s[%d]", list.field, i), Err: err}
			}
			*list.to = append(*list.to, expanded)
		}
	}
	if len(c.Arguments) > 0 {
		rule.Arguments = map[string]route.Argument{}
	}
	for name, a := range c.Arguments {
		rule.Arguments[name] = route.Argument(a)
	}
	failures := c.Failures
	if failures == nil {
		failures = d.Failures[c.Tool]
	}
	for _, f := range failures {
		rule.Failures = append(rule.Failures, route.Failure(f))
	}
	return rule, nil
}

// part is a reference in a pattern; a repetition such as {2,3} is none.
var part = regexp.MustCompile(`\{[a-z_]+\}`)

const (
	expansionsMax   = 8       // how deep parts may name parts
	expandedMax     = 8 << 10 // bytes of a pattern
	lineBracketsMax = 128
)

// expand puts the parts of Define into a pattern.
func (d document) expand(text string) (string, error) {
	for range expansionsMax {
		if !strings.Contains(text, "{") {
			return text, nil
		}
		var unknown string
		expanded := part.ReplaceAllStringFunc(text, func(reference string) string {
			replacement, ok := d.Define[reference[1:len(reference)-1]]
			if !ok {
				unknown = cmp.Or(unknown, reference)
			}
			return replacement
		})
		switch {
		case unknown != "":
			known := slices.Sorted(maps.Keys(d.Define))
			return "", fmt.Errorf("%s is not defined; there is %s", unknown, cmp.Or(strings.Join(known, ", "), "nothing"))
		case len(expanded) > expandedMax:
			return "", fmt.Errorf("is longer than %d bytes with its parts", expandedMax)
		case expanded == text:
			return text, nil
		}
		text = expanded
	}
	return "", errors.New("its parts name each other without end")
}

// compile gives the rules to the router, and its complaints their places.
func compile(sources []source, sentences *route.Sentences) (*route.Rules, error) {
	rules := make([]route.Rule, len(sources))
	for i, s := range sources {
		rules[i] = s.Rule
	}
	compiled, err := route.Compile(rules, Resolvers(), sentences)
	if err == nil {
		return compiled, nil
	}
	return nil, located(err, func(mistake *route.Mistake) error { return sources[mistake.Index].place(mistake) })
}

// located gives the mistakes that are joined in an error their places.
func located[E error](err error, place func(E) error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for i, problem := range all {
		var mistake E
		if errors.As(problem, &mistake) {
			all[i] = place(mistake)
		}
	}
	return errors.Join(all...)
}

// place adds the file and line of the field, or of what is nearest around it.
func (s source) place(mistake *route.Mistake) error {
	at := s.file
	if position := s.position(fmt.Sprintf("commands[%d].%s", s.index, mistake.Field)); position.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, position.Line)
	}
	return fmt.Errorf("%s: command %q: %w", at, s.Name, mistake)
}

// position is where a field stands, or what is nearest around it; 0 without a tree.
func (o origin) position(field string) token.Position {
	if o.root == nil {
		o.root = builtInTree(o.file)
	}
	if o.root == nil {
		return token.Position{}
	}
	position, at := o.root.GetToken().Position, "$"
	for piece := range strings.SplitSeq(field, ".") {
		at += "." + piece
		path, err := yaml.PathString(at)
		if err != nil {
			break
		}
		if node, err := path.FilterNode(o.root); err == nil && node != nil {
			position = node.GetToken().Position
		}
	}
	return *position
}

// mistake is an error about a field, with the file, line and column.
func (o origin) mistake(field string, err error) error {
	at := o.position(field)
	return fmt.Errorf("%s:%d:%d: %w", o.file, at.Line, at.Column, err)
}

// placed brings an error of the YAML library into our form: file, line, column, message and excerpt.
func placed(name string, err error) error {
	var typed yaml.Error
	if !errors.As(err, &typed) || typed.GetToken() == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	position := typed.GetToken().Position
	_, excerpt, _ := strings.Cut(typed.FormatError(false, true), "\n")
	return fmt.Errorf("%s:%d:%d: %s\n%s", name, position.Line, position.Column, typed.GetMessage(),
		strings.TrimRight(excerpt, "\n"))
}
