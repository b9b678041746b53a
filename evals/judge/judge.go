package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatterbox/evals/scenario"
)

// Judge says whether a turn was as expected. The first thing that is wrong counts, in this order: the turn's own end,
// what must not be called, what must be called, with what, in which order, and then the answer.
func Judge(expect scenario.Expect, got Observed) Verdict {
	if expect.Leaderboard != nil {
		return leaderboard(expect, got)
	}
	if got.Failure != "" {
		return Verdict{got.Failure, "the turn ended early"}
	}
	return firstWrong(expect, got, approval, forbidden, wantedCalls, identifiers, order, answer)
}

func firstWrong(expect scenario.Expect, got Observed, checks ...func(scenario.Expect, Observed) Verdict) Verdict {
	for _, check := range checks {
		if v := check(expect, got); !v.Pass() {
			return v
		}
	}
	return Verdict{}
}

func wrong(class Class, format string, args ...any) Verdict {
	return Verdict{class, fmt.Sprintf(format, args...)}
}

// ran are the calls that ran.
func (o Observed) ran() []Call {
	return slices.DeleteFunc(slices.Clone(o.Calls), func(c Call) bool { return c.Refusal != Ran })
}

// refused is the verdict on the last call that did not run, for turns in which nothing better followed.
func (o Observed) refused(expect scenario.Expect) Verdict {
	for _, c := range slices.Backward(o.Calls) {
		switch c.Refusal {
		case NotAcceptable:
			if !expected(expect, c) {
				return wrong(WrongTool, "%s was called, with arguments that break its schema: %s", c.Name, c.Arguments)
			}
			return wrong(WrongArguments, "the arguments of %s break its schema: %s", c.Name, c.Arguments)
		case NotOffered:
			return wrong(UnknownTool, "%s was not offered", c.Name)
		case NotReadable:
			return wrong(MalformedCall, "the arguments of %s are no JSON object: %s", c.Name, c.Arguments)
		}
	}
	return Verdict{}
}

// approval checks that the tool waits for a yes. Where nobody asks for the model, its own question is one.
func approval(expect scenario.Expect, got Observed) Verdict {
	if expect.Approval == "" {
		return Verdict{}
	}
	if slices.ContainsFunc(got.ran(), func(c Call) bool { return c.Name == expect.Approval }) {
		return wrong(ForbiddenCall, "%s ran without a yes", expect.Approval)
	}
	if got.Approval == expect.Approval || got.Approval == "" && asksBack(got.Answer) {
		return Verdict{}
	}
	if got.Approval != "" {
		return wrong(WrongTool, "a yes is asked for %s, not for %s", got.Approval, expect.Approval)
	}
	return noCall(expect, got)
}

func forbidden(expect scenario.Expect, got Observed) Verdict {
	if expect.NoTool && len(got.Calls) > 0 {
		c := got.Calls[0]
		if c.Refusal == NotOffered {
			return wrong(UnknownTool, "%s was not offered", c.Name)
		}
		return wrong(ExtraCall, "%s%s was called, and no call is needed", c.Name, c.Arguments)
	}
	if expect.NoTool && looksLikeCall(got) {
		return wrong(MalformedCall, "the answer is a call that nobody understood: %q", brief(got.Answer))
	}
	for _, tool := range slices.Sorted(maps.Keys(expect.Counts)) {
		if expect.Counts[tool] == 0 && count(got.Calls, tool) > 0 {
			return wrong(ForbiddenCall, "%s was called", called(tool))
		}
	}
	return Verdict{}
}

func called(tool string) string { return cmp.Or(tool, "a tool") }

func count(calls []Call, tool string) (n int) {
	for _, c := range calls {
		if tool == "" || c.Name == tool {
			n++
		}
	}
	return n
}

// wantedCalls compares the calls that ran with those that are expected.
func wantedCalls(expect scenario.Expect, got Observed) Verdict {
	ran := got.ran()
	counted := slices.Collect(maps.Values(expect.Counts))
	wants := len(expect.Calls)+len(expect.Before) > 0 || slices.ContainsFunc(counted, func(n int) bool { return n > 0 })
	if wants && len(ran) == 0 {
		return noCall(expect, got)
	}
	if v := repeated(expect, ran); !v.Pass() {
		return v
	}
	taken, missing := assign(expect.Calls, ran)
	if missing >= 0 {
		if v := got.refused(expect); !v.Pass() {
			return v
		}
		return unmet(expect.Calls[missing], expect, ran, taken)
	}
	for _, tool := range slices.Sorted(maps.Keys(expect.Counts)) {
		want := expect.Counts[tool]
		n, class := count(ran, tool), MissingCall
		if n > want {
			class = ExtraCall
		}
		if n != want {
			return wrong(class, "%s was called %d times, not %d", called(tool), n, want)
		}
	}
	if len(expect.Calls) == 0 {
		return Verdict{}
	}
	for i, c := range ran {
		isCounted := expect.Counts[c.Name] > 0 || expect.Counts[""] > 0
		if taken[i] < 0 && !isCounted && !slices.Contains(expect.Allowed, c.Name) {
			return wrong(ExtraCall, "%s%s was called too", c.Name, c.Arguments)
		}
	}
	if expect.Ordered && !inOrder(expect.Calls, ran) {
		return wrong(WrongTool, "the calls were made in another order: %s", names(ran))
	}
	return Verdict{}
}

