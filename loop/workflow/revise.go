package workflow

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// This file reads what a person says to the question about one call: a consent, a refusal, or another value for one of
// the call's arguments, about which they are asked anew. As in a workflow, every word must be part of it.

// CallReading is what a text says to the question about a call.
type CallReading struct {
	Verdict   Verdict
	Arguments map[string]any    // of Revised: the call's, with the new values
	Said      map[string]string // of Revised: the new values as the person said them, by argument
}

// ReadCallAnswer reads a text as the answer to the question about call, which was asked in call.Language. Schema is
// that of the call's arguments.
func (f *Flows) ReadCallAnswer(text string, call AskedCall, schema json.RawMessage, in Context) CallReading {
	if f == nil || len(f.voices) == 0 {
		return CallReading{Verdict: Other}
	}
	if verdict := f.Answer(text, call.Language, call.Tool); verdict != Other {
		return CallReading{Verdict: verdict}
	}
	return f.revise(text, call, schema, in)
}

// target is the argument that a new value of a kind goes to.
type target struct {
	argument string
	part     bool // the argument is a day and a time, of which the value is one
}

// moments are the kinds of the values that a person may change.
var moments = []string{"date", "time"}

func (f *Flows) revise(text string, call AskedCall, schema json.RawMessage, in Context) CallReading {
	v := f.voice(baseLanguage(call.Language))
	text, corrects := v.uncorrected(text)
	if text == "" || !corrects && strings.HasSuffix(text, "?") || v.addsMore(hear(text).words) {
		return CallReading{Verdict: Other}
	}
	if corrects {
		text = strings.TrimRight(text, "? ")
	}
	targets := v.targets(call, schema, v.one.in(hear(text).words))
	m := f.askedMachine(v, v.withoutOne(text), call, targets, in)
	all := m.find()
	r := m.read(all)
	if len(all) == 0 || !r.whole || r.declined || r.stated != 1<<len(all)-1 || m.cut() {
		return CallReading{Verdict: Other}
	}
	reading := CallReading{Verdict: Revised, Arguments: maps.Clone(call.Arguments), Said: map[string]string{}}
	changed := false
	for _, one := range m.near(all) {
		kind := m.flow.fields[one.field].name
		to := targets[kind]
		before, _ := call.Arguments[to.argument].(string)
		value := one.value.Value
		if to.part {
			value = inMoment(kind, before, value)
		}
		if value != before && value != strings.TrimSuffix(before, ":00") {
			changed = true
			reading.Arguments[to.argument], reading.Said[to.argument] = value, v.unled(one.value.Text)
		}
	}
	switch {
	case changed:
		return reading
	case r.consent:
		return CallReading{Verdict: Consent}
	}
	return CallReading{Verdict: Unclear}
}

// inMoment puts a day or a time into a day with its time.
func inMoment(kind, moment, value string) string {
	day, clock, _ := strings.Cut(moment, "T")
	if kind == "date" {
		return value + "T" + clock
	}
	return day + "T" + value
}

// askedMachine is a workflow's machine at the question about the call: its fields are what may be changed.
func (f *Flows) askedMachine(v *voice, text string, call AskedCall, targets map[string]target, in Context) *machine {
	const asked = "CONFIRMING"
	flow := &Flow{
		name: call.Tool, set: f, when: Moment{Date: "date", Time: "time"},
		phases: []phase{
			{name: asked, on: map[string]int{onConfirmed: 1}}, {name: "COMPLETE", call: &use{Use: &Use{Tool: call.Tool}}},
		},
	}
	state := State{Flow: call.Tool, Phase: asked, Fields: map[string]Value{}, Language: v.Language}
	for _, kind := range moments {
		to, found := targets[kind]
		extractor := kindOf{kind: kind, extract: f.extractors[kind]}
		if !found || extractor.extract == nil {
			continue
		}
		flow.fields = append(flow.fields, field{name: kind, kind: kind, extractors: []kindOf{extractor}})
		if value, ok := call.Arguments[to.argument].(string); ok {
			if day, clock, both := strings.Cut(value, "T"); both && kind == "date" {
				value = day
			} else if both {
				value = clock
			}
			state.Fields[kind] = Value{Value: value}
		}
	}
	return &machine{
		flow: flow, state: state, voice: v.asked, heard: hear(text),
		input: Input{Text: text, Language: v.Language, Country: in.Country, Now: in.Now},
	}
}

