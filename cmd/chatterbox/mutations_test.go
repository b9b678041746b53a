package main

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"chatterbox/evals/steps"
	"chatterbox/features"
	"chatterbox/loop"
	"chatterbox/runtime/conversation"
)

// mutations break the product in one way each, by name.
var mutations = map[string]decorations{
	"a result dropped": {Model: func(inner loop.Model) loop.Model {
		return promptModel{inner, func(messages []loop.Message) []loop.Message {
			if at := lastResult(messages); at > 0 && messages[at-1].Role == loop.FromTool {
				messages = slices.Delete(messages, at, at+1)
			}
			return messages
		}}
	}},
	"results in the wrong order": {Model: func(inner loop.Model) loop.Model {
		return promptModel{inner, func(messages []loop.Message) []loop.Message {
			if at := lastResult(messages); at > 0 && messages[at-1].Role == loop.FromTool {
				messages[at-1], messages[at] = messages[at], messages[at-1]
			}
			return messages
		}}
	}},
	"guests that answer an empty object": {Guests: func(inner loop.Tools) loop.Tools { return emptyGuests{inner} }},
	"a history that is lost":             loading(func(c *conversation.Conversation) { c.Turns = nil }),
	"no cache":                           {NoCache: true},
	"another sentence": {Reply: func(reply *conversation.Reply) {
		if reply.Extra.Error != nil {
			reply.ResponseText = "Something went wrong."
		}
	}},
	"one model call too many": {Model: func(inner loop.Model) loop.Model { return hastyModel{inner} }},
	"one tool call too many":  {Guests: func(inner loop.Tools) loop.Tools { return eagerGuests{inner} }},
	"a yes for everything":    {Tools: func(inner loop.Tools) loop.Tools { return assentingTools{inner} }},
	"a workflow that is lost": {Store: func(inner conversation.Store) conversation.Store { return flowless{inner} }},
	"a count that is lost":    {Model: func(inner loop.Model) loop.Model { return countlessModel{inner} }},
	"a mode that is never left": loading(func(c *conversation.Conversation) {
		c.Updated = c.Updated.Add(longTime)
	}),
	"an idle time that no turn ends": loading(func(c *conversation.Conversation) {
		if len(c.Turns) > 0 {
			c.Updated = c.Turns[0].At
		}
	}),
	"a yes that is never too late": loading(expiresLaterBy(longTime)),
	"a yes that is always late":    loading(expiresLaterBy(-longTime)),
}

// longTime is longer than anything waits.
const longTime = 24 * time.Hour

// loading changes what is loaded of a conversation.
func loading(change func(*conversation.Conversation)) decorations {
	return decorations{Store: func(inner conversation.Store) conversation.Store { return changingStore{inner, change} }}
}

// expiresLaterBy changes how long a question waits for its yes.
func expiresLaterBy(by time.Duration) func(*conversation.Conversation) {
	return func(c *conversation.Conversation) {
		if c.State.Approval != nil {
			c.State.Approval.Expires = c.State.Approval.Expires.Add(by)
		}
	}
}

type changingStore struct {
	conversation.Store
	change func(*conversation.Conversation)
}

func (s changingStore) Load(ctx context.Context, id string, turnsMax int) (conversation.Conversation, error) {
	loaded, err := s.Store.Load(ctx, id, turnsMax)
	s.change(&loaded)
	return loaded, err
}

