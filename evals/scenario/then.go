package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// callSentences are about the tool calls of the last turn.
func callSentences() []sentence {
	return []sentence{
		{keyword: "Then", form: `no tool is called`, do: expect(func(e *Expect, _ []string) error { e.NoTool = true; return nil })},
		{keyword: "Then", form: `tools are called {count} in all`, do: expect(func(e *Expect, args []string) error { return e.count("", args[0]) })},
		{keyword: "Then", form: `{tool} is called {count}`, do: expect(func(e *Expect, args []string) error { return e.count(args[0], args[1]) })},
		{keyword: "Then", form: `{tool} is called`, about: "with whatever arguments", do: expect(func(e *Expect, args []string) error {
			e.Calls = append(e.Calls, Call{Tool: args[0], Any: true})
			return nil
		})},
		{keyword: "Then", form: `{tool} is called with no arguments`, do: expect(func(e *Expect, args []string) error { return e.call(args[0], nil) })},
		{keyword: "Then", form: `{tool} is called with {argument} {text}`, about: "with no other argument; what is not expected fails as an extra call", do: expect(func(e *Expect, args []string) error {
			return e.call(args[0], map[string]Argument{args[1]: {OneOf: []string{args[2]}}})
		})},
		{keyword: "Then", form: `{tool} is called with {argument} one of {texts}`, do: expect(func(e *Expect, args []string) error {
			return e.call(args[0], map[string]Argument{args[1]: {OneOf: Quoted(args[2])}})
		})},
		{keyword: "Then", form: `{tool} is called with {argument} from {number} to {number}`, do: expect(func(e *Expect, args []string) error {
			within, err := interval(args[2], args[3])
			if err != nil {
				return err
			}
			return e.call(args[0], map[string]Argument{args[1]: {Within: within}})
		})},
		{keyword: "Then", form: `{tool} is called with:`, below: aTable,
			about: "argument, value; a name with ? may be left out; a value is a cell, \"a\" or \"b\", or 17 to 21", do: func(r *rewriter, args []string, step Step) error {
				want, err := pairs(step.Table, "argument")
				if err != nil {
					return err
				}
				arguments, err := readArguments(want)
				if err != nil {
					return err
				}
				return r.plan.last().Expect.call(args[0], arguments)
			}},
		{keyword: "Then", form: `the calls are:`, about: "id?, tool, argument?, value?; all of the turn, in this order", below: aTable, do: allCalls(true)},
		{keyword: "Then", form: `the calls are, in any order:`, about: "id?, tool, argument?, value?; all of the turn", below: aTable, do: allCalls(false)},
		{keyword: "Then", form: `{tool} may be called`, about: "its calls do not matter", do: expect(func(e *Expect, args []string) error {
			e.Allowed = append(e.Allowed, args[0])
			return nil
		})},
		{keyword: "Then", form: `{tool} is called before {tool}`, do: expect(func(e *Expect, args []string) error {
			e.Before = append(e.Before, [2]string{args[0], args[1]})
			return nil
		})},
		{keyword: "Then", form: `the calls are made at once`, do: expect(func(e *Expect, _ []string) error { e.AtOnce = true; return nil })},
		{keyword: "Then", form: `the model is asked at most {count}`, do: expect(func(e *Expect, args []string) (err error) {
			e.AskedMax, err = ReadCount(args[0])
			return err
		})},
		{keyword: "Then", form: `the leaderboard passes the calls`, about: "those of the model's first answer, by the rules of the question", do: func(r *rewriter, _ []string, _ Step) error {
			if r.asked == nil {
				return errors.New("expected the leaderboard's question before")
			}
			r.plan.last().Expect.Leaderboard = r.asked
			return nil
		}},
		{keyword: "Then", form: `a yes is asked for before {tool} runs`, do: expect(func(e *Expect, args []string) error {
			e.Approval = args[0]
			return nil
		})},
	}
}

// answerSentences are about what the person hears, and about the workflow.
func answerSentences() []sentence {
	return []sentence{
		{keyword: "Then", form: `the answer mentions {text}`, about: "in whatever case", do: expect(func(e *Expect, args []string) error {
			e.Mentions = append(e.Mentions, []string{args[0]})
			return nil
		})},
		{keyword: "Then", form: `the answer mentions one of {texts}`, do: expect(func(e *Expect, args []string) error {
			e.Mentions = append(e.Mentions, Quoted(args[0]))
			return nil
		})},
		{keyword: "Then", form: `the answer does not mention {text}`, do: expect(func(e *Expect, args []string) error {
			e.Lacks = append(e.Lacks, args[0])
			return nil
		})},
		{keyword: "Then", form: `the answer is grounded`, about: "its numbers were said or came from a tool", do: expect(func(e *Expect, _ []string) error {
			e.Grounded = true
			return nil
		})},
		{keyword: "Then", form: `the answer asks back`, about: "it is a question", do: expect(func(e *Expect, _ []string) error { e.Question = true; return nil })},
		{keyword: "Then", form: `the answer refuses`, about: "it says that this cannot or will not be done", do: expect(func(e *Expect, _ []string) error {
			e.Refuses = true
			return nil
		})},
		{keyword: "Then", form: `the workflow is in phase {phase}`, do: expect(func(e *Expect, args []string) error { e.Phase = args[0]; return nil })},
		{keyword: "Then", form: `the workflow knows {argument} as {text}`, do: expect(func(e *Expect, args []string) error {
			if e.Fields == nil {
				e.Fields = map[string]string{}
			}
			e.Fields[args[0]] = args[1]
			return nil
		})},
	}
}

// expect is for sentences that only add to what is expected of the last turn.
func expect(add func(e *Expect, args []string) error) func(*rewriter, []string, Step) error {
	return func(r *rewriter, args []string, _ Step) error { return add(&r.plan.last().Expect, args) }
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

func allCalls(ordered bool) func(*rewriter, []string, Step) error {
	return func(r *rewriter, _ []string, step Step) error {
		list, err := tableCalls(step.Table)
		if err != nil {
			return err
		}
		e := &r.plan.last().Expect
		if e.listed {
			return fmt.Errorf("the calls of the turn are already listed")
		}
		e.listed, e.Ordered = true, ordered
		for _, c := range list {
			arguments, err := readArguments(c.Arguments)
			if err != nil {
				return err
			}
			if err := e.call(c.Tool, arguments); err != nil {
				return err
			}
		}
		return nil
	}
}

// readArguments reads what tables say of arguments: the name with ? may be left out, and a value is a cell, several
// texts of which one must fit, or two numbers with "to" in between.
func readArguments(cells map[string]string) (map[string]Argument, error) {
	out := map[string]Argument{}
	for name, value := range cells {
		name, optional := strings.CutSuffix(name, "?")
		argument := Argument{OneOf: []string{value}, Optional: optional}
		if from, to, ok := strings.Cut(value, " to "); ok && isNumber(from) && isNumber(to) {
			within, err := interval(from, to)
			if err != nil {
				return nil, err
			}
			argument.OneOf, argument.Within = nil, within
		} else if list := Quoted(value); len(list) > 1 && strings.Contains(value, `" or "`) {
			argument.OneOf = list
		}
		out[name] = argument
	}
	return out, nil
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
	if !slices.IsSorted([]float64{low, high}) {
		return nil, fmt.Errorf("expected the smaller number first: %s to %s", from, to)
	}
	return &[2]float64{low, high}, nil
}