// uncorrected cuts off what comes before a right value: "no", "I mean", "could we make it". Corrects says that a
// question is one about the value.
func (v *voice) uncorrected(text string) (rest string, corrects bool) {
	u := hear(text)
	for at := 0; at < len(u.words); {
		own := v.own.at(u.words[at:])
		n := max(own, v.correct.at(u.words[at:]))
		if n == 0 || v.makes.at(u.words[at:]) >= n {
			return u.text[u.starts[at]:], corrects
		}
		at, corrects = at+n, corrects || own > 0
	}
	return "", false
}

// withoutOne is a text without phrases such as "the one", whose words might be taken for a number.
func (v *voice) withoutOne(text string) string {
	u := hear(text)
	var kept strings.Builder
	from := 0
	for i := 0; i < len(u.words); i++ {
		n := v.one.at(u.words[i:])
		if n < 2 || i+n >= len(u.words) {
			continue
		}
		kept.WriteString(u.text[from:u.starts[i]])
		from = u.starts[i+n]
		i += n - 1
	}
	return kept.String() + u.text[from:]
}

// addsMore says whether the words go on to something else behind their beginning: "yes and".
func (v *voice) addsMore(words []string) bool {
	for i := range words {
		if i > 0 && v.more.at(words[i:]) > 0 && v.correct.at(words[i:]) == 0 {
			return true
		}
	}
	return false
}

// unled is a value's text without the words that lead to it.
func (v *voice) unled(text string) string {
	u := hear(text)
	if at := skip(u.words, v.asked.lead, v.article); at > 0 {
		return u.text[u.starts[at]:]
	}
	return text
}

// targets are the arguments that new values go to, by kind: the only one of its kind, of those of the call, or else of
// those that it could have. Of several it is the one that the question names last, but where the person says which
// thing is meant the first.
func (v *voice) targets(call AskedCall, schema json.RawMessage, which bool) map[string]target {
	order := v.calls[call.Tool].names()
	kinds := argumentKinds(call, schema)
	found := map[string]target{}
	for _, kind := range moments {
		var names [3][]string // those of the call, those that it could have, and those that are a day and a time
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			value, present := call.Arguments[name]
			_, text := value.(string)
			switch {
			case kinds[name] == kind && present:
				names[0] = append(names[0], name)
			case kinds[name] == kind:
				names[1] = append(names[1], name)
			case kinds[name] == "datetime" && text:
				names[2] = append(names[2], name)
			}
		}
		own := names[0]
		if own == nil {
			own = names[1]
		}
		if name := oneOf(own, order, which); name != "" {
			found[kind] = target{argument: name}
		} else if names[2] != nil {
			found[kind] = target{argument: names[2][0], part: true}
		}
	}
	return found
}

// oneOf is the only one of the names, or the first or the last in their order.
func oneOf(names, order []string, first bool) string {
	if len(names) == 1 {
		return names[0]
	}
	chosen, at := "", -1
	for _, name := range names {
		place := slices.Index(order, name)
		if place < 0 {
			return ""
		}
		if at < 0 || first == (place < at) {
			chosen, at = name, place
		}
	}
	return chosen
}

// names are the arguments that the questions name, in their order.
func (c *callSpeech) names() []string {
	var names []string
	if c == nil {
		return nil
	}
	for _, ask := range c.ask {
		ask.names(func(name, _ string) { names = append(names, name) })
	}
	return names
}

// probes are values of each kind. A pattern that takes one of them and nothing of another kind wants that kind.
var probes = map[string]string{"date": "2026-02-20", "time": "09:30", "datetime": "2026-02-20T09:30"}

// argumentKinds says which arguments are a day, a time or both: by their value, or by what the schema wants.
func argumentKinds(call AskedCall, schema json.RawMessage) map[string]string {
	var wanted struct {
		Properties map[string]struct {
			Format  string `json:"format"`
			Pattern string `json:"pattern"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &wanted) // without one the values tell
	kinds := map[string]string{}
	for name, property := range wanted.Properties {
		switch property.Format {
		case "date", "time":
			kinds[name] = property.Format
		case "date-time":
			kinds[name] = "datetime"
		}
		if kind := wantedBy(property.Pattern); kind != "" {
			kinds[name] = kind
		}
	}
	for name, value := range call.Arguments {
		if text, ok := value.(string); ok {
			if kind := shapeOf(text); kind != "" {
				kinds[name] = kind
			}
		}
	}
	return kinds
}

func wantedBy(pattern string) (kind string) {
	if pattern == "" {
		return ""
	}
	fits, err := regexp.Compile(pattern)
	if err != nil || fits.MatchString("x") {
		return ""
	}
	for one, probe := range probes {
		if fits.MatchString(probe) {
			if kind != "" {
				return ""
			}
			kind = one
		}
	}
	return kind
}
