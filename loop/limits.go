package loop

import (
	"errors"
	"fmt"
	"time"
)

// This file is what a turn may use up. Calls and bytes over their limit are told to the model or cut, and the turn goes
// on; tokens, money and time that are used up end it, because going on would use more of them. No effect that costs
// something is asked for once its limit is reached.

// resultBytesMin leaves room for a cut result to say that it is one, and for the note on repeating.
const resultBytesMin = 256

// Validate reports every value that no turn can hold to: no iterations, anything negative, results too short to say
// that they were cut.
func (l Limits) Validate() error {
	var wrong []error
	if l.Iterations < 1 {
		wrong = append(wrong, fmt.Errorf("iterations is %d, must be 1 or more", l.Iterations))
	}
	for _, limit := range []struct {
		name  string
		value int
	}{{"calls", l.Calls}, {"output_bytes", l.OutputBytes}, {"tokens", l.Tokens}} {
		if limit.value < 0 {
			wrong = append(wrong, fmt.Errorf("%s is %d, must be 0 (no limit) or more", limit.name, limit.value))
		}
	}
	if l.ResultBytes != 0 && l.ResultBytes < resultBytesMin {
		wrong = append(wrong, fmt.Errorf("result_bytes is %d, must be 0 (no limit) or at least %d", l.ResultBytes, resultBytesMin))
	}
	if !(l.CostUSD >= 0) {
		wrong = append(wrong, fmt.Errorf("cost_usd is %v, must be 0 (no limit) or more", l.CostUSD))
	}
	if l.Wall < 0 {
		wrong = append(wrong, fmt.Errorf("wall is %v, must be 0 (no limit) or more", l.Wall))
	}
	return errors.Join(wrong...)
}

// overBudget ends the turn when tokens, money or time are used up, and says whether it did.
func (s *step) overBudget() bool {
	used := s.Trace.Usage.PromptTokens + s.Trace.Usage.CompletionTokens
	var message string
	switch {
	case s.Limits.Tokens > 0 && used >= s.Limits.Tokens:
		message = fmt.Sprintf("the turn used %d of %d tokens", used, s.Limits.Tokens)
	case s.Limits.CostUSD > 0 && s.event.CostUSD >= s.Limits.CostUSD:
		message = fmt.Sprintf("the turn cost %.6f of %.6f US dollars", s.event.CostUSD, s.Limits.CostUSD)
	case s.Limits.Wall > 0 && s.event.Elapsed >= s.Limits.Wall:
		message = fmt.Sprintf("the turn took %v of %v", s.event.Elapsed.Round(time.Millisecond), s.Limits.Wall)
	default:
		return false
	}
	s.abandonCalls()
	s.fail(Error{Kind: KindBudget, Message: message})
	return true
}

// Plus is the sum, whose price is not known where one of the two is not. first says that u is of no call.
func (u Usage) Plus(more Usage, first bool) Usage {
	sum := Usage{
		PromptTokens:     u.PromptTokens + more.PromptTokens,
		CompletionTokens: u.CompletionTokens + more.CompletionTokens,
	}
	switch {
	case more.CostUSD == nil:
	case first:
		sum.CostUSD = more.CostUSD
	case u.CostUSD != nil:
		cost := *u.CostUSD + *more.CostUSD
		sum.CostUSD = &cost
	}
	return sum
}
