package judge_test

import (
	"fmt"

	"chatterbox/evals/judge"
)

// 47 of 50 trials passed: how good is the model?
func ExampleWilson() {
	interval := judge.Wilson(47, 50)
	fmt.Printf("between %.1f and %.1f %%\n", 100*interval.Low, 100*interval.High)
	// Output:
	// between 83.8 and 97.9 %
}

// Two scenarios, one always and one half the time: how likely do three trials of a scenario all pass?
func ExamplePassHat() {
	scores := []judge.Score{{Passed: 10, Trials: 10}, {Passed: 5, Trials: 10}}
	fmt.Printf("%.3f\n", judge.PassHat(scores, 3))
	// Output:
	// 0.542
}

// A threshold on the command line, as a build holds a model to it.
func ExampleParseGate() {
	gate, err := judge.ParseGate("tool_selection>=0.95")
	fmt.Printf("%+v %v\n", gate, err)
	// Output:
	// {What:tool_selection Rate:0.95 Implied:false} <nil>
}
