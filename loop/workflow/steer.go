package workflow

import (
	"slices"
	"strings"
)

// steer takes the texts that are about the workflow itself.
func (m *machine) steer() (Action, bool) {
	v := m.voice
	switch {
	case m.cancels() && m.state.Unsure:
		return m.end(Abandoned, m.reply(sayInterrupted)), true
	case m.cancels():
		return m.end(Abandoned, m.reply(sayCancelled)), true
	case v.whole(v.restart, m.heard):
		m.state = State{Flow: m.flow.name, Language: m.state.Language, At: m.input.Now, Asks: m.state.Asks, Parked: m.state.Parked}
		m.begin()
		return m.say("the person wants to start again", m.reply(sayRestarted)+" "+m.question()), true
	case v.whole(v.retry, m.heard) && m.state.Retry:
		return m.retry(), true
	case v.whole(v.retry, m.heard):
		return m.say("there is nothing to try again", m.question()), true
	case v.whole(v.repeat, m.heard):
		return m.say("the person wants to hear it again", m.question()), true
	}
	for i := range m.flow.answers {
		a := &m.flow.answers[i]
		patterns := a.patterns[m.state.Language]
		if patterns != nil && anyWord(a.keywords[m.state.Language], m.heard.lower) && anyFits(patterns(), m.heard.text) {
			return m.say("the workflow has an answer to this", m.write(a.reply.in(m.state.Language, 0))+" "+m.question()), true
		}
	}
	if m.asksFree() {
		return Action{}, false
	}
	return m.switchTo()
}

func (m *machine) cancels() bool {
	return m.voice.whole(m.voice.cancel, m.heard) || m.voice.whole(m.flow.cancel[m.state.Language], m.heard)
}

// switchTo opens another workflow that the text asks for; this one waits.
func (m *machine) switchTo() (Action, bool) {
	waiting := m.waiting()
	if len(waiting) > parkedMax || len(m.heard.text) > triggerMax || m.shown() && m.voice.confirm.in(m.heard.words) {
		return Action{}, false
	}
	other, _ := m.flow.set.opened(m.heard.lower, m.state.Language, func(name string) bool {
		return !slices.Contains(waiting, name) && (m.input.Others == nil || slices.Contains(m.input.Others, name))
	})
	if other == nil {
		return Action{}, false
	}
	if opens, _ := m.flow.triggered(m.heard.lower, m.state.Language); opens {
		return Action{}, false
	}
	m.flow = other
	return m.start(), true
}

// retry goes on where a tool failed, or where its result never came. A yes that was said then still holds, because
// nothing has changed since, and the call is made as it was: a look before it might find what it did itself.
func (m *machine) retry() Action {
	m.state.Retry, m.reason = false, "the person wants to try again"
	return m.advance()
}

// skip leaves a field out, where the workflow can do without it.
func (m *machine) skip(field string) Action {
	if field == "" {
		return m.misunderstood()
	}
	left := func(name string) bool {
		return m.known(name) || name != field && !slices.Contains(m.state.Skipped, name)
	}
	if !m.phase().enough.holds(left) {
		return m.say("this cannot be left out", m.reply(sayNeeded)+" "+m.question())
	}
	m.state.Skipped = append(m.state.Skipped, field)
	m.reason = "the person does not want to tell " + field
	return m.advance()
}

// change asks what is different: the field that was named, or which it is.
func (m *machine) change(name string) Action {
	m.follow(onRejected)
	m.state.Changing, m.state.Confirmed, m.state.Retry, m.state.Asked = true, false, false, ""
	m.state.Taken, m.state.Offers = false, nil
	if f := m.flow.field(name); f != nil && len(f.ask) > 0 {
		m.state.Asked = name
	}
	return m.say("the person wants a change", m.question())
}

// choose takes an answer to alternatives. It is not done when the text says something else.
func (m *machine) choose(all []found, r reading) (Action, bool) {
	offers, when := m.state.Offers, m.flow.when
	chosen := m.voice.ordinal(m.heard.words, len(offers))
	if said := m.valueFor(all, when.Time); chosen < 0 && said != "" && m.valueFor(all, when.Date) == "" {
		chosen = slices.IndexFunc(offers, func(offer Offer) bool { return offer[when.Time] == said })
	}
	if chosen >= 0 && r.declined && !r.whole {
		return Action{}, false
	}
	if chosen < 0 && len(offers) == 1 && r.consent && len(all) == 0 {
		chosen = 0
	}
	switch {
	case chosen >= 0:
		m.take(offers[chosen], all)
		m.state.Confirmed, m.reason = r.consent, "the person chose an alternative"
		return m.advance(), true
	case len(all) > 0:
		return Action{}, false
	case r.no || m.voice.whole(m.voice.neither, m.heard):
		m.state.Offers, m.state.Taken, m.state.Asked = nil, true, when.Date
		return m.say("no alternative fits", m.reply(sayNoOffer)), true
	case r.consent:
		return m.say("it is not said which alternative", m.question()), true
	}
	return Action{}, false
}

func (m *machine) valueFor(all []found, name string) string {
	for _, one := range all {
		if m.flow.fields[one.field].name == name {
			return one.value.Value
		}
	}
	return ""
}

// take puts an alternative into the fields, and what else was said beside it.
func (m *machine) take(offer Offer, all []found) {
	offered := func(one found) bool { return offer[m.flow.fields[one.field].name] != "" }
	m.apply(slices.DeleteFunc(slices.Clone(all), offered))
	for name, value := range offer {
		m.set(name, Value{Value: value, Text: m.heard.text})
	}
	m.state.Offers, m.state.Taken, m.state.Changing, m.state.Retry = nil, false, false, false
}

// anyWord says whether one of the words occurs in a text in lower case; of none, that it does.
func anyWord(words []string, lower string) bool {
	return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool { return strings.Contains(lower, word) })
}
