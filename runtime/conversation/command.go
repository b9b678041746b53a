package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// byRule makes the calls of single-turn commands, in their order, and speaks the commands' templates.
func (t *turn) byRule(ctx context.Context, commands ...*route.Command) {
	proposed := make([]loop.Proposed, len(commands))
	for i, command := range commands {
		proposed[i].Call = loop.Call{ID: "rule", Name: command.Tool, Arguments: string(command.Arguments)}
	}
	machine := t.drive(ctx, t.tools(), loop.New(t.opts.Limits, nil),
		loop.Event{Kind: loop.Start, Proposed: proposed, CallerWords: true})
	t.answerCommands(ctx, machine, commands)
}

// answerCommands speaks the results of the commands' calls, or keeps the commands with the approval that one waits for.
func (t *turn) answerCommands(ctx context.Context, machine loop.Machine, commands []*route.Command) {
	switch {
	case t.outcome.Failure != nil:
		return
	case t.outcome.Pending != nil:
		for _, command := range commands {
			t.record.state.Approval.Commands = append(t.record.state.Approval.Commands, command.Save())
		}
		return
	}
	answers, facts := make([]string, len(commands)), make([]json.RawMessage, len(commands))
	for i, command := range commands {
		var err error
		facts[i] = json.RawMessage(t.outcome.Results[i].Content)
		if answers[i], err = command.Answer([]byte(t.outcome.Results[i].Content)); err != nil {
			t.fail(loop.KindInternal, fmt.Errorf("rule %s: %w", command.Rule, err))
			return
		}
	}
	if len(commands) == 1 {
		t.keepChoice(commands[0], t.outcome.Results[0])
	}
	t.say(ctx, machine, strings.Join(answers, " "), phrasing{facts, t.opts.WordingTime})
}

// answerWith ends a turn with text, without a model and without a call.
func (t *turn) answerWith(ctx context.Context, text string) {
	t.say(ctx, loop.New(t.opts.Limits, nil), text, phrasing{})
}

// say ends the turn with text, after what machine has done, in the model's words where that is wanted and goes well.
func (t *turn) say(ctx context.Context, machine loop.Machine, text string, by phrasing) {
	text, cost := t.phrase(ctx, text, by)
	t.drive(ctx, nil, machine, loop.Event{Kind: loop.Start, CallerWords: true, Text: text})
	t.outcome.Trace = joined(t.outcome.Trace, cost)
}

// names lists the names of tools.
func names(tools []loop.Tool) []string {
	out := make([]string, len(tools))
	for i, tool := range tools {
		out[i] = tool.Name
	}
	return out
}

// named returns those of tools that wanted names, in their own order.
func named(tools []loop.Tool, wanted []string) []loop.Tool {
	out := make([]loop.Tool, 0, len(wanted))
	for _, tool := range tools {
		if slices.Contains(wanted, tool.Name) {
			out = append(out, tool)
		}
	}
	return out
}
