package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// advance goes as far as it can without another word of the person: to a question, a call or the end.
func (m *machine) advance() Action {
	for range len(m.flow.phases) + 1 {
		m.fillDefault()
		m.fillSoonest()
		p := m.phase()
		if to, ok := p.on[onEnough]; ok && !m.state.Changing && p.enough.holds(m.known) {
			asks, unclear := p.on[onUnclear]
			switch u := m.flow.phases[to].call; {
			case unclear && m.strange:
				to = asks
			case u != nil:
				return m.callUnasked(u)
			}
			m.state.Phase, m.state.Asked = m.flow.phases[to].name, ""
			continue
		}
		if m.passed() {
			m.state.Confirmed = false
			return m.say(m.reason, m.question())
		}
		if p.check != nil {
			if arguments, ready := m.arguments(p.check); ready && arguments != m.state.Checked {
				return m.call(p.check, Call{Arguments: json.RawMessage(arguments)})
			}
		}
		to, confirms := p.on[onConfirmed]
		u := m.flow.phases[to].call
		switch {
		case len(p.on) == 0:
			return m.complete(p)
		case !confirms || !m.state.Confirmed || !p.needs.holds(m.known):
			m.state.Confirmed = false
			return m.say(m.reason, m.question())
		case u == nil:
			m.follow(onConfirmed)
			return m.complete(m.phase())
		}
		if arguments, ready := m.arguments(u); ready {
			return m.call(u, Call{Arguments: json.RawMessage(arguments), Confirmed: true})
		}
		m.state.Confirmed = false
		return m.say("an argument of the tool is missing", m.question())
	}
	return m.say(m.reason, m.question()) // Compile refuses phases that never end
}

// callUnasked makes a call that waits for no yes, as soon as its moment is one to come.
func (m *machine) callUnasked(u *use) Action {
	arguments, ready := m.arguments(u)
	if m.passed() || !ready {
		return m.say(m.reason, m.question())
	}
	return m.call(u, Call{Arguments: json.RawMessage(arguments), Unasked: true})
}

func (m *machine) call(u *use, call Call) Action {
	call.Tool = u.Tool
	pending := call
	m.state.Pending = &pending
	return Action{Kind: CallTool, Call: &call, Reason: m.reason}
}

// arguments are the tool's, as JSON with sorted keys, and whether all that it requires are known.
func (m *machine) arguments(u *use) (string, bool) {
	object := make(map[string]any, len(u.names))
	for i, name := range u.names {
		t := u.arguments[i]
		text, known := t.write(m.raw)
		switch {
		case !known || text == "":
		case len(t) == 1 && t[0].format == "minutes":
			object[name] = json.Number(text)
		default:
			object[name] = text
		}
	}
	encoded, err := json.Marshal(object)
	missing := slices.ContainsFunc(u.Required, func(name string) bool { return object[name] == nil })
	return string(encoded), err == nil && !missing
}

// raw looks a field up for a tool.
func (m *machine) raw(name, format string) (string, bool) {
	value, ok := m.state.Fields[name]
	switch {
	case !ok || value.Value == "":
		return "", false
	case format == "minutes":
		return minutes(value.Value)
	case format == "title":
		first, size := utf8.DecodeRuneInString(value.Value)
		return string(unicode.ToUpper(first)) + value.Value[size:], true
	case format == "said":
		return value.Text, value.Text != ""
	}
	return value.Value, true
}

// took takes the result of the pending call.
func (m *machine) took() Action {
	call := *m.state.Pending
	m.state.Pending = nil
	p := m.phase()
	u := p.check
	if call.acts() {
		u = nil
		event := map[bool]string{true: onConfirmed, false: onEnough}[call.Confirmed]
		if to, ok := p.on[event]; ok {
			u, p = m.flow.phases[to].call, &m.flow.phases[to]
		}
	}
	if u == nil {
		return m.say("the workflow was changed during the call", m.question())
	}
	err := json.Unmarshal([]byte(m.input.Result.Content), &m.result)
	_, complained := m.result["error"]
	failed := err != nil || m.result == nil || m.input.Result.Failed || complained
	list, hasOffers := m.result[u.Offers].([]any)
	switch {
	case !failed && !call.acts() && (u.OK == "" || m.result[u.OK] == true):
		m.state.Checked, m.state.Soonest = string(call.Arguments), false
		m.reason = u.Tool + " found it free"
		return m.advance()
	case !failed && call.acts():
		m.state.Phase = p.name
		m.reason = u.Tool + " is done"
		return m.complete(p)
	case !failed && !call.acts() && m.nextFree(list):
		m.reason = "the first free time is taken, which was left to the workflow"
		return m.advance()
	case !failed || hasOffers:
		m.state.Confirmed, m.state.Checked, m.state.Taken = false, "", true
		m.state.Offers, m.state.Asked = m.offers(list), m.flow.when.Date
		return m.say("it is not free", m.reply(sayTaken)+" "+m.question())
	}
	m.state.Retry = true
	return m.say(u.Tool+" failed", m.reply(sayFailed))
}

