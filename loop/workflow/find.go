package workflow

import (
	"slices"
	"strings"
	"time"
)

// found is a value that the text has for a field.
type found struct {
	field      int // in Flow.fields
	value      Value
	start, end int // in the text
}

// freeKind is the kind of a field that any text may be the value of.
const freeKind = "message"

// find lists what the text says about the fields, in their order, at most one value for each.
func (m *machine) find() []found {
	seen := map[kindAsked][]Match{}
	var all []found
	for i := range m.flow.fields {
		f := &m.flow.fields[i]
		for _, k := range f.extractors {
			key := kindAsked{k.kind, m.expects(f)}
			if _, done := seen[key]; !done {
				seen[key] = m.extract(k, key)
			}
			match, ok := m.pick(seen[key])
			if value, fits := project(f.kind, match); ok && fits {
				all = append(all, found{field: i, value: value, start: match.Start, end: match.End})
			}
			if ok {
				break
			}
		}
	}
	all = m.leave(all)
	for _, search := range []func(all []found, field int) (found, bool){m.patterned, m.behind} {
		for i := range m.flow.fields {
			if has(all, i) {
				continue
			}
			if one, ok := search(all, i); ok {
				all = append(all, one)
			}
		}
	}
	return m.beside(m.withoutGreed(all))
}

// has says whether a field has a value.
func has(all []found, field int) bool {
	return slices.ContainsFunc(all, func(one found) bool { return one.field == field })
}

// extract asks one extractor. Filler before a free text is not part of it.
func (m *machine) extract(k kindOf, key kindAsked) []Match {
	begin := 0
	if key.asked && k.kind == freeKind {
		if len(m.heard.words) > 0 {
			begin = m.heard.starts[skip(m.heard.words, m.voice.filler)]
		}
	}
	end := len(m.heard.text)
	if start, _, ok := m.leaves(); ok && key.asked && k.kind == freeKind {
		end = max(start, begin)
	}
	matches := k.extract(m.heard.text[begin:end], m.context(key))
	if begin > 0 {
		matches = slices.Clone(matches)
		for i := range matches {
			matches[i].Start += begin
			matches[i].End += begin
		}
	}
	return matches
}

type kindAsked struct {
	kind  string
	asked bool
}

func (m *machine) context(key kindAsked) Context {
	in := Context{Now: m.input.Now, Language: m.state.Language, Country: m.input.Country}
	if key.asked {
		in.Expect = key.kind
	}
	return in
}

// expects says whether a bare value counts for the field, because the last question asked for it. A yes, a no and the
// like are no values.
func (m *machine) expects(f *field) bool {
	if m.bare {
		return false
	}
	if len(m.state.Offers) > 0 || m.state.Taken {
		return f.name == m.flow.when.Date || f.name == m.flow.when.Time
	}
	if m.state.Asked == "" && !m.state.Changing && f.name == m.flow.when.Time {
		return m.confirms() // "eleven" to what is shown is another time
	}
	return m.state.Asked == f.name
}

// pick chooses among several values: the first, or the last where the person corrects what was said before it.
func (m *machine) pick(matches []Match) (Match, bool) {
	var usables []Match
	for _, match := range matches {
		if usable(match, len(m.heard.text)) {
			usables = append(usables, match)
		}
	}
	if len(usables) == 0 {
		return Match{}, false
	}
	first, last := usables[0], usables[len(usables)-1]
	if last.Start > first.End && m.voice.correct.in(hear(m.heard.text[first.End:last.Start]).words) {
		return last, true
	}
	return first, true
}

// usable says whether a match is one in a text of that many bytes, and of a length that a field may have.
func usable(match Match, textBytes int) bool {
	inside := match.Start >= 0 && match.Start <= match.End && match.End <= textBytes
	return inside && match.Value != "" && len(match.Value) <= valueMax
}

// project makes a match the value of a field of that kind: a datetime has a date and a time in it.
func project(kind string, match Match) (Value, bool) {
	value := Value{Value: match.Value, Text: match.Text, Approximate: match.Approximate}
	if match.Kind != "datetime" || kind == "datetime" {
		return value, true
	}
	at, err := time.Parse(layoutDatetime, match.Value)
	if err != nil {
		return Value{}, false
	}
	switch kind {
	case "date":
		value.Value = at.Format(layoutDate)
	case "time":
		value.Value = at.Format(layoutTime)
	default:
		return Value{}, false
	}
	return value, true
}

