package workflow

import "time"

// This file lets an open question rest that was asked again beside other topics often enough. The workflow keeps what
// it knows until it expires, and goes on when the person returns to it; a yes that comes meanwhile may be meant for
// somebody else.

// digression leaves the text to others. The question follows their answer, at most digressionsMax times in a row.
func (m *machine) digression() Action {
	action := Action{Kind: Digression, Reason: "the text is not for the workflow"}
	if m.state.Digressions >= digressionsMax {
		m.state.Resting, action.Reason = true, "the text is not for the workflow, which rests"
	} else {
		m.state.Digressions++
		action.Reply = m.question()
	}
	action.Facts = m.facts()
	return action
}

// resting hears a text while the question rests. Nothing runs by it.
func (m *machine) resting() Action {
	if m.cancels() {
		return m.end(Abandoned, m.reply(sayCancelled))
	}
	own, _ := m.flow.triggered(m.heard.lower, m.state.Language)
	if action, done := m.switchTo(); done {
		return action
	}
	m.bare = m.asksFree() || m.voice.bare(m.heard) // nothing said to others is a free answer
	all := m.find()
	r := m.read(all)
	switch {
	case own:
		all = m.counted(all, r)
	case m.returns():
		all = nil
	case r.consent || !r.strange && (r.declined || len(all) > 0): // it may be an answer: the question comes first
	default:
		m.state.At = m.before
		return Action{Kind: Digression, Facts: m.facts(), Reason: "the workflow rests"}
	}
	m.state.Resting, m.state.Digressions, m.state.Confirmed = false, 0, false
	m.apply(m.near(all))
	m.reason = "the person returns to the workflow"
	if m.state.Retry {
		return m.say(m.reason, m.question())
	}
	return m.advance()
}

// returns says whether the text returns to what rests: "back to the appointment".
func (m *machine) returns() bool {
	words := m.voice.trim(m.heard.words)
	n := m.voice.back.at(words)
	topic := m.flow.triggers[m.state.Language]
	named := topic != nil && len(topic.keywords) > 0 && anyWord(topic.keywords, m.heard.lower)
	return n > 0 && (n == len(words) || named)
}

// counted are the values of a text that count. Where all is shown and a yes is waited for, only what is stated as the
// new value changes it: "not on Tuesday" has a day in it that is none.
func (m *machine) counted(all []found, r reading) []found {
	s := &m.state
	if !m.confirms() || m.left || s.Taken || s.Changing || len(s.Offers) > 0 {
		return all
	}
	whole := m.phase().needs.holds(m.known)
	var counted []found
	for k, one := range all {
		if !m.cut() && (r.stated&(1<<k) != 0 || !whole && !m.known(m.flow.fields[one.field].name)) {
			counted = append(counted, one)
		}
	}
	return counted
}

// near reads a weekday as the one that is near the date on offer. Where that is not the next one from now, the person
// has to say whether it is meant.
func (m *machine) near(all []found) []found {
	name := m.flow.when.Date
	offered, err := time.Parse(layoutDate, m.state.Fields[name].Value)
	if err != nil || !m.confirms() && !m.state.Changing {
		return all
	}
	const week = 7 * 24 * time.Hour
	for k, one := range all {
		said, err := time.Parse(layoutDate, one.value.Value)
		away := said.Sub(offered).Abs()
		weekday := m.flow.fields[one.field].name == name && m.voice.isWeekday(hear(one.value.Text).words)
		if err != nil || away < week || !weekday {
			continue
		}
		days := (int(said.Weekday()) - int(offered.Weekday()) + 7) % 7
		if days == 0 && m.state.Changing {
			continue // it is not that day which is wanted
		}
		all[k].value.Value = offered.AddDate(0, 0, days).Format(layoutDate)
		m.far = true
	}
	return all
}

// isWeekday says whether words are the name of a weekday and nothing else but what leads to it.
func (v *voice) isWeekday(words []string) bool { return v.days.whole(words[skip(words, v.lead):]) }
