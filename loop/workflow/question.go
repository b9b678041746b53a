package workflow

import (
	"slices"
	"strings"
)

// say answers and keeps the workflow open.
func (m *machine) say(reason, reply string) Action {
	return Action{Kind: Say, Reply: reply, Facts: m.facts(), Reason: reason}
}

// question is what the person is asked next, and remembers which field it asks for.
func (m *machine) question() string {
	when := m.flow.when
	p := m.phase()
	switch {
	case len(m.state.Offers) == 1:
		return m.reply(sayOfferOne)
	case len(m.state.Offers) > 1:
		return m.reply(sayOffer)
	case m.state.Taken:
		return m.reply(sayNoOffer)
	case m.state.Changing:
		if m.state.Asked != "" {
			return m.ask(m.state.Asked)
		}
		return m.reply(sayChanging)
	case m.passed():
		m.state.Asked = when.Date
		return m.reply(sayPast)
	}
	if m.confirms() {
		if missing := m.missing(p.needs); missing != "" {
			return strings.TrimSpace(m.write(p.summary.in(m.state.Language, 0)) + " " + m.ask(missing))
		}
		m.state.Asked = ""
		return m.write(p.ask.in(m.state.Language, m.count("phase "+p.name)))
	}
	switch missing := m.missing(p.enough); {
	case missing != "":
		return m.ask(missing)
	case m.state.Unsure:
		return m.reply(sayInterrupted)
	case m.state.Retry: // all is known, and what it led to failed
		return m.reply(sayFailed)
	}
	return m.write(p.ask.in(m.state.Language, m.count("phase "+p.name)))
}

// missing is the next field to ask for: in the order of the fields, those that were skipped last.
func (m *machine) missing(c condition) string {
	if c.holds(m.known) {
		return ""
	}
	names, skipped := c.fields(), ""
	for i := range m.flow.fields {
		f := &m.flow.fields[i]
		switch {
		case !slices.Contains(names, f.name) || m.known(f.name) || len(f.ask) == 0:
		case !slices.Contains(m.state.Skipped, f.name):
			return f.name
		case skipped == "":
			skipped = f.name
		}
	}
	return skipped
}

func (m *machine) ask(name string) string {
	m.state.Asked = name
	return m.write(m.flow.field(name).ask.in(m.state.Language, m.count(name)))
}

// count is how often this was said before.
func (m *machine) count(key string) int {
	if m.state.Asks == nil {
		m.state.Asks = map[string]int{}
	}
	n := m.state.Asks[key]
	m.state.Asks[key] = (n + 1) % wordingsMax
	return n
}

// reply is one of the replies that every language has, in the workflow's own words where it has some.
func (m *machine) reply(name string) string {
	n := m.count("say " + name)
	if own := m.flow.replies[name]; own != nil {
		return m.write(own.in(m.state.Language, n))
	}
	list := m.voice.replies[name]
	return m.write(list[n%len(list)])
}

func (m *machine) write(t template) string {
	text, _ := t.write(m.look)
	return strings.Join(strings.Fields(text), " ")
}

// look finds what a reply refers to, as it is spoken.
func (m *machine) look(name, format string) (string, bool) {
	if member, ok := strings.CutPrefix(name, "result."); ok || name == "error" {
		text, ok := m.result[member].(string)
		return oneLine(text), ok && text != ""
	}
	if name == "offers" {
		return m.spokenOffers(), len(m.state.Offers) > 0
	}
	if format != "" {
		return m.raw(name, format)
	}
	value, known := m.state.Fields[name]
	if !known || value.Value == "" {
		return "", false
	}
	return m.voice.spoken(m.flow.field(name).kind, value, m.input.Now), true
}

func (m *machine) spokenOffers() string {
	list := make([]string, len(m.state.Offers))
	for i, offer := range m.state.Offers {
		date, clock := offer[m.flow.when.Date], offer[m.flow.when.Time]
		if date == "" {
			date = m.state.Fields[m.flow.when.Date].Value
		}
		list[i], _ = m.voice.offerTime.write(m.voice.moment(date, clock, m.input.Now))
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + m.voice.Or + " " + list[len(list)-1]
}

// facts are what a reply may say: the fields as they are spoken, and the tool's result.
func (m *machine) facts() map[string]any {
	facts := make(map[string]any, len(m.state.Fields)+2)
	for name, value := range m.state.Fields {
		if f := m.flow.field(name); f != nil {
			facts[name] = m.voice.spoken(f.kind, value, m.input.Now)
		}
	}
	if m.result != nil {
		facts["result"] = m.result
	}
	if len(m.state.Offers) > 0 {
		facts["offers"] = m.spokenOffers()
	}
	return facts
}