// offers reads alternatives: objects with values for fields.
func (m *machine) offers(list []any) []Offer {
	var offers []Offer
	for _, one := range list {
		object, _ := one.(map[string]any)
		offer := Offer{}
		for i := range m.flow.fields {
			name := m.flow.fields[i].name
			if value, ok := object[name].(string); ok && value != "" && len(value) <= valueMax {
				offer[name] = value
			}
		}
		if len(offer) > 0 && len(offers) < offersMax {
			offers = append(offers, offer)
		}
	}
	return offers
}

// complete ends the workflow with its reply.
func (m *machine) complete(p *phase) Action {
	reply := m.write(p.reply.in(m.state.Language, 0))
	if reply == "" {
		reply = m.reply(sayDone)
	}
	return m.end(Completed, reply)
}

// end ends the workflow and goes on with the one that waited for it.
func (m *machine) end(how Ending, reply string) Action {
	action := Action{Kind: Done, Reply: reply, Facts: m.facts(), Reason: m.reason}
	if how == Abandoned {
		action.Kind, action.Reason = Cancelled, "the person cancelled"
	}
	parked := m.state.Parked
	m.state.Ended, m.state.Parked = how, nil
	m.state.Pending, m.state.Offers, m.state.Retry, m.state.Confirmed, m.state.Unsure = nil, nil, false, false, false
	for parked != nil {
		if flow := m.flow.set.Get(parked.Flow); flow != nil {
			language := m.state.Language
			m.flow, m.state = flow, parked.clone()
			m.state.At = m.input.Now
			m.speak(language)
			action.Kind = Say
			if !m.state.Resting {
				action.Reply += " " + m.reply(sayResumed) + " " + m.question()
			}
			maps.Copy(action.Facts, m.facts())
			break
		}
		parked = parked.Parked
	}
	return action
}

// fillDefault sets the date that nobody said: the next day that fits the time and the recurrence.
func (m *machine) fillDefault() {
	when := m.flow.when
	f := m.flow.field(when.Date)
	if f == nil || !f.next || !m.known(when.Time) {
		return
	}
	if value, known := m.state.Fields[f.name]; known && value.Text != "" {
		return
	}
	date := nextDate(m.input.Now, m.state.Fields[when.Time].Value, m.state.Fields[when.Recurrence].Value)
	m.set(f.name, Value{Value: date, Approximate: true})
}

var weekdayCodes = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// nextDate is the first day from now on, at that time, that a recurrence by weekdays or by days of the month allows.
func nextDate(now time.Time, clock, recurrence string) string {
	year, month, day := now.Date()
	at := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	if clock <= now.Format(layoutTime) {
		at = at.AddDate(0, 0, 1)
	}
	by := map[string][]string{}
	for part := range strings.SplitSeq(recurrence, ";") {
		name, list, _ := strings.Cut(part, "=")
		by[name] = strings.Split(list, ",")
	}
	allows := func(name, day string) bool { return by[name] == nil || slices.Contains(by[name], day) }
	const searchMax = 62 // days; two months have every day of a month that most months have
	for i := range searchMax {
		next := at.AddDate(0, 0, i)
		last := next.AddDate(0, 0, 1).Day() == 1 && allows("BYMONTHDAY", "-1")
		if allows("BYDAY", weekdayCodes[next.Weekday()]) && (last || allows("BYMONTHDAY", fmt.Sprint(next.Day()))) {
			return next.Format(layoutDate)
		}
	}
	return at.Format(layoutDate)
}
