package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/bfcl"
	"chatterbox/evals/mockllm"
)

type reply = mockllm.Reply

// worldSentences say which tools there are and what was said before.
func worldSentences() []sentence {
	return []sentence{
		{keyword: "Given", form: `the tools {tools}`, about: "of the catalogue; the model is offered them", do: func(r *rewriter, args []string, _ Step) error {
			for _, name := range strings.FieldsFunc(strings.ReplaceAll(args[0], " and ", ","), func(c rune) bool { return c == ',' || c == ' ' }) {
				if err := r.offer(name); err != nil {
					return err
				}
			}
			return nil
		}},
		{keyword: "Given", form: `the tool {tool}`, do: func(r *rewriter, args []string, _ Step) error { return r.offer(args[0]) }},
		{keyword: "Given", form: `the leaderboard's question:`, about: "as eval import writes it: its functions are offered", below: aText, do: func(r *rewriter, _ []string, step Step) error {
			return r.question(*step.Doc)
		}},
		{keyword: "Given", form: `{n} other tools`, about: "drawn from the catalogue by the seed", do: func(r *rewriter, args []string, _ Step) error {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			if n > len(r.suite.catalogue) {
				return fmt.Errorf("expected at most %d other tools, as many as the catalogue has", len(r.suite.catalogue))
			}
			r.plan.Others = n
			return nil
		}},
		{keyword: "Given", form: `{tool} will answer:`, about: "field, value", below: aTable, do: func(r *rewriter, args []string, step Step) error {
			want, err := pairs(step.Table, "field")
			if err != nil {
				return err
			}
			answer, err := json.Marshal(values(want))
			if err != nil {
				return err
			}
			return r.change(args[0], func(t *Tool) { t.Answer = answer })
		}},
		{keyword: "Given", form: `{tool} will fail with {text}`, do: func(r *rewriter, args []string, _ Step) error {
			answer, err := json.Marshal(map[string]string{"error": args[1]})
			if err != nil {
				return err
			}
			return r.change(args[0], func(t *Tool) { t.Answer = answer })
		}},
		{keyword: "Given", form: `{tool} needs a yes`, about: "the assistant has to ask before a call of it runs", do: func(r *rewriter, args []string, _ Step) error {
			return r.change(args[0], func(t *Tool) { t.Confirm = true })
		}},
		{keyword: "Given", form: `the language is {text}`, do: func(r *rewriter, args []string, _ Step) error {
			r.plan.Language = args[0]
			return nil
		}},
		{keyword: "Given", form: `they said before:`, about: "user, model; not judged", below: aTable, do: func(r *rewriter, _ []string, step Step) error {
			list, err := rows(step.Table, "user", "model")
			if err != nil {
				return err
			}
			for _, row := range list {
				r.plan.Before = append(r.plan.Before, Exchange{row["user"], row["model"]})
			}
			return nil
		}},
	}
}

func (r *rewriter) offer(name string) error {
	if len(r.plan.Turns) > 0 {
		return errors.New("expected all tools before the user says something")
	}
	tool, ok := r.suite.tool(name)
	if !ok {
		return fmt.Errorf("expected a tool of the catalogue, found %q", name)
	}
	if slices.ContainsFunc(r.plan.Tools, func(t Tool) bool { return t.Name == name }) {
		return fmt.Errorf("%s is offered twice", name)
	}
	r.plan.Tools = append(r.plan.Tools, tool)
	return nil
}

// doneAnswer is what a tool answers of which nobody knows what it would.
const doneAnswer = `{"done":true}`

// question offers the functions of a question of the leaderboard.
func (r *rewriter) question(text string) error {
	question, err := bfcl.ReadQuestion(text)
	if err != nil {
		return err
	}
	if len(r.plan.Turns) > 0 || r.asked != nil {
		return errors.New("expected one question before the user says something")
	}
	r.asked = question
	for _, tool := range question.Tools() {
		own := Tool{Name: tool.Name, Description: cmp.Or(tool.Description, tool.Name), Parameters: tool.Parameters, Answer: json.RawMessage(doneAnswer)}
		if err := own.check(); err != nil {
			return fmt.Errorf("tool %q: %w", own.Name, err)
		}
		r.plan.Tools = append(r.plan.Tools, own)
	}
	return nil
}

func (r *rewriter) change(name string, change func(*Tool)) error {
	for i := range r.plan.Tools {
		if r.plan.Tools[i].Name == name {
			change(&r.plan.Tools[i])
			return nil
		}
	}
	return fmt.Errorf("expected one of the offered tools, found %q", name)
}