// behind looks for a bare value behind one of the field's words, up to the next value: "with John tomorrow". It
// replaces what is known only where the person says that something is wrong. The field's name is such a word where a
// change is wanted: "the name is Bob".
func (m *machine) behind(all []found, field int) (found, bool) {
	f := &m.flow.fields[field]
	after, called := f.after[m.state.Language], f.called[m.state.Language]
	if !m.known(f.name) {
		called = nil
	} else if !m.voice.reject.in(m.heard.words) {
		after = nil
	}
	for i := range m.heard.words {
		rest := m.heard.words[i:]
		n := after.at(rest)
		if n == 0 && called.at(rest) > 0 {
			n = called.at(rest)
			for link := 1; link > 0; n += link {
				link = m.voice.link.at(rest[n:])
			}
		}
		if n > 0 && n < len(rest) {
			if one, ok := m.bareIn(all, field, m.heard.starts[i+n], len(m.heard.text)); ok {
				return one, true
			}
		}
	}
	return found{}, false
}

// beside looks for the bare answer in front of the first value: "Sarah Johnson 789 Main Street".
func (m *machine) beside(all []found) []found {
	asked := slices.IndexFunc(m.flow.fields, func(f field) bool {
		return m.state.Asked == f.name && m.expects(&f) && !isMoment(f.kind)
	})
	if asked < 0 || len(all) == 0 || has(all, asked) || len(m.heard.words) == 0 {
		return all
	}
	if one, ok := m.bareIn(all, asked, m.heard.starts[skip(m.heard.words, m.voice.filler)], len(m.heard.text)); ok {
		return append(all, one)
	}
	return all
}

// bareIn reads a part of the text, up to the next value, as a bare answer.
func (m *machine) bareIn(all []found, field, start, end int) (found, bool) {
	for _, other := range all {
		if other.start >= start {
			end = min(end, other.start)
		}
	}
	rest := strings.TrimRight(m.heard.text[start:end], " ,.!?")
	f := &m.flow.fields[field]
	for _, k := range f.extractors {
		matches := k.extract(rest, m.context(kindAsked{k.kind, true}))
		if len(matches) == 0 || matches[0].Start != 0 || !usable(matches[0], len(rest)) {
			continue
		}
		if value, ok := project(f.kind, matches[0]); ok {
			return found{field: field, value: value, start: start, end: start + matches[0].End}, true
		}
	}
	return found{}, false
}

// withoutGreed drops a bare answer that is made of nothing but other values: "tomorrow at ten" is nobody's name.
func (m *machine) withoutGreed(all []found) []found {
	return slices.DeleteFunc(slices.Clone(all), func(one found) bool {
		if !m.expects(&m.flow.fields[one.field]) || isMoment(m.flow.fields[one.field].kind) {
			return false
		}
		covered := false
		for i, start := range m.heard.starts {
			if start < one.start || start >= one.end || m.voice.filler.at(m.heard.words[i:]) > 0 {
				continue
			}
			if !slices.ContainsFunc(all, func(other found) bool {
				inside := start >= other.start && start < other.end
				return inside && other.field != one.field && isMoment(m.flow.fields[other.field].kind)
			}) {
				return false
			}
			covered = true
		}
		return covered
	})
}

func isMoment(kind string) bool {
	return slices.Contains([]string{"date", "time", "datetime", "duration", "recurrence"}, kind)
}

// applied says what a text did to the fields.
type applied struct {
	filled, changed int
	vague           bool // a value that was known gave way to one that was not said outright
}

func (a applied) any() bool { return a.filled+a.changed > 0 }

// apply puts the values into the fields. A value that is known gives way to another one only.
func (m *machine) apply(all []found) applied {
	var did applied
	for _, one := range all {
		name := m.flow.fields[one.field].name
		before, known := m.state.Fields[name]
		switch {
		case known && (before.Value == one.value.Value || sameDaytime(m.flow.fields[one.field].kind, before, one.value)):
			if before.Approximate && !one.value.Approximate {
				m.set(name, one.value)
			}
			continue
		case known && before.Text != "":
			did.changed++
			did.vague = did.vague || one.value.Approximate
		default:
			did.filled++
		}
		m.set(name, one.value)
	}
	if did.any() {
		m.state.Changing, m.state.Taken, m.state.Retry, m.state.Offers = false, false, false, nil
		m.state.Soonest = m.state.Soonest || m.left
	}
	return did
}

func (m *machine) set(name string, value Value) {
	if m.state.Fields == nil {
		m.state.Fields = map[string]Value{}
	}
	m.state.Fields[name] = value
}

// sameDaytime says whether a part of the day is that of a time which was said outright: ten is in the morning.
func sameDaytime(kind string, known, said Value) bool {
	times := kind == "time" && len(known.Value) == len(layoutTime) && len(said.Value) == len(layoutTime)
	return times && !known.Approximate && said.Approximate && daytime(known.Value) == daytime(said.Value)
}

func daytime(clock string) int {
	for i, until := range []string{"05:00", "12:00", "17:00", "23:00"} {
		if clock < until {
			return i
		}
	}
	return 0
}
