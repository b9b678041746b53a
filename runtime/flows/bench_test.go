package flows_test

import (
	"strings"
	"testing"
	"time"

	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

// BenchmarkLoad is part of every start.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := flows.Load(flows.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecide is part of every turn.
func BenchmarkDecide(b *testing.B) {
	rules, err := flows.Load(flows.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{
		"a command":       "what's the weather in Kansas City right now",
		"something else":  "turn on the lights in the living room",
		"nearly the time": "what's the best time to plant tomatoes in my garden",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			input := route.Input{Text: text, Language: "en", Model: true, Tools: []string{"get_current_datetime", "get_weather"}}
			for b.Loop() {
				route.Decide(rules, input)
			}
		})
	}
}

// BenchmarkWorkflows is part of every start.
func BenchmarkWorkflows(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := flows.Workflows(flows.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// longTexts have some eighty words that hardly repeat. "coffee" holds a keyword of the booking's answers.
var longTexts = map[string]string{
	"a story": "you know my neighbour across the street told me last summer that his whole kitchen had become quite impossible after those builders left dust everywhere and nobody bothered wiping anything " +
		"down so he eventually found some friendly people who came round scrubbed every single cupboard polished both windows carried away several bags full of rubbish and even watered all his poor plants " +
		"while he was sitting outside drinking coffee with an old school friend whom he had not seen since they were children",
	"all at once": "hello yes my name is Sarah Johnson and I live at 789 Main Street in the yellow house next to the bakery my phone number is four one five five five five twelve thirty four and my email is " +
		"sarah dot johnson at example dot com I would like somebody to come next Thursday at half past two in the afternoon or if that does not work then maybe Friday morning around ten it should take " +
		"about two hours I think every other week please",
}

// BenchmarkStep is what a workflow adds to a turn.
func BenchmarkStep(b *testing.B) {
	set := loadWorkflows(b)
	open := newDialogue(b, set)
	open.say("schedule a cleaning estimate")
	ready := newDialogue(b, set)
	for _, text := range []string{"schedule a cleaning estimate", "Sarah Johnson", "789 Main Street", "tomorrow at ten"} {
		ready.say(text)
	}
	for name, c := range map[string]struct {
		from *dialogue
		text string
	}{
		"a name":      {open, "Sarah Johnson"},
		"everything":  {open, "my name is Sarah Johnson, 789 Main Street, tomorrow at half past two"},
		"an aside":    {open, "what's the weather in Kansas City right now"},
		"a change":    {ready, "no sorry could we make it Thursday at eleven instead"},
		"a long text": {open, strings.Repeat("well you know I was thinking about it ", 10)},
		"a story":     {open, longTexts["a story"]},
		"all at once": {open, longTexts["all at once"]},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			input := workflow.Input{Text: c.text, Language: "en", Now: c.from.now}
			for b.Loop() {
				input.Now = input.Now.Add(time.Nanosecond) // another turn: nothing is remembered of the one before
				workflow.Step(set.Get("booking"), c.from.state, input)
			}
		})
	}
}
