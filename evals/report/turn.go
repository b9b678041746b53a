package report

import (
	"maps"
	"slices"
	"strings"

	"chatterbox/evals/judge"
)

// Turn is a kind of turn, by what had to be done before its answer.
type Turn string

// The kinds of turns. Conversations of several turns are none of them.
const (
	Direct    Turn = "direct"
	OneTool   Turn = "one_tool"
	TwoAtOnce Turn = "two_at_once"
	CacheHit  Turn = "cache_hit"
)

// TurnReference is how long a kind of turn is documented to take, network and model included.
type TurnReference struct {
	Turn     Turn
	Text     string
	From, To float64 // seconds
}

// TurnReferences lists the kinds of turns.
func TurnReferences() []TurnReference {
	return []TurnReference{
		{Direct, "direct answer", .5, 2}, {OneTool, "one tool", 1, 4},
		{TwoAtOnce, "two tools at once", 1, 4}, {CacheHit, "cache hit", .5, 1},
	}
}

// turnOf says which kind of turn a transcript is, empty for none, and how many of its calls did not run.
func turnOf(messages []Message) (kind Turn, rejected int) {
	said, cached := 0, 0
	var calls []Message
	for _, m := range messages {
		switch {
		case m.Role == RoleUser:
			said++
		case m.Role != RoleTool:
		case m.Refusal != "":
			rejected++
		default:
			calls = append(calls, m)
			if m.Cached {
				cached++
			}
		}
	}
	switch {
	case said != 1 || rejected > 0:
		return "", rejected
	case len(calls) == 0:
		return Direct, 0
	case cached == len(calls):
		return CacheHit, 0
	case cached > 0:
		return "", 0
	case len(calls) == 1:
		return OneTool, 0
	case len(calls) == 2 && calls[0].Round > 0 && calls[0].Round == calls[1].Round:
		return TwoAtOnce, 0
	}
	return "", 0
}

// byTools are the rates by how many tools were offered, for trials that say it.
func byTools(scenarios map[string]*scores) (out []Point) {
	judged := map[int][]judge.Score{}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for tools, score := range scenarios[name].byTools {
			judged[tools] = append(judged[tools], score)
		}
	}
	for _, tools := range slices.Sorted(maps.Keys(judged)) {
		all, success := judge.Total(slices.Values(judged[tools])), successOf(judged[tools])
		out = append(out, Point{tools, all.Trials, all.Passed, *success.Mean, success.Interval})
	}
	return out
}

// Curve is success over the number of tools.
type Curve struct {
	Subject string // without the number of tools
	Points  []Point
}

// sweptTools is what the name of a subject says where the number of tools is varied.
const sweptTools = " tools="

// Curves are the rates of subjects by how many tools were offered. Subjects that differ in that number only are one
// curve. A curve has two points or more.
func (s Summary) Curves() []Curve {
	points := map[string][]Point{}
	for _, name := range slices.Sorted(maps.Keys(s.Subjects)) {
		curve := name
		if before, after, swept := strings.Cut(name, sweptTools); swept {
			_, rest, _ := strings.Cut(after, " ")
			curve = strings.TrimSpace(before + " " + rest)
		}
		points[curve] = append(points[curve], s.Subjects[name].ByTools...)
	}
	var out []Curve
	for _, name := range slices.Sorted(maps.Keys(points)) {
		if len(points[name]) > 1 {
			slices.SortStableFunc(points[name], func(a, b Point) int { return a.Tools - b.Tools })
			out = append(out, Curve{name, points[name]})
		}
	}
	return out
}
