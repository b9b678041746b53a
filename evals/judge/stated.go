package judge

import "chatterbox/evals/scenario"

// Stated judges what one sentence says of a turn of the product, letter by letter. What the sentence does not speak of may
// be as it likes: only where it lists the calls, there are no others.
func Stated(expect scenario.Expect, got Observed) Verdict {
	if !expect.Listed {
		for _, c := range got.Calls {
			expect.Allowed = append(expect.Allowed, c.Name)
		}
	}
	for _, check := range []func(scenario.Expect, Observed) Verdict{forbidden, wantedCalls, order} {
		if v := check(expect, got); !v.Pass() {
			return v
		}
	}
	return mentions(expect, got.Answer, func(text string) string { return text })
}
