package judge

import (
	"cmp"

	"chatterbox/evals/scenario"
)

// Stated judges what one sentence says of a turn of the product, letter by letter. What the sentence does not speak of
// may be as it likes: only where it lists the calls, there are no others.
func Stated(expect scenario.Expect, got Observed) Verdict {
	if !expect.Listed {
		for _, c := range got.Calls {
			expect.Allowed = append(expect.Allowed, c.Name)
		}
	}
	exactly := func(text string) string { return text }
	return cmp.Or(firstWrong(expect, got, forbidden, wantedCalls, order), mentions(expect, got.Answer, exactly))
}
