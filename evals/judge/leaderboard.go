package judge

import (
	"encoding/json"
	"strings"

	"chatterbox/evals/bfcl"
	"chatterbox/evals/scenario"
)

// leaderboard judges the calls of the model's first answer by a question's own rules, and gives their verdict a class.
func leaderboard(expect scenario.Expect, got Observed) Verdict {
	first := got.firstAnswer()
	var calls []bfcl.Call
	for _, c := range first {
		calls = append(calls, bfcl.Call{Name: c.Name, Arguments: c.written()})
	}
	verdict, err := expect.Leaderboard.Judge(calls)
	switch {
	case err != nil:
		return wrong(WrongAnswer, "the question cannot be judged: %v", err)
	case verdict.Pass:
		return Verdict{}
	case len(first) == 0:
		return noCall(expect, got)
	}
	kind, _, _ := strings.Cut(verdict.Error, ": ")
	class := WrongArguments
	switch wanted := expect.Leaderboard.Calls(); {
	case strings.HasPrefix(kind, bfcl.Undecoded):
		class = MalformedCall
	case len(first) > wanted:
		class = ExtraCall
	case len(first) < wanted:
		class = MissingCall
	case strings.HasSuffix(kind, bfcl.WrongFunction):
		class = WrongTool
		if first[0].Refusal == NotOffered {
			class = UnknownTool
		}
	}
	return wrong(class, "%s", verdict.Error)
}

// firstAnswer are the calls of the model's first answer with calls; all of them where it is not known which that are.
func (o Observed) firstAnswer() (out []Call) {
	for _, c := range o.Calls {
		if c.Answer == o.Calls[0].Answer {
			out = append(out, c)
		}
	}
	return out
}

// written are the arguments as the model wrote them.
func (c Call) written() string {
	var text string
	if c.Refusal == NotReadable && json.Unmarshal(c.Arguments, &text) == nil {
		return text
	}
	return string(c.Arguments)
}
