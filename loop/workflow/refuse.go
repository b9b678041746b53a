package workflow

// This file hears that the person does not want to tell a detail: "I'd rather not give my address". Such a text names
// the detail, or means the one that was asked for, and says nothing else.

// refuses gives the field that the person does not want to tell, or empty.
func (m *machine) refuses() string {
	v, words, name, refused := m.voice, m.heard.words, "", false
	for i := 0; i < len(words); {
		n := v.refuse.at(words[i:])
		refused = refused || n > 0
		if n == 0 {
			field, length := m.calledAt(words[i:])
			if length > 0 && name != "" && field != name {
				return ""
			} else if length > 0 {
				name, n = field, length
			}
		}
		if n = max(n, longest(words[i:], v.refuseWith, v.filler)); n == 0 {
			return ""
		}
		i += n
	}
	switch {
	case !refused:
		return ""
	case name == "":
		return m.state.Asked
	}
	return name
}

// calledAt is the field whose name the words begin with, by the longest name, and how many words that is.
func (m *machine) calledAt(words []string) (name string, length int) {
	for i := range m.flow.fields {
		f := &m.flow.fields[i]
		if n := f.called[m.state.Language].at(words); n > length {
			name, length = f.name, n
		}
	}
	return name, length
}

// refuse leaves a field out that the person does not want to tell. It reports whether the text is dealt with.
func (m *machine) refuse(name string) (Action, bool) {
	f := m.flow.field(name)
	switch {
	case f == nil || m.known(name) || m.state.Changing || len(m.state.Offers) > 0:
		return Action{}, false
	case !m.confirms():
		return m.skip(name), true
	case !m.phase().needs.holds(func(field string) bool { return field != name }):
		return m.say("this cannot be left out", m.reply(sayNeeded)+" "+m.question()), true
	}
	return m.say("the person does not want to tell "+name, m.question()), true
}
