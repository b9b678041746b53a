package conversation_test

import (
	"context"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

// switches are rules for a lamp, a radio and a door.
func switches(t *testing.T) func() *route.Rules {
	t.Helper()
	sentences, err := route.NewSentences([]route.Grammar{{
		Language: "en", And: []string{"and"},
		Guards: []route.Guard{{Name: "a negation", Words: []string{"not"}, Patterns: []string{`\bnot\b`}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var rules []route.Rule
	for _, thing := range []string{"lamp", "radio", "door"} {
		rules = append(rules, route.Rule{
			Name: thing, Language: "en", Tool: thing, Patterns: []string{"switch the " + thing},
			Reply: "I switched the " + thing + ".", Failures: []route.Failure{{Reply: "The " + thing + " is broken."}},
		})
	}
	compiled, err := route.Compile(rules, nil, sentences)
	if err != nil {
		t.Fatal(err)
	}
	return func() *route.Rules { return compiled }
}

func TestSeveralThingsInOneSentence(t *testing.T) {
	type step struct{ text, answer, ran string } // ran are the tools of this turn and of those before
	tests := map[string]struct {
		asks, broken string
		language     string
		model        bool
		steps        []step
	}{
		"all are done, in their order": {steps: []step{
			{"switch the lamp and switch the radio", "I switched the lamp. I switched the radio.", "lamp radio"}}},
		"a model is not asked": {model: true, steps: []step{
			{"switch the lamp and the radio", "I switched the lamp. I switched the radio.", "lamp radio"}}},
		"one that fails does not keep the others": {broken: "lamp", steps: []step{
			{"switch the lamp and switch the radio", "The lamp is broken. I switched the radio.", "lamp radio"}}},
		"one that needs a yes comes last": {asks: "door", steps: []step{
			{"switch the door and switch the lamp", "I switched the lamp. Really?", "lamp"},
			{"yes", "I switched the door.", "lamp door"}}},
		"where two need an answer nothing is done": {asks: "door", steps: []step{
			{"book a visit and switch the door and switch the lamp",
				"I have to ask about “book a visit” and “switch the door”, so I did nothing yet. Please say one after the other.", ""}}},
		"a workflow asks when the others are done": {steps: []step{
			{"book a visit and switch the lamp", "I switched the lamp. What name?", "lamp"},
			{"name:Ada", "What day?", "lamp"}}},
		"where one is not understood nothing is done": {steps: []step{
			{"switch the lamp and bake a cake", "I understood “switch the lamp”, but not “bake a cake”. I did nothing.", ""}}},
		"where one is forbidden nothing is done": {steps: []step{
			{"switch the lamp and do not switch the radio",
				"I understood “switch the lamp”, but not “do not switch the radio”. I did nothing.", ""}}},
		"in German": {language: "de", steps: []step{
			{"switch the lamp and bake a cake",
				"„switch the lamp“ habe ich verstanden, „bake a cake“ aber nicht. Ich habe nichts getan.", ""}}},
		"with a model it takes what is not understood": {model: true, steps: []step{
			{"switch the lamp and bake a cake", "the model heard: switch the lamp and bake a cake", ""}}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			var model loop.Model
			if c.model {
				model = modelFunc(func(_ context.Context, request loop.Request, _ func(string)) (loop.Completion, error) {
					heard := request.Messages[len(request.Messages)-1].Content
					return loop.Completion{Content: "the model heard: " + heard, FinishReason: "stop"}, nil
				})
			}
			tools := &desk{asks: c.asks, answer: func(_ context.Context, call loop.Call) (string, error) {
				if call.Name == c.broken {
					return `{"error":"no power"}`, nil
				}
				return "", nil
			}}
			opts := atDesk(t, new(historytest.Memory), model, tools)
			opts.Rules = switches(t)
			opts.Offered = func() []loop.Tool {
				return []loop.Tool{{Name: "look"}, {Name: "book"}, {Name: "lamp"}, {Name: "radio"}, {Name: "door"}}
			}
			s := conversation.New(opts)
			for _, step := range c.steps {
				var heard strings.Builder
				reply, err := s.Converse(t.Context(), conversation.Request{
					Text: step.text, ConversationID: "a", Language: c.language, Trace: true,
				}, func(e loop.Emission) { heard.WriteString(e.Text) })
				if err != nil || reply.ResponseText != step.answer || tools.names() != step.ran {
					t.Errorf("%q: %q (%v), ran %q", step.text, reply.ResponseText, err, tools.names())
				}
				if heard.String() != reply.ResponseText { // nothing is taken back
					t.Errorf("%q: heard %q, but the answer is %q", step.text, heard.String(), reply.ResponseText)
				}
			}
		})
	}
}
