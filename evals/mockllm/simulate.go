package mockllm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Rates say how often a simulated model goes wrong in which way; what is left of 1 it does right. The ways have the
// names of the classes that a judge gives them; with @7 behind it, a way is one only where the model is offered 7
// tools or more.
type Rates map[string]float64

// ways are how a simulated model goes wrong.
var ways = map[string]func(spoiling) []Reply{
	"no_call":           func(s spoiling) []Reply { return s.instead(Reply{Content: "That should be fine as it is."}) },
	"needless_question": func(s spoiling) []Reply { return s.instead(Reply{Content: "Shall I really do that?"}) },
	"empty_response":    func(s spoiling) []Reply { return s.instead(Reply{}) },
	"wrong_tool":        spoiling.wrongTool,
	"unknown_tool": func(s spoiling) []Reply {
		return s.first(ToolCall{Name: "perform_task", Arguments: s.call().Arguments})
	},
	"wrong_arguments": spoiling.wrongArguments,
	"malformed_call":  spoiling.malformed,
	"extra_call":      spoiling.extra,
	"repeated_call":   func(s spoiling) []Reply { return s.first(s.call(), s.call()) },
}

// Ways lists how a simulated model can go wrong.
func Ways() []string { return slices.Sorted(maps.Keys(ways)) }

// ParseRates reads "no_call=0.1,wrong_tool@7=0.05".
func ParseRates(text string) (Rates, error) {
	rates, sum := Rates{}, 0.0
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		way, value, ok := strings.Cut(part, "=")
		rate, err := strconv.ParseFloat(value, 64)
		name, least := limited(way)
		switch {
		case !ok || err != nil || !(rate >= 0 && rate <= 1):
			return nil, fmt.Errorf("expected way=rate with a rate from 0 to 1, found %q", part)
		case ways[name] == nil:
			return nil, fmt.Errorf("expected one of %s, found %q", strings.Join(Ways(), ", "), way)
		case least < 1:
			return nil, fmt.Errorf("expected a number of tools from 1 behind @, found %q", way)
		}
		rates[way] = rate
		sum += rate
	}
	if sum > 1 {
		return nil, errors.New("expected rates that are 1 at most together")
	}
	return rates, nil
}

// Draw gives the way in which a trial goes wrong, empty for none. The same dice give the same way.
func (r Rates) Draw(dice *rand.Rand) string {
	at := dice.Float64()
	for _, way := range slices.Sorted(maps.Keys(r)) {
		if at -= r[way]; at < 0 {
			return way
		}
	}
	return ""
}

// Depends says that a way is one only where so many tools are offered.
func Depends(way string) bool { return strings.Contains(way, "@") }

// With is the way in which a model goes wrong that is offered so many tools, empty for none.
func With(way string, tools int) string {
	name, least := limited(way)
	if tools < least {
		return ""
	}
	return name
}

// limited cuts a way from the number behind its @: 1 without one, 0 where it is no number.
func limited(way string) (name string, least int) {
	name, behind, found := strings.Cut(way, "@")
	if !found {
		return name, 1
	}
	least, _ = strconv.Atoi(behind)
	return name, least
}

// Spoil makes a model that plays a script go wrong at its first call. Scripts without a call stay as they are. offered
// are the tools that the model may call. The replies never run out.
func Spoil(way string, script []Reply, offered []string, dice *rand.Rand) []Reply {
	at := slices.IndexFunc(script, func(r Reply) bool { return len(r.ToolCalls) > 0 })
	if spoil := ways[way]; at >= 0 && spoil != nil {
		script = spoil(spoiling{script, at, offered, dice})
	}
	return append(slices.Clone(script), Reply{Content: "I am done.", Repeat: Forever})
}

// spoiling is a script and where it goes wrong.
type spoiling struct {
	script  []Reply
	at      int
	offered []string
	dice    *rand.Rand
}

func (s spoiling) call() ToolCall { return s.script[s.at].ToolCalls[0] }

// instead puts a reply in the place of the call; nothing follows.
func (s spoiling) instead(reply Reply) []Reply { return append(slices.Clone(s.script[:s.at]), reply) }

// first puts calls in the place of the first one.
func (s spoiling) first(calls ...ToolCall) []Reply {
	script := slices.Clone(s.script)
	script[s.at].ToolCalls = append(slices.Clone(calls), s.script[s.at].ToolCalls[1:]...)
	return script
}

func (s spoiling) other() string {
	rest := slices.DeleteFunc(slices.Clone(s.offered), func(name string) bool {
		return slices.ContainsFunc(s.script[s.at].ToolCalls, func(c ToolCall) bool { return c.Name == name })
	})
	if len(rest) == 0 {
		return "perform_task"
	}
	return rest[s.dice.IntN(len(rest))]
}

func (s spoiling) wrongTool() []Reply {
	return s.first(ToolCall{Name: s.other(), Arguments: s.call().Arguments})
}

func (s spoiling) extra() []Reply {
	return s.first(s.call(), ToolCall{Name: s.other(), Arguments: json.RawMessage(`{}`)})
}

// wrongArguments gives one argument another value of the same kind, or one that is not known where there is none.
func (s spoiling) wrongArguments() []Reply {
	arguments := map[string]any{}
	if json.Unmarshal(s.call().Arguments, &arguments) != nil || len(arguments) == 0 {
		arguments["reason"] = "because"
	} else {
		name := slices.Sorted(maps.Keys(arguments))[0]
		switch value := arguments[name].(type) {
		case float64:
			arguments[name] = value + 1000
		case bool:
			arguments[name] = !value
		default:
			arguments[name] = "something else"
		}
	}
	return s.first(ToolCall{Name: s.call().Name, Arguments: encoded(arguments)})
}

// callForms are how models write calls as text instead of making them.
var callForms = []string{
	"<tool_call>\n{\"name\": \"NAME\", \"arguments\": ARGUMENTS}\n</tool_call>",
	`{"name": "NAME", "arguments": ARGUMENTS}`,
	"```json\n{\"name\": \"NAME\", \"arguments\": ARGUMENTS}\n```",
	`[TOOL_CALLS] [{"name": "NAME", "arguments": ARGUMENTS}]`,
	`<|python_tag|>{"name": "NAME", "parameters": ARGUMENTS}`,
	"<function=NAME>ARGUMENTS</function>",
}

// malformed writes the call as text, or with arguments that break off; who is told so makes it right.
func (s spoiling) malformed() []Reply {
	way := s.dice.IntN(1 + len(callForms))
	if way == len(callForms) {
		raw := s.call().text()
		bad := []Reply{{ToolCalls: []ToolCall{{Name: s.call().Name, Arguments: quoted(raw[:len(raw)-1] + `, "`)}}}}
		return slices.Concat(s.script[:s.at], bad, s.script[s.at:])
	}
	var lines []string
	for _, c := range s.script[s.at].ToolCalls {
		lines = append(lines, strings.NewReplacer("NAME", c.Name, "ARGUMENTS", c.text()).Replace(callForms[way]))
	}
	script := slices.Clone(s.script)
	script[s.at] = Reply{Content: strings.Join(lines, "\n")}
	return script
}
