package flows_test

import (
	"testing"

	"chatterbox/loop/route"
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
