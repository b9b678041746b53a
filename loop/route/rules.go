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

// Rule is a single-turn command as data.
type Rule struct {
	Name     string
	Language string // base tag, such as "en"
	Tool     string
	Modes    []string // where the rule holds; empty is everywhere
	// Keywords are lower-case texts of which one must occur; they spare the patterns. Empty is no such test.
	Keywords []string
	// Before and After are regular expressions for what may stand around a question and changes nothing about it, such
	// as a greeting. It is cut off before the patterns are tried.
	Before, After string
	// Fillers are lower-case words that mean nothing wherever they stand, such as "um". They are taken out before that.
	Fillers []string
	// Patterns are regular expressions for the whole of what is left, without regard to case. Their named groups are
	// what Arguments and the templates refer to.
	Patterns []string
	// Slots stand in the place of the groups where the rule has sentence templates, which a [Reader] reads, and no
	// patterns.
	Slots []string `json:",omitempty"`
	// Unless are regular expressions that must occur nowhere in it.
	Unless    []string
	Arguments map[string]Argument
	// Words translate parts of a result for the templates.
	Words map[string]string
	// Reply is the answer: a template over .result (the tool's result) and .said (what the person named, by group).
	Reply string
	// Failures are the answers to results that carry an error; the first that fits is taken.
	Failures []Failure
	// Reads says that the tool changes nothing: then a question may be a command too.
	Reads bool
	// Checked says that the rule was compiled before without a mistake, when it was not Checked. Its expressions are
	// then not read before a text needs them.
	Checked bool
}

// Argument is where a tool's argument comes from: a group of the pattern, through a resolver where one is named, or a
// literal value.
type Argument struct {
	Group    string
	Resolver string
	Default  string // what stands for the group when it was not said; empty leaves the argument out
	Value    any    // when Group is empty
}

// Failure answers a tool's error.
type Failure struct {
	Error string // regular expression on the error's text; empty fits all
	Reply string // template, as Rule.Reply; .result.error is the text
}

// Rules are ready to decide. They never change; several goroutines may use them at once.
type Rules struct {
	rules     []compiled
	frames    []frame
	sentences *Sentences
	readers   map[string]Reader // by language
}

// frame cuts off what stands around a question. Most rules of a language share one.
type frame struct {
	before, after string
	fillers       []string
	cut           func() (before, after *regexp.Regexp)
}

// core is the text without its frame.
func (f *frame) core(text string) string {
	text = without(text, f.fillers)
	before, after := f.cut()
	if at := before.FindStringIndex(text); at != nil {
		text = text[at[1]:]
	}
	if at := after.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return text
}

// without takes words out of a text, in whatever letters they are written.
func without(text string, words []string) string {
	filler := func(word string) bool {
		word = strings.Trim(word, ",.")
		return slices.ContainsFunc(words, func(filler string) bool { return strings.EqualFold(word, filler) })
	}
	if len(words) == 0 || !slices.ContainsFunc(strings.Fields(text), filler) {
		return text
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(text), filler), " ")
}

// compiled is a rule that was checked. Its regular expressions are made when a text first needs them: most texts need
// none, and a start should not wait for all.
type compiled struct {
	Rule
	frame     int // in Rules.frames
	resolvers map[string]Resolver
	arguments []string // the arguments' names, sorted
	patterns  func() []*regexp.Regexp
	unless    func() []*regexp.Regexp
	reply     *reply
	failures  []failure
}

type failure struct {
	fits  func() *regexp.Regexp
	reply *reply
}

func (c *compiled) title() string { return fmt.Sprintf("%q (%s)", c.Name, c.Language) }

// Compile checks the rules, which it may keep, and makes them ready. What sentences tell to be no command is none by a
// rule that changes something. The error joins a *[Mistake] for each.
func Compile(rules []Rule, resolvers map[string]Resolver, sentences *Sentences) (*Rules, error) {
	result := &Rules{rules: make([]compiled, len(rules)), sentences: sentences}
	var mistakes []error
	for i, rule := range rules {
		c := compiler{index: i, checked: rule.Checked}
		result.rules[i] = c.compile(rule, resolvers)
		result.rules[i].frame = result.frameFor(rule, &c)
		mistakes = append(mistakes, c.mistakes...)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return result, nil
}

// frameFor gives the frame of a rule, which is made where no earlier rule has the same.
func (r *Rules) frameFor(rule Rule, c *compiler) int {
	for i, f := range r.frames {
		if f.before == rule.Before && f.after == rule.After && slices.Equal(f.fillers, rule.Fillers) {
			return i
		}
	}
	before := c.expression("before", rule.Before, `(?i)^(?:%s)`, nil)
	after := c.expression("after", rule.After, `(?i)(?:%s)$`, nil)
	r.frames = append(r.frames, frame{before: rule.Before, after: rule.After, fillers: rule.Fillers, cut: sync.OnceValues(
		func() (*regexp.Regexp, *regexp.Regexp) { return before(), after() })})
	return len(r.frames) - 1
}

// Names lists the rules as "name (language)", in their order.
func (r *Rules) Names() []string {
	names := make([]string, len(r.rules))
	for i := range r.rules {
		names[i] = fmt.Sprintf("%s (%s)", r.rules[i].Name, r.rules[i].Language)
	}
	return names
}

func (c *compiler) compile(rule Rule, resolvers map[string]Resolver) compiled {
	for _, must := range []struct{ field, text string }{{"name", rule.Name}, {"language", rule.Language}, {"tool", rule.Tool}} {
		if must.text == "" {
			c.complain(must.field, errors.New("is missing"))
		}
	}
	if len(rule.Patterns) == 0 && rule.Slots == nil {
		c.complain("patterns", errors.New("a rule needs at least one"))
	}
	result := compiled{Rule: rule, resolvers: resolvers, arguments: slices.Sorted(maps.Keys(rule.Arguments))}
	groups := slices.Clone(rule.Slots) // and those of all patterns
	result.patterns = c.expressions("patterns", rule.Patterns, `(?i)^(?:%s)$`, groupsInto(&groups))
	result.unless = c.expressions("unless", rule.Unless, `(?i)%s`, nil)
	for i, keyword := range rule.Keywords {
		if keyword == "" || keyword != strings.ToLower(keyword) {
			c.complain(fmt.Sprintf("keywords[%d]", i), errors.New("must be in lower case"))
		}
	}
	for _, name := range result.arguments {
		c.argument("arguments."+name, rule.Arguments[name], groups, resolvers)
	}
	result.reply = c.template("reply", rule.Reply, rule.Words)
	for i, f := range rule.Failures {
		field := fmt.Sprintf("failures[%d]", i)
		fits := c.expression(field+".error", f.Error, `(?i)%s`, nil)
		result.failures = append(result.failures, failure{fits: fits, reply: c.template(field+".reply", f.Reply, rule.Words)})
	}
	return result
}