// scriptSentences say what the model does in the next turn where it is played. On a real model they count for nothing.
func scriptSentences() []sentence {
	return []sentence{
		{keyword: "Given", form: `the model replies {text}`, about: "what a played model does in the next turn", do: func(r *rewriter, args []string, _ Step) error {
			return r.play(reply{Content: args[0]})
		}},
		{keyword: "Given", form: `the model replies:`, below: aText, do: func(r *rewriter, _ []string, step Step) error {
			return r.play(reply{Content: *step.Doc})
		}},
		{keyword: "Given", form: `the model takes {n} ms`, about: "for its next answer", do: func(r *rewriter, args []string, _ Step) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n > delayMSMax {
				return fmt.Errorf("expected up to %d ms, found %s", delayMSMax, args[0])
			}
			r.delay = n
			return nil
		}},
		{keyword: "Given", form: `the model calls {tool} with no arguments`, do: func(r *rewriter, args []string, _ Step) error {
			return r.play(calling(mockllm.ToolCall{Name: args[0], Arguments: json.RawMessage(`{}`)}))
		}},
		{keyword: "Given", form: `the model calls {tool} with {argument} {text}`, do: func(r *rewriter, args []string, _ Step) error {
			return r.playCall(args[0], map[string]string{args[1]: args[2]})
		}},
		{keyword: "Given", form: `the model says {text} and calls {tool} with {argument} {text}`, about: "both in one answer", do: func(r *rewriter, args []string, _ Step) error {
			err := r.playCall(args[1], map[string]string{args[2]: args[3]})
			if err == nil {
				r.script[len(r.script)-1].Content = args[0]
			}
			return err
		}},
		{keyword: "Given", form: `the model calls {tool} with:`, about: "argument, value", below: aTable, do: func(r *rewriter, args []string, step Step) error {
			arguments, err := pairs(step.Table, "argument")
			if err != nil {
				return err
			}
			return r.playCall(args[0], arguments)
		}},
		{keyword: "Given", form: `the model calls:`, about: "a JSON list of name and arguments", below: aText, do: func(r *rewriter, _ []string, step Step) error {
			var made []mockllm.ToolCall
			if err := json.Unmarshal([]byte(*step.Doc), &made); err != nil {
				return fmt.Errorf("expected a JSON list of calls with name and arguments: %w", err)
			}
			if len(made) == 0 {
				return errors.New("expected a JSON list with a call")
			}
			return r.play(calling(made...))
		}},
		{keyword: "Given", form: `the model calls at once:`, about: "id?, tool, argument, value; rows of the same id are one call", below: aTable, do: func(r *rewriter, _ []string, step Step) error {
			list, err := tableCalls(step.Table)
			if err != nil {
				return err
			}
			var made []mockllm.ToolCall
			for _, c := range list {
				arguments, err := json.Marshal(values(c.Arguments))
				if err != nil {
					return err
				}
				made = append(made, mockllm.ToolCall{Name: c.Tool, Arguments: arguments})
			}
			return r.play(calling(made...))
		}},
	}
}

func calling(calls ...mockllm.ToolCall) reply { return reply{ToolCalls: calls} }

// delayMSMax bounds how long a played model takes for an answer.
const delayMSMax = 600_000

func (r *rewriter) play(one reply) error {
	one.DelayMS, r.delay = r.delay, 0
	r.script = append(r.script, one)
	return nil
}

func (r *rewriter) playCall(tool string, arguments map[string]string) error {
	raw, err := json.Marshal(values(arguments))
	if err != nil {
		return err
	}
	return r.play(calling(mockllm.ToolCall{Name: tool, Arguments: raw}))
}

func values(cells map[string]string) map[string]any {
	out := map[string]any{}
	for name, written := range cells {
		out[name] = CellValue(written)
	}
	return out
}

// userSentences are what the person says.
func userSentences() []sentence {
	return []sentence{
		{keyword: "When", form: `the user says {text}`, do: func(r *rewriter, args []string, _ Step) error { return r.say(args[0]) }},
		{keyword: "When", form: `the user says:`, below: aText, do: func(r *rewriter, _ []string, step Step) error { return r.say(*step.Doc) }},
		{keyword: "When", form: `the user says one of:`, about: "text; trials take them in turns", below: aTable, do: func(r *rewriter, _ []string, step Step) error {
			list, err := rows(step.Table, "text")
			if err != nil {
				return err
			}
			var said []string
			for _, row := range list {
				said = append(said, row["text"])
			}
			return r.say(said...)
		}},
	}
}

func (r *rewriter) say(said ...string) error {
	for _, text := range said {
		if strings.TrimSpace(text) == "" {
			return errors.New("expected words that the user says")
		}
	}
	r.plan.Turns = append(r.plan.Turns, Turn{Said: said, Script: r.script})
	r.script = nil
	return nil
}
