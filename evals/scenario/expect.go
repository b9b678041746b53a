package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// expectMeanings are the sentences that only add to what is expected of a turn.
var expectMeanings = map[string]func(e *Expect, args []string, step Step) error{
	`no tool is called`: expecting(func(e *Expect, _ []string) { e.NoTool = true }),
	`tools are called {count} in all`: func(e *Expect, args []string, _ Step) error {
		return e.count("", args[0])
	},
	`{tool} is called {count}`: func(e *Expect, args []string, _ Step) error { return e.count(args[0], args[1]) },
	`{tool} is called`: expecting(func(e *Expect, args []string) {
		e.Calls = append(e.Calls, Call{Tool: args[0], Any: true})
	}),
	`{tool} is called with no arguments`: func(e *Expect, args []string, _ Step) error { return e.call(args[0], nil) },
	`{tool} is called with {argument} {text}`: func(e *Expect, args []string, _ Step) error {
		return e.call(args[0], map[string]Argument{args[1]: {OneOf: args[2:]}})
	},
	`{tool} is called with {argument} one of {texts}`: func(e *Expect, args []string, _ Step) error {
		return e.call(args[0], map[string]Argument{args[1]: {OneOf: Quoted(args[2])}})
	},
	`{tool} is called with {argument} from {number} to {number}`: func(e *Expect, args []string, _ Step) error {
		within, err := interval(args[2], args[3])
		if err != nil {
			return err
		}
		return e.call(args[0], map[string]Argument{args[1]: {Within: within}})
	},
	`{tool} is called with:`: func(e *Expect, args []string, step Step) error {
		want, err := Pairs(step.Table, "argument")
		if err != nil {
			return err
		}
		return e.callCells(args[0], want)
	},
	`the calls are:`: func(e *Expect, _ []string, step Step) error {
		e.Ordered = true
		return e.list(step.Table)
	},
	`the calls are, in any order:`: func(e *Expect, _ []string, step Step) error { return e.list(step.Table) },
	`{tool} may be called`:         expecting(func(e *Expect, args []string) { e.Allowed = append(e.Allowed, args[0]) }),
	`{tool} is called before {tool}`: expecting(func(e *Expect, args []string) {
		e.Before = append(e.Before, [2]string{args[0], args[1]})
	}),
	`the calls are made at once`: expecting(func(e *Expect, _ []string) { e.AtOnce = true }),
	`the model is asked at most {count}`: func(e *Expect, args []string, _ Step) (err error) {
		e.AskedMax, err = ReadCount(args[0])
		return err
	},
	`a yes is asked for before {tool} runs`: expecting(func(e *Expect, args []string) { e.Approval = args[0] }),

	`the answer mentions {text}`: expecting(func(e *Expect, args []string) { e.Mentions = append(e.Mentions, args) }),
	`the answer mentions one of {texts}`: expecting(func(e *Expect, args []string) {
		e.Mentions = append(e.Mentions, Quoted(args[0]))
	}),
	`the answer does not mention {text}`: expecting(func(e *Expect, args []string) { e.Lacks = append(e.Lacks, args[0]) }),
	`the answer is grounded`:             expecting(func(e *Expect, _ []string) { e.Grounded = true }),
	`the answer asks back`:               expecting(func(e *Expect, _ []string) { e.Question = true }),
	`the answer refuses`:                 expecting(func(e *Expect, _ []string) { e.Refuses = true }),
	`the workflow is in phase {phase}`:   expecting(func(e *Expect, args []string) { e.Phase = args[0] }),
	`the workflow knows {argument} as {text}`: expecting(func(e *Expect, args []string) {
		if e.Fields == nil {
			e.Fields = map[string]string{}
		}
		e.Fields[args[0]] = args[1]
	}),
}

// expecting is for sentences that cannot be wrong.
func expecting(add func(e *Expect, args []string)) func(*Expect, []string, Step) error {
	return func(e *Expect, args []string, _ Step) error {
		add(e, args)
		return nil
	}
}

// expects says whether anything can be wrong about the turn.
func (e Expect) expects() bool {
	e.Allowed, e.Ordered, e.Listed = nil, false, false
	text, err := json.Marshal(e)
	return err != nil || string(text) != "{}"
}

func (e *Expect) count(tool, often string) error {
	n, err := ReadCount(often)
	if err != nil {
		return err
	}
	if e.Counts == nil {
		e.Counts = map[string]int{}
	}
	e.Counts[tool] = n
	return nil
}

func (e *Expect) call(tool string, arguments map[string]Argument) error {
	for _, argument := range arguments {
		for _, written := range argument.OneOf {
			if _, err := Matches(written, ""); err != nil {
				return err
			}
		}
	}
	e.Calls = append(e.Calls, Call{Tool: tool, Arguments: arguments})
	return nil
}

// list expects the calls of a table, and no others.
func (e *Expect) list(table [][]string) error {
	list, err := tableCalls(table)
	if err != nil {
		return err
	}
	if e.Listed {
		return errors.New("the calls of the turn are already listed")
	}
	e.Listed = true
	for _, c := range list {
		if err := e.callCells(c.Tool, c.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// callCells expects a call with what a table says of arguments: the name with ? may be left out, and a value is a cell,
// several texts of which one must fit, or two numbers with "to" in between.
func (e *Expect) callCells(tool string, cells map[string]string) error {
	arguments := map[string]Argument{}
	for name, value := range cells {
		name, optional := strings.CutSuffix(name, "?")
		argument := Argument{OneOf: []string{value}, Optional: optional}
		if from, to, ok := strings.Cut(value, " to "); ok && isNumber(from) && isNumber(to) {
			within, err := interval(from, to)
			if err != nil {
				return err
			}
			argument.OneOf, argument.Within = nil, within
		} else if list := Quoted(value); len(list) > 1 && strings.Contains(value, `" or "`) {
			argument.OneOf = list
		}
		arguments[name] = argument
	}
	return e.call(tool, arguments)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

func interval(from, to string) (*[2]float64, error) {
	low, err := strconv.ParseFloat(from, 64)
	if err != nil {
		return nil, err
	}
	high, err := strconv.ParseFloat(to, 64)
	if err != nil {
		return nil, err
	}
	if high < low {
		return nil, fmt.Errorf("expected the smaller number first: %s to %s", from, to)
	}
	return &[2]float64{low, high}, nil
}