// inOrder says whether the calls that are expected were made one after the other, with whatever others in between.
func inOrder(want []scenario.Call, ran []Call) bool {
	for _, c := range ran {
		if len(want) > 0 && fits(want[0], c) == nil {
			want = want[1:]
		}
	}
	return len(want) == 0
}

// noCall says why a turn has no call that ran.
func noCall(expect scenario.Expect, got Observed) Verdict {
	if v := got.refused(expect); !v.Pass() {
		return v
	}
	switch {
	case strings.TrimSpace(got.Answer) == "":
		return wrong(EmptyResponse, "neither a call nor an answer")
	case looksLikeCall(got):
		return wrong(MalformedCall, "the answer is a call that nobody understood: %q", brief(got.Answer))
	case asksBack(got.Answer):
		return wrong(NeedlessQuestion, "instead of a call: %q", brief(got.Answer))
	}
	return wrong(NoCall, "instead of a call: %q", brief(got.Answer))
}

// repeated finds a call that equals an earlier one and that is not expected so often.
func repeated(expect scenario.Expect, ran []Call) Verdict {
	for i, c := range ran {
		if slices.Contains(expect.Allowed, c.Name) || expect.Counts[c.Name] > 1 || expect.Counts[""] > 1 {
			continue
		}
		fitting := 0
		for _, want := range expect.Calls {
			if fits(want, c) == nil {
				fitting++
			}
		}
		if equal := 1 + countEqual(ran[:i], c); equal > max(1, fitting) {
			return wrong(RepeatedCall, "%s%s was called %d times", c.Name, c.Arguments, equal)
		}
	}
	return Verdict{}
}

func countEqual(calls []Call, like Call) (n int) {
	for _, c := range calls {
		if c.Name == like.Name && sameJSON(c.Arguments, like.Arguments) {
			n++
		}
	}
	return n
}

func sameJSON(a, b json.RawMessage) bool {
	value, err := scenario.ReadJSON(b)
	return err == nil && scenario.MatchValue("", string(a), value) == nil && len(a) > 0 && a[0] == '{'
}

// assign gives each call that ran the expected one that it meets, -1 for none, and an expected one that is left, -1
// when all are met. An earlier choice is undone where that helps a later one.
func assign(want []scenario.Call, ran []Call) (taken []int, missing int) {
	taken = make([]int, len(ran))
	for i := range taken {
		taken[i] = -1
	}
	var place func(w int, tried []bool) bool
	place = func(w int, tried []bool) bool {
		for i, c := range ran {
			if tried[i] || fits(want[w], c) != nil {
				continue
			}
			tried[i] = true
			if taken[i] < 0 || place(taken[i], tried) {
				taken[i] = w
				return true
			}
		}
		return false
	}
	for w := range want {
		if !place(w, make([]bool, len(ran))) {
			return taken, w
		}
	}
	return taken, -1
}

// unmet says why an expected call was not made.
func unmet(want scenario.Call, expect scenario.Expect, ran []Call, taken []int) Verdict {
	for i, c := range ran {
		if taken[i] < 0 && c.Name == want.Tool {
			return wrong(WrongArguments, "%v", fits(want, c))
		}
	}
	for i, c := range ran {
		if taken[i] < 0 && !expected(expect, c) && !slices.Contains(expect.Allowed, c.Name) {
			return wrong(WrongTool, "%s was called, not %s", c.Name, want.Tool)
		}
	}
	return wrong(MissingCall, "%s was not called", want.Tool)
}

// expected says whether a call is of a tool that is expected to be called.
func expected(expect scenario.Expect, c Call) bool {
	return expect.Approval == c.Name || expect.Counts[c.Name] > 0 ||
		slices.ContainsFunc(expect.Calls, func(w scenario.Call) bool { return w.Tool == c.Name })
}

// fits says why a call is not the expected one, nil when it is.
func fits(want scenario.Call, c Call) error {
	if want.Tool != c.Name {
		return fmt.Errorf("%s was called, not %s", c.Name, want.Tool)
	}
	if want.Any {
		return nil
	}
	object, ok := c.object()
	if !ok {
		return fmt.Errorf("the arguments of %s are no JSON object: %s", c.Name, c.Arguments)
	}
	for _, name := range slices.Sorted(maps.Keys(want.Arguments)) {
		argument := want.Arguments[name]
		given, ok := object[name]
		if !ok && argument.Optional {
			continue
		}
		if !ok {
			return fmt.Errorf("%s of %s is missing: %s", name, c.Name, c.Arguments)
		}
		if err := argumentFits(name+" of "+c.Name, argument, given); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, ok := want.Arguments[name]; !ok {
			return fmt.Errorf("%s was also given %s: %s", c.Name, name, c.Arguments)
		}
	}
	return nil
}

// object are the arguments, where they are a JSON object.
func (c Call) object() (map[string]any, bool) {
	value, err := scenario.ReadJSON(c.Arguments)
	object, ok := value.(map[string]any)
	return object, ok && err == nil
}

func argumentFits(what string, want scenario.Argument, given any) error {
	if want.Within != nil {
		number, ok := given.(json.Number)
		value, err := number.Float64()
		if !ok || err != nil || value < want.Within[0] || value > want.Within[1] {
			return fmt.Errorf("%s is %s, not a number from %v to %v",
				what, scenario.Compact(given), want.Within[0], want.Within[1])
		}
		return nil
	}
	var first error
	for _, one := range want.OneOf {
		err := scenario.MatchValue(what, one, given)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

func names(calls []Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}
