// Package route decides which stage takes a turn and which tools a model is offered for it. It is pure: the same rules
// and the same input give the same decision, with its reason.
//
// Rules are data. A single-turn command is a rule whose patterns fit the person's words so closely that its tool is
// certain. Whatever the model is, the command's tool is called as the rule says, and [Command.Answer] speaks.
package route

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Stage is who takes a turn.
type Stage string

// The stages.
const (
	StageMode     Stage = "mode"     // the text asks for another mode
	StageWorkflow Stage = "workflow" // a workflow is open, or the text opens one
	StageCommand  Stage = "command"  // a single-turn command: one tool is certain
	StageLoop     Stage = "loop"     // the model decides, with all tools
	StageSeveral  Stage = "several"  // several commands and workflows, each of which the text names without doubt
	StageNone     Stage = "none"     // no command fits and there is no model
)

// Input is what a decision is made from.
type Input struct {
	Now      time.Time // of the turn, in its zone
	Text     string
	Language string   // as the client names it, such as "en" or "de-AT"; empty is not known
	Mode     string   // of the conversation; for rules that hold in some modes only
	Model    bool     // there is a model to ask
	Tools    []string // names of the tools that may be offered

	Modes *Modes // that the text may ask for; nil is none
	Open  string // name of the workflow that waits for the person; empty is none
	// Trigger finds the workflow that the text opens, with the reason, and is pure; nil is none.
	Trigger func(text, language string) (workflow, reason string)
	// Whole says whether a text that opens a workflow tells all that it must know, and Timed whether a text tells a
	// time of the day. Both are pure; nil is no.
	Whole func(workflow, text, language string) bool
	Timed func(text, language string) bool

	certain bool // what is only plausible is no value
}

// Decision says which stage takes the turn, and why.
type Decision struct {
	Stage  Stage
	Reason string
	Tools  []string // to offer to a model, in the order of Input.Tools
	// Command is set in StageCommand, Mode in StageMode and Workflow, a name, in StageWorkflow.
	Command  *Command
	Mode     *Mode
	Workflow string
	// Parts are what the text asks for in StageSeveral, in its order.
	Parts []Part
	// Known are the parts of the text that are understood in StageLoop or StageNone, and Unknown those that are not:
	// nothing may be done for the known alone.
	Known, Unknown []string
	// Rest is what else the text asks for in StageMode, to be answered in the new mode; empty is nothing.
	Rest string
}

// Command is a tool call that the person's words name without doubt.
type Command struct {
	Rule      string
	Tool      string
	Arguments json.RawMessage // one JSON object

	rule *compiled
	tail string            // the words at the end that another value could stand for; empty where there are none
	said map[string]string // what Answer calls the values by, for each named group of the rule
}

// Sureness says how much a [Resolver] knows about a text.
type Sureness int

// From not at all to certainly.
const (
	Unknown   Sureness = iota // the text is not such a value
	Plausible                 // it could be one that the resolver does not know
	Known
)

// Resolved is what a [Resolver] makes of a text.
type Resolved struct {
	Value    any    // for the tool: what JSON can hold
	Spoken   string // for the answer
	Sureness Sureness
}

// Context is what a value is resolved in.
type Context struct {
	Language string    // the rule's
	Now      time.Time // zero where no clock is known: then nothing is today
	Certain  bool      // what the resolver does not know for certain is plausible at most
}

// Resolver turns what a person said into a value, such as a city into its time zone. It must be pure, and several
// goroutines may call it at once.
type Resolver func(said string, in Context) Resolved

// textMax is the longest text that can be a command, in bytes. People do not talk longer in one.
const textMax = 200

// Decide finds the stage of a turn: the first that takes the text, in the order of the stages. A nil *Rules has no
// rules. Several goroutines may call it at once.
func Decide(rules *Rules, input Input) Decision {
	if input.Modes != nil {
		if mode, rest, reason := input.Modes.Switch(input.Text); mode != nil {
			return Decision{Stage: StageMode, Reason: reason, Mode: mode, Rest: rest}
		}
	}
	if input.Open != "" {
		return Decision{Stage: StageWorkflow, Reason: "workflow " + input.Open + " is open", Workflow: input.Open}
	}
	single := rules.single(input)
	if several := rules.several(input, single); several != nil {
		return *several
	}
	return single
}

// single decides a text as one thing that is asked for.
func (r *Rules) single(input Input) Decision {
	if input.Trigger != nil {
		if name, reason := input.Trigger(input.Text, input.Language); name != "" {
			return Decision{Stage: StageWorkflow, Reason: reason, Workflow: name}
		}
	}
	command, reason := r.command(input)
	switch {
	case command != nil:
		return Decision{Stage: StageCommand, Reason: reason, Tools: []string{command.Tool}, Command: command}
	case input.Model:
		return Decision{Stage: StageLoop, Reason: reason, Tools: input.Tools}
	default:
		return Decision{Stage: StageNone, Reason: reason + ", and there is no model"}
	}
}