// TestScenariosCanFail runs documented conversations against a product that is broken in one way at a time: each way must
// turn the scenario red that speaks of what is broken, at the step that speaks of it.
func TestScenariosCanFail(t *testing.T) {
	takesLong(t)
	red := []struct{ mutation, tag, step string }{
		{"a result dropped", "@flow3", "on call 2 the model reads:"},
		{"results in the wrong order", "@flow3", "on call 2 the model reads:"},
		{"guests that answer an empty object", "@flow2", "get_weather answers:"},
		{"a history that is lost", "@flow4", "on call 1 the model reads:"},
		{"no cache", "@flow8", "the result of get_weather is reused"},
		{"another sentence", "@flow6", `the answer is "I'm sorry, I'm receiving too many requests right now. Please try again in a moment."`},
		{"one model call too many", "@flow1", `the user says "Tell me a fun fact about penguins."`},
		{"one tool call too many", "@flow2", "the weather service is asked once in all"},
		{"a yes for everything", "@asks", `the user says "Ask the office to see Sarah Johnson on the fifth of March 2031 at nine."`},
		{"a workflow that is lost", "@reference", "the workflow booking is in phase COLLECTING"},
		{"a count that is lost", "@cut", `the user says "Sum my story up for me, would you?"`},
		{"a workflow that is lost", "@idle_workflow", `the conversation is in mode "RECEPTIONIST"`},
		{"a mode that is never left", "@idle", `the conversation is in mode "AUTO"`},
		{"a mode that is never left", "@idle_elsewhere", `the conversation is in mode "HOME"`},
		{"an idle time that no turn ends", "@busy", `the conversation is in mode "CHAT"`},
		{"a yes that is never too late", "@late", `the user says "Yes."`},
		{"a yes that is never too late", "@late_again", "no tool is called"},
		{"a yes that is always late", "@in_time", `the user says "Yes."`},
	}
	unproven := maps.Clone(mutations)
	for _, want := range red {
		delete(unproven, want.mutation)
		t.Run(want.mutation+" "+want.tag, func(t *testing.T) {
			if _, ok := mutations[want.mutation]; !ok {
				t.Fatal("there is no such mutation")
			}
			outcomes, err := steps.Run(t.Context(), steps.Options{
				Features: features.FS, Product: product(t, compiled(t), want.mutation), Tags: want.tag,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, outcome := range outcomes {
				if outcome.Err == nil || outcome.Step != want.step {
					t.Errorf("%q ends at step %q with error %v, want it to fail at %q",
						outcome.Name, outcome.Step, outcome.Err, want.step)
				}
			}
		})
	}
	for name := range unproven {
		t.Errorf("no scenario is named that the mutation %q turns red", name)
	}
}

// assentingTools need no yes.
type assentingTools struct{ loop.Tools }

func (a assentingTools) Check(ctx context.Context, call loop.Call) loop.Verdict {
	verdict := a.Tools.Check(ctx, call)
	if verdict.Decision == loop.Ask {
		verdict.Decision = loop.Run
	}
	verdict.Question = "" // nor when the model has read what strangers wrote
	return verdict
}

// flowless forgets which workflow is open.
type flowless struct{ conversation.Store }

func (f flowless) Append(ctx context.Context, id string, version int64, turn conversation.Turn, state conversation.State) error {
	state.Workflow = nil
	return f.Store.Append(ctx, id, version, turn, state)
}

// promptModel changes what the model reads.
type promptModel struct {
	loop.Model
	change func([]loop.Message) []loop.Message
}

func (m promptModel) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	request.Messages = m.change(slices.Clone(request.Messages))
	return m.Model.Complete(ctx, request, onDelta)
}

// lastResult is where the last tool result stands, -1 when there is none.
func lastResult(messages []loop.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == loop.FromTool {
			return i
		}
	}
	return -1
}

// hastyModel asks the model twice for each answer.
type hastyModel struct{ loop.Model }

func (m hastyModel) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	if _, err := m.Model.Complete(ctx, request, func(string) {}); err != nil {
		return loop.Completion{}, err
	}
	return m.Model.Complete(ctx, request, onDelta)
}

// countlessModel does not say how many tokens its server read.
type countlessModel struct{ loop.Model }

func (m countlessModel) Complete(ctx context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
	completion, err := m.Model.Complete(ctx, request, onDelta)
	completion.Usage = loop.Usage{}
	return completion, err
}

type emptyGuests struct{ loop.Tools }

func (emptyGuests) Call(context.Context, loop.Call, loop.Verdict) loop.Result {
	return loop.Result{Content: "{}"}
}

// eagerGuests runs every call twice.
type eagerGuests struct{ loop.Tools }

func (g eagerGuests) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	g.Tools.Call(ctx, call, verdict)
	return g.Tools.Call(ctx, call, verdict)
}
