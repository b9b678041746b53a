package conversation

import (
	"context"
	"encoding/json"
	"maps"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/internal/texts"
)

// candidatesBytesMax bounds what is kept of things between which a person may choose.
const candidatesBytesMax = 16 << 10

// keepChoice keeps the things between which the tool of a command could not choose, for the next turn. Where a workflow
// is open that turn is the workflow's.
func (t *turn) keepChoice(command *route.Command, result loop.Result) {
	var found struct {
		Candidates []map[string]any `json:"candidates"`
	}
	if t.record.id == "" || t.dialogue.state.Open() ||
		json.Unmarshal([]byte(result.Content), &found) != nil || len(found.Candidates) < 2 {
		return
	}
	kept, err := json.Marshal(found.Candidates)
	if err != nil || len(kept) > candidatesBytesMax {
		return
	}
	t.record.state.Choice = &Choice{
		Command: command.Save(), Candidates: kept, Expires: t.opts.Now().Add(t.opts.ApprovalExpiry).UTC(),
	}
}

// pick makes a command's call again with the one thing that the text means, and reports whether it took the turn. A
// plain no ends it; anything else is a turn of its own.
func (t *turn) pick(ctx context.Context, choice *Choice) bool {
	command := t.rules().Restore(choice.Command)
	if command == nil || !t.opts.Now().Before(choice.Expires) {
		return false
	}
	var candidates []map[string]any
	if json.Unmarshal(choice.Candidates, &candidates) != nil {
		return false
	}
	t.route = RouteTrace{Stage: string(route.StageCommand)}
	at := t.opts.Workflows().Choose(t.request.Text, candidates, t.answerContext())
	switch {
	case at >= 0:
		t.because("the person said which one %s is for", command.Tool)
		t.byRule(ctx, command.With(t.distinguished(command, candidates[at]), nil))
	case t.opts.Workflows().Answer(t.request.Text, t.request.Language, command.Tool) == workflow.Refusal:
		t.because("the person wants none of those that %s found", command.Tool)
		t.answerWith(ctx, t.opts.Workflows().CallDeclined(t.request.Language))
	default:
		return false
	}
	return true
}

// distinguished are the command's arguments with those members of the candidate that its tool takes.
func (t *turn) distinguished(command *route.Command, candidate map[string]any) json.RawMessage {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.schema(command.Tool), &schema) // of a tool that is not there any more nothing is taken
	arguments := maps.Clone(members(command.Arguments))
	if arguments == nil {
		arguments = map[string]any{}
	}
	for name, value := range candidate {
		if text, ok := value.(string); ok && text != "" && schema.Properties[name] != nil {
			arguments[name] = text
		}
	}
	encoded, _ := texts.JSON(arguments) // what was decoded from JSON encodes
	return json.RawMessage(encoded)
}