// command is the command that the text certainly is, or nil, and the reason.
func (r *Rules) command(input Input) (*Command, string) {
	text := clean(input.Text)
	if r == nil || text == "" || len(text) > textMax {
		return nil, "no rule fits"
	}
	lower := strings.ToLower(text)
	language := baseLanguage(input.Language)
	var found *Command
	reason := "no rule fits"
	cores := make([]string, len(r.frames)) // made when a rule needs them
	if command, why := r.templated(text, lower, language, input); command != nil {
		return command, "rule " + command.rule.title() + " fits"
	} else if why != "" {
		reason = why
	}
	for _, own := range []bool{true, false} { // rules of the person's language come first
		for i := range r.rules {
			rule := &r.rules[i]
			if (rule.Language == language) != own || !rule.applies(lower, input) {
				continue
			}
			if cores[rule.frame] == "" {
				cores[rule.frame] = r.frames[rule.frame].core(text)
			}
			command, why := rule.match(cores[rule.frame], input)
			no := ""
			if command != nil {
				no = r.guarded(rule, text)
			}
			switch {
			case no != "":
				reason = fmt.Sprintf("rule %s fits, but the sentence is %s", rule.title(), no)
			case command == nil:
				if why != "" {
					reason = why
				}
			case found == nil:
				found = command
			case found.Tool != command.Tool:
				return nil, fmt.Sprintf("rules %s and %s both fit, with different tools", found.rule.title(), rule.title())
			}
		}
		if found != nil {
			return found, "rule " + found.rule.title() + " fits"
		}
	}
	return nil, reason
}

// applies is the cheap test before the patterns.
func (c *compiled) applies(lower string, input Input) bool {
	holds := func(mode string) bool { return strings.EqualFold(mode, input.Mode) }
	occurs := func(word string) bool { return strings.Contains(lower, word) }
	return slices.Contains(input.Tools, c.Tool) &&
		(len(c.Modes) == 0 || slices.ContainsFunc(c.Modes, holds)) &&
		(len(c.Keywords) == 0 || slices.ContainsFunc(c.Keywords, occurs))
}

// match gives the command when the text without its frame is one for certain. Why says what was missing when a pattern
// fitted otherwise.
func (c *compiled) match(core string, input Input) (command *Command, why string) {
	refused := func() bool {
		return slices.ContainsFunc(c.unless(), func(unless *regexp.Regexp) bool { return unless.MatchString(core) })
	}
	for _, pattern := range c.patterns() {
		groups := pattern.FindStringSubmatch(core)
		if groups == nil {
			continue
		}
		if refused() { // asked for last: most texts fit no pattern, which is found out sooner
			return nil, ""
		}
		said := map[string]string{}
		for _, other := range c.patterns() {
			for _, name := range other.SubexpNames() {
				if name != "" {
					said[name] = ""
				}
			}
		}
		for i, name := range pattern.SubexpNames() {
			if name != "" {
				said[name] = groups[i]
			}
		}
		command, missing := c.build(said, nil, input)
		if command != nil {
			command.tail = c.tail(said, core)
			return command, ""
		}
		why = missing
	}
	return nil, why
}

// tail is what was said at the end of the core for an argument that has a resolver, of a rule that changes nothing.
func (c *compiled) tail(said map[string]string, core string) string {
	for _, argument := range c.Arguments {
		if text := said[argument.Group]; c.Reads && argument.Resolver != "" && text != "" && strings.HasSuffix(core, text) {
			return text
		}
	}
	return ""
}

// build resolves the arguments of what was said, by group. What values has for a group is more than text, such as a
// number.
func (c *compiled) build(said map[string]string, values map[string]any, input Input) (*Command, string) {
	arguments := make(map[string]any, len(c.Arguments))
	spoken := maps.Clone(said)
	for _, name := range c.arguments {
		argument := c.Arguments[name]
		text := said[argument.Group]
		if text == "" {
			text = argument.Default
		}
		switch {
		case argument.Group == "":
			arguments[name] = argument.Value
		case text == "":
			// The person did not say it, and the tool has its own default.
		case argument.Resolver == "" && values[argument.Group] != nil:
			arguments[name] = values[argument.Group]
		case argument.Resolver == "":
			arguments[name] = text
		default:
			in := Context{Language: c.Language, Now: input.Now, Certain: input.certain}
			resolved := c.resolvers[argument.Resolver](text, in)
			if resolved.Sureness == Unknown || resolved.Sureness == Plausible && (input.Model || input.certain) {
				return nil, fmt.Sprintf("rule %s fits, but %q is not known as its %s", c.title(), text, argument.Resolver)
			}
			arguments[name], spoken[argument.Group] = resolved.Value, resolved.Spoken
		}
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Sprintf("rule %s fits, but its arguments are no JSON: %v", c.title(), err)
	}
	return &Command{Rule: c.Name, Tool: c.Tool, Arguments: encoded, rule: c, said: spoken}, ""
}

// baseLanguage is the language without region and script: de of de-AT.
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
}

// clean brings a text into the form that patterns are written for: straight apostrophes, single spaces, nothing
// invisible, no punctuation at the ends. Letters keep their case, because what a person names is spoken back.
func clean(text string) string {
	if len(text) > 4*textMax {
		return "" // too long to be a command, and not worth the walk
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == '‘' || r == '`' || r == '´':
			return '\''
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Trim(strings.Join(strings.Fields(text), " "), " .,;:!?…¿¡\"")
}
