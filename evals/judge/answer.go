package judge

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"chatterbox/evals/scenario"
)

// identifiers checks that what identifies something was seen before it was used: a model that makes one up acts on
// something else.
func identifiers(_ scenario.Expect, got Observed) Verdict {
	seen := strings.Join(append(slices.Clone(got.History), got.Said), "\n")
	for _, c := range got.ran() {
		object, _ := c.object()
		for name, given := range object {
			if name != "id" && !strings.HasSuffix(name, "_id") {
				continue
			}
			text := strings.Trim(scenario.Compact(given), `"`)
			if !strings.Contains(strings.ToLower(seen), strings.ToLower(text)) {
				return wrong(WrongArguments, "%s %s of %s was never seen before", name, text, c.Name)
			}
		}
		seen += "\n" + string(c.Result)
	}
	return Verdict{}
}

// order checks which call comes before which, and how often the model was asked for them.
func order(expect scenario.Expect, got Observed) Verdict {
	ran := got.ran()
	for _, pair := range expect.Before {
		first := slices.IndexFunc(ran, func(c Call) bool { return c.Name == pair[0] })
		second := slices.IndexFunc(ran, func(c Call) bool { return c.Name == pair[1] })
		switch {
		case first < 0 || second < 0:
			return wrong(MissingCall, "%s and %s were not both called", pair[0], pair[1])
		case first > second:
			return wrong(WrongTool, "%s was called before %s", pair[1], pair[0])
		}
	}
	if expect.AtOnce && !atOnce(got, ran) {
		return wrong(MissingCall, "the calls were not made at once: %s", names(ran))
	}
	if expect.AskedMax > 0 && got.Asked > expect.AskedMax {
		return wrong(IterationLimit, "the model was asked %d times, more than %d", got.Asked, expect.AskedMax)
	}
	return Verdict{}
}

func atOnce(got Observed, ran []Call) bool {
	if got.AtOnce != nil {
		return *got.AtOnce
	}
	for _, c := range ran {
		if c.Answer != ran[0].Answer {
			return false
		}
	}
	return true
}

// answer checks what the person hears, and the workflow.
func answer(expect scenario.Expect, got Observed) Verdict {
	text := strings.ToLower(got.Answer)
	if strings.TrimSpace(text) == "" {
		return wrong(EmptyResponse, "the person hears nothing")
	}
	if v := mentions(expect, got.Answer, strings.ToLower); !v.Pass() {
		return v
	}
	if number := ungrounded(got); expect.Grounded && number != "" {
		return wrong(UngroundedAnswer, "%s was neither said nor answered by a tool: %q", number, brief(got.Answer))
	}
	switch {
	case expect.Question && !asksBack(got.Answer):
		return wrong(WrongAnswer, "the answer asks nothing: %q", brief(got.Answer))
	case expect.Refuses && !containsAny(text, refusals):
		return wrong(WrongAnswer, "the answer refuses nothing: %q", brief(got.Answer))
	case expect.Phase != "" && got.Phase != expect.Phase:
		return wrong(WrongAnswer, "the workflow is in phase %q, not %s", got.Phase, expect.Phase)
	}
	for name, want := range expect.Fields {
		if err := scenario.MatchText("the workflow's "+name, want, got.Fields[name]); err != nil {
			return wrong(WrongAnswer, "%v", err)
		}
	}
	return Verdict{}
}

// mentions checks what the answer says and does not say, both folded before they are compared.
func mentions(expect scenario.Expect, answer string, fold func(string) string) Verdict {
	text := fold(answer)
	has := func(part string) bool { return strings.Contains(text, fold(part)) }
	for _, either := range expect.Mentions {
		if !slices.ContainsFunc(either, has) {
			return wrong(WrongAnswer, "the answer does not mention %s: %q", strings.Join(either, " or "), brief(answer))
		}
	}
	if at := slices.IndexFunc(expect.Lacks, has); at >= 0 {
		return wrong(WrongAnswer, "the answer mentions %s: %q", expect.Lacks[at], brief(answer))
	}
	return Verdict{}
}

// refusals are words of which an answer that refuses has one, in lower case.
var refusals = []string{
	"can't", "can’t", "cannot", "can not", "won't", "won’t", "unable", "not able", "not allowed",
	"don't have", "don’t have", "do not have", "no tool", "couldn't", "couldn’t", "could not", "not possible", "sorry",
	"kann nicht", "kann das nicht", "kann ich nicht", "leider", "nicht möglich", "darf nicht", "keine möglichkeit",
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// asksBack says whether a text is a question.
func asksBack(text string) bool { return strings.Contains(text, "?") }

// callMarks are what models put around calls that they write as text.
var callMarks = []string{
	"<tool_call", "<function", "<|tool", "[tool_calls]", "<|python_tag|>", "to=functions.", "<｜tool",
}

// looksLikeCall says whether the answer is a call that was written as text.
func looksLikeCall(got Observed) bool {
	text := strings.ToLower(got.Answer)
	if containsAny(text, callMarks) {
		return true
	}
	return slices.ContainsFunc(got.Offered, func(name string) bool {
		after := strings.Index(text, strings.ToLower(name))
		return after >= 0 && strings.ContainsAny(text, "{(") && strings.ContainsAny(text[after:], "{(")
	})
}

var numbers = regexp.MustCompile(`\d+(?:[.,]\d+)?`)

// clock is a time of day after noon, which people also say with the hour from 1 to 11.
var clock = regexp.MustCompile(`\b(1[3-9]|2[0-3]):[0-5]\d`)

// ungrounded is the first number of the answer that nobody said and no tool answered, however many of its digits the
// answer keeps; empty when there is none.
func ungrounded(got Observed) string {
	var source strings.Builder
	source.WriteString(strings.Join(got.History, "\n") + "\n" + got.Said)
	for _, c := range got.Calls {
		source.WriteString("\n" + string(c.Arguments) + "\n" + string(c.Result))
	}
	var known []float64
	for _, text := range numbers.FindAllString(source.String(), -1) {
		known = append(known, number(text))
	}
	for _, match := range clock.FindAllStringSubmatch(source.String(), -1) {
		known = append(known, number(match[1])-12)
	}
	for _, text := range numbers.FindAllString(got.Answer, -1) {
		_, decimals, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
		unit := math.Pow(10, -float64(len(decimals)))
		value := number(text)
		if !slices.ContainsFunc(known, func(k float64) bool { return math.Abs(k-value) < unit*.5000001 }) {
			return text
		}
	}
	return ""
}

// number reads digits with at most one point or comma. A comma before three digits separates thousands.
func number(text string) float64 {
	if whole, rest, ok := strings.Cut(text, ","); ok {
		if len(rest) == 3 {
			text = whole + rest
		} else {
			text = whole + "." + rest
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.Inf(1) // more digits than a number has
	}
	return value
}

// briefRunesMax is how much of an answer a verdict quotes.
const briefRunesMax = 120

func brief(text string) string { return Short(text, briefRunesMax) }

// Short cuts a text to so many characters.
func Short(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}
