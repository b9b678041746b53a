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
)

// planner turns the sentences of a scenario tagged @model into a plan.
type planner struct {
	suite  *Suite
	plan   Plan
	script Script         // of the next turn
	asked  *bfcl.Question // of the leaderboard, nil without one
}

// Plan reads the sentences of a scenario tagged @model.
func (s *Suite) Plan(scenario Scenario) (Plan, error) {
	p := &planner{suite: s, plan: Plan{Scenario: scenario}}
	for _, step := range scenario.Steps {
		if err := p.step(step); err != nil {
			return p.plan, &syntaxError{scenario.File, step.Line, err.Error()}
		}
	}
	missing := ""
	switch {
	case len(p.plan.Turns) == 0:
		missing = "expected that the user says something"
	case len(p.script.Replies) > 0 || p.script.delay > 0:
		missing = "expected a turn after the last replies of the model"
	case !slices.ContainsFunc(p.plan.Turns, func(t Turn) bool { return t.Expect.expects() }):
		missing = "expected something: the scenario has no Then that says what must hold"
	default:
		return p.plan, nil
	}
	return p.plan, &syntaxError{scenario.File, scenario.Line, missing}
}

func (p *planner) step(step Step) error {
	f, args, err := understand(true, step)
	if err != nil {
		return err
	}
	if step.Keyword == "Then" && len(p.plan.Turns) == 0 {
		return fmt.Errorf("expected that the user says something before %q", step.Text)
	}
	switch {
	case f.Plays():
		return f.Play(&p.script, step)
	case f.Expects():
		return f.Expect(&p.plan.last().Expect, step)
	}
	return planMeanings[f.Form](p, args, step)
}

// Plays says whether all that a sentence does is to write the script of a played model.
func (f Form) Plays() bool { return scriptMeanings[f.Form] != nil }

// Play writes what a step of this form says into a script.
func (f Form) Play(s *Script, step Step) error {
	return scriptMeanings[f.Form](s, f.Args(step.Text), step)
}

// Expects says whether all that a sentence does is to add to what is expected of a turn.
func (f Form) Expects() bool { return expectMeanings[f.Form] != nil }

// Expect adds what a step of this form says to what is expected.
func (f Form) Expect(e *Expect, step Step) error {
	return expectMeanings[f.Form](e, f.Args(step.Text), step)
}

// planMeanings are the other sentences of scenarios that are tagged @model: the world, and the turns.
var planMeanings = map[string]func(p *planner, args []string, step Step) error{
	`the tools {tools}`: func(p *planner, args []string, _ Step) error {
		for _, name := range Names(args[0]) {
			if err := p.offer(name); err != nil {
				return err
			}
		}
		return nil
	},
	`the tool {tool}`:             func(p *planner, args []string, _ Step) error { return p.offer(args[0]) },
	`the leaderboard's question:`: func(p *planner, _ []string, step Step) error { return p.question(*step.Doc) },
	`{n} other tools`: func(p *planner, args []string, _ Step) (err error) {
		p.plan.Others, err = strconv.Atoi(args[0])
		if most := len(p.suite.catalogue); err == nil && p.plan.Others > most {
			err = fmt.Errorf("expected at most %d other tools, as many as the catalogue has", most)
		}
		return err
	},
	`{tool} will answer:`: func(p *planner, args []string, step Step) error {
		want, err := Pairs(step.Table, "field")
		if err != nil {
			return err
		}
		return p.change(args[0], func(t *Tool) { t.Answer = marshal(values(want)) })
	},
	`{tool} will fail with {text}`: func(p *planner, args []string, _ Step) error {
		return p.change(args[0], func(t *Tool) { t.Answer = marshal(map[string]string{"error": args[1]}) })
	},
	`{tool} needs a yes`: func(p *planner, args []string, _ Step) error {
		return p.change(args[0], func(t *Tool) { t.Confirm = true })
	},
	`the language is {text}`: func(p *planner, args []string, _ Step) error {
		p.plan.Language = args[0]
		return nil
	},
	`they said before:`: func(p *planner, _ []string, step Step) error {
		list, err := Rows(step.Table, "user", "model")
		for _, row := range list {
			p.plan.Before = append(p.plan.Before, Exchange{row["user"], row["model"]})
		}
		return err
	},
	`the user says {text}`: func(p *planner, args []string, _ Step) error { return p.say(args[0]) },
	`the user says:`:       func(p *planner, _ []string, step Step) error { return p.say(*step.Doc) },
	`the user says one of:`: func(p *planner, _ []string, step Step) error {
		list, err := Rows(step.Table, "text")
		if err != nil {
			return err
		}
		var said []string
		for _, row := range list {
			said = append(said, row["text"])
		}
		return p.say(said...)
	},
	`the leaderboard passes the calls`: func(p *planner, _ []string, _ Step) error {
		if p.asked == nil {
			return errors.New("expected the leaderboard's question before")
		}
		p.plan.last().Expect.Leaderboard = p.asked
		return nil
	},
}

func (p *planner) offer(name string) error {
	if len(p.plan.Turns) > 0 {
		return errors.New("expected all tools before the user says something")
	}
	tool, ok := p.suite.tool(name)
	if !ok {
		return fmt.Errorf("expected a tool of the catalogue, found %q", name)
	}
	if slices.ContainsFunc(p.plan.Tools, func(t Tool) bool { return t.Name == name }) {
		return fmt.Errorf("%s is offered twice", name)
	}
	p.plan.Tools = append(p.plan.Tools, tool)
	return nil
}

// doneAnswer is what a tool answers of which nobody knows what it would.
const doneAnswer = `{"done":true}`

// question offers the functions of a question of the leaderboard.
func (p *planner) question(text string) error {
	question, err := bfcl.ReadQuestion(text)
	if err != nil {
		return err
	}
	if len(p.plan.Turns) > 0 || p.asked != nil {
		return errors.New("expected one question before the user says something")
	}
	p.asked = question
	for _, tool := range question.Tools() {
		own := Tool{
			Name: tool.Name, Description: cmp.Or(tool.Description, tool.Name), Parameters: tool.Parameters,
			Answer: json.RawMessage(doneAnswer),
		}
		if err := own.check(); err != nil {
			return fmt.Errorf("tool %q: %w", own.Name, err)
		}
		p.plan.Tools = append(p.plan.Tools, own)
	}
	return nil
}

func (p *planner) change(name string, change func(*Tool)) error {
	at := slices.IndexFunc(p.plan.Tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return fmt.Errorf("expected one of the offered tools, found %q", name)
	}
	change(&p.plan.Tools[at])
	return nil
}

func (p *planner) say(said ...string) error {
	for _, text := range said {
		if strings.TrimSpace(text) == "" {
			return errors.New("expected words that the user says")
		}
	}
	p.plan.Turns = append(p.plan.Turns, Turn{Said: said, Script: p.script.Replies})
	p.script.Replies = nil
	return nil
}
