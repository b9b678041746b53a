package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// This file words what is asked about one call that waits for a yes, and what is said when it is dropped. The rules
// are: every argument of the call is in the question, or the question names what says the same; what is long is shown
// with its beginning and its end; and a tool that no language knows is asked about by its title.

// CallSpeech is how a call of one tool is spoken of.
type CallSpeech struct {
	// Ask are questions over the call's arguments, each with the rest of its names in [brackets]; the first of which
	// all other names are known is asked.
	Ask []string `yaml:"ask"`
	// Beside names arguments that are not spoken where one of others is: an identifier beside a name.
	Beside map[string][]string `yaml:"beside"`
	// Nothing is said when the call is dropped: "Nothing was sent."
	Nothing string `yaml:"nothing"`
}

// callSpeech is CallSpeech made ready.
type callSpeech struct {
	ask     []template
	beside  map[string][]string
	nothing string
}

// AskedCall is a call that waits for a yes. The arguments are texts, numbers, truths, lists and objects as JSON has
// them.
type AskedCall struct {
	Tool, Title string
	Language    string
	Arguments   map[string]any
}

func (c *compiler) calls(calls map[string]CallSpeech) map[string]*callSpeech {
	ready := make(map[string]*callSpeech, len(calls))
	for _, tool := range slices.Sorted(maps.Keys(calls)) {
		at, speech := "calls."+tool, calls[tool]
		made := &callSpeech{beside: speech.Beside, nothing: speech.Nothing}
		for i, text := range speech.Ask {
			field := fmt.Sprintf("%s.ask[%d]", at, i)
			question, err := parseTemplate(text) // over any names: what arguments a tool has is its own matter
			if err != nil {
				c.complain(field, "%w", err)
			}
			if !strings.HasSuffix(text, "?") {
				c.complain(field, "must end with a question mark")
			}
			made.ask = append(made.ask, question)
		}
		ready[tool] = made
	}
	return ready
}

// CallQuestion is what the person is asked before the call runs, or nothing where no language is known.
func (f *Flows) CallQuestion(call AskedCall, now time.Time) string {
	if f == nil || len(f.voices) == 0 {
		return ""
	}
	v := f.voice(baseLanguage(call.Language))
	question, spoken := v.callQuestion(call, now)
	var rest []string
	for _, name := range slices.Sorted(maps.Keys(call.Arguments)) {
		if !slices.Contains(spoken, name) {
			rest = append(rest, strings.ReplaceAll(name, "_", " ")+" "+v.argument(call.Arguments[name], now, true))
		}
	}
	if len(rest) > 0 {
		question = strings.TrimSuffix(question, "?") + v.fixed(sayCallWith, "arguments", strings.Join(rest, ", ")) + "?"
	}
	return strings.Join(strings.Fields(question), " ")
}

// callQuestion is the question in the tool's own words, or by its title, and the arguments that need not be said again.
func (v *voice) callQuestion(call AskedCall, now time.Time) (question string, spoken []string) {
	speech := v.calls[call.Tool]
	if speech == nil {
		return v.fixed(sayCallAny, "tool", call.Title), nil
	}
	for _, ask := range speech.ask {
		text, used, whole := v.askedWith(ask, call.Arguments, now)
		if !whole {
			continue
		}
		for name, others := range speech.beside {
			if slices.ContainsFunc(others, func(other string) bool { return slices.Contains(used, other) }) {
				used = append(used, name)
			}
		}
		return text, used
	}
	return v.fixed(sayCallAny, "tool", call.Title), nil
}

// askedWith writes a question, and says which arguments are in it and whether all are there that it cannot do without.
func (v *voice) askedWith(ask template, arguments map[string]any, now time.Time) (text string, used []string, whole bool) {
	var here []string
	look := func(name, _ string) (string, bool) {
		value, known := arguments[name]
		if known {
			here = append(here, name)
		}
		return v.argument(value, now, false), known
	}
	var out strings.Builder
	whole = true
	for _, p := range ask {
		here = nil
		piece := template{p}
		if p.part != nil {
			piece = p.part
		}
		part, known := piece.write(look)
		if known {
			out.WriteString(part)
			used = append(used, here...)
		}
		whole = whole && (known || p.part != nil)
	}
	return out.String(), used, whole
}

// CallDropped is what is said when a call of the tool is not made.
func (f *Flows) CallDropped(tool, language string) string {
	if f == nil || len(f.voices) == 0 {
		return ""
	}
	v := f.voice(baseLanguage(language))
	if speech := v.calls[tool]; speech != nil && speech.nothing != "" {
		return speech.nothing
	}
	return v.fixed(sayCallDropped)
}

// CallDeclined is what is said to a plain no.
func (f *Flows) CallDeclined(language string) string { return f.says(language, sayCallDeclined) }

// CallOpen is what is said to an answer that is neither yes nor no: what is open still.
func (f *Flows) CallOpen(question, language string) string {
	return strings.TrimSpace(f.says(language, sayOpen) + " " + question)
}

func (f *Flows) says(language, reply string, names ...string) string {
	if f == nil || len(f.voices) == 0 {
		return ""
	}
	return f.voice(baseLanguage(language)).fixed(reply, names...)
}

// fixed is a reply over the names and values that are given in turn.
func (v *voice) fixed(reply string, given ...string) string {
	return v.replies[reply][0].with(given...)
}

// How much of a long argument is shown.
const (
	argumentMax       = 240 // characters; a longer one shows its ends
	argumentBeginning = 160
	argumentEnd       = 60
)

// argument is a value as it is spoken: a date and a time as people say them. Quoted says that a text stands in quotes.
func (v *voice) argument(value any, now time.Time, quoted bool) string {
	text, isText := value.(string)
	if !isText {
		encoded, err := json.Marshal(value)
		if err != nil {
			return "?"
		}
		return v.ends(string(encoded))
	}
	if kind := shapeOf(text); kind != "" {
		return v.spoken(kind, Value{Value: text[:len(shapes[kind])]}, now)
	}
	text = v.ends(strings.Join(strings.Fields(text), " "))
	if quoted || text == "" {
		return v.fixed(sayCallQuoted, "text", text)
	}
	return text
}

// ends shows a long text with its beginning, its end and its length.
func (v *voice) ends(text string) string {
	runes := []rune(text)
	if len(runes) <= argumentMax {
		return text
	}
	return v.fixed(sayCallLong, "beginning", string(runes[:argumentBeginning]), "end", string(runes[len(runes)-argumentEnd:]),
		"characters", fmt.Sprint(len(runes)))
}

// shapes are the layouts by which a call's argument shows its kind.
var shapes = map[string]string{"date": layoutDate, "time": layoutTime, "datetime": layoutDatetime}

// shapeOf is the kind of a value that is a date, a time or both, with seconds of 0 or without; empty is another.
func shapeOf(text string) string {
	for kind, layout := range shapes {
		rest := strings.TrimSuffix(text, ":00")
		for _, candidate := range []string{text, rest} {
			if len(candidate) != len(layout) {
				continue
			}
			if _, err := time.Parse(layout, candidate); err == nil {
				return kind
			}
		}
	}
	return ""
}
