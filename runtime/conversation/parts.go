package conversation

import (
	"context"
	"strings"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

// This file does several things that one text asks for. The rules are: they are done in their order, but that the one
// that needs a word of the person, a yes or what is missing, comes last; where two need one, nothing is done. So
// whatever ran before a question is what asks for no yes: it only reads, or can be taken back.

// answerParts does what the parts of a text ask for, and answers with what each of them says.
func (t *turn) answerParts(ctx context.Context, parts []route.Part) {
	var first, asking []route.Part
	for _, part := range parts {
		if t.asks(ctx, part) {
			asking = append(asking, part)
		} else {
			first = append(first, part)
		}
	}
	if len(asking) > 1 {
		t.because("more than one of them needs an answer")
		t.answerWith(ctx, t.sentence("several_questions", "parts", t.listed(partTexts(asking))))
		return
	}
	var answers []string
	reason := t.route.Reason
	for _, part := range append(first, asking...) {
		t.text = part.Text
		t.speaker.pause()
		if command := part.Decision.Command; command != nil {
			t.byRule(ctx, command)
		} else {
			t.followWorkflow(ctx, part.Decision)
		}
		t.route.Reason = reason
		if t.outcome.Failure != nil || t.outcome.Cause != "" {
			return
		}
		answers = append(answers, t.outcome.Text)
	}
	t.outcome.Text = strings.Join(answers, " ")
}

// asks says whether a part needs a word of the person before it is done.
func (t *turn) asks(ctx context.Context, part route.Part) bool {
	call := loop.Call{ID: "part"}
	if command := part.Decision.Command; command != nil {
		call.Name, call.Arguments = command.Tool, string(command.Arguments)
	} else if acts := t.dialogue.flows.Acts(part.Decision.Workflow, t.input(part.Text, t.request.Language)); acts != nil {
		call.Name, call.Arguments = acts.Tool, string(acts.Arguments)
	} else {
		return true
	}
	return t.tools().Check(ctx, call).Decision == loop.Ask
}

// answerSome says what of a text was understood and what was not, where nothing is done for that.
func (t *turn) answerSome(ctx context.Context, known, unknown []string) {
	t.answerWith(ctx, t.sentence("several_unknown", "known", t.listed(known), "unknown", t.listed(unknown)))
}

// listed quotes and lists what was said, as it is spoken: “a”, “b” and “c”.
func (t *turn) listed(said []string) string {
	quoted := make([]string, len(said))
	for i, text := range said {
		quoted[i] = t.sentence("list_item", "text", text)
	}
	last := len(quoted) - 1
	if last < 1 {
		return strings.Join(quoted, "")
	}
	return t.sentence("list_last", "list", strings.Join(quoted[:last], ", "), "last", quoted[last])
}

func partTexts(parts []route.Part) []string {
	said := make([]string, len(parts))
	for i, part := range parts {
		said[i] = part.Text
	}
	return said
}
