package workflow

import (
	"slices"
	"time"
)

// This file finds a time when the person leaves it to the workflow: "as soon as possible". The first one within the
// hours of Moment.Soonest is looked at; where the check finds it taken, the first alternative is. A yes is asked for as
// always.

// slot is what such a time is a multiple of.
const slot = 30 * time.Minute

// leaves looks for the words that leave a time to the workflow.
func (m *machine) leaves() (start, end int, ok bool) {
	if m.flow.when.Soonest == nil {
		return 0, 0, false
	}
	words := m.heard.words
	for i := range words {
		n := m.voice.soonest.at(words[i:])
		if n == 0 || i > 0 && m.voice.reject.at(words[i-1:]) == 1 {
			continue
		}
		last := i + n - 1
		return m.heard.starts[i], m.heard.starts[last] + len(words[last]), true
	}
	return 0, 0, false
}

// leave adds the day and the time that the person left to the workflow.
func (m *machine) leave(all []found) []found {
	start, end, ok := m.leaves()
	if !ok {
		return all
	}
	when := m.flow.when
	if m.state.Taken || m.state.Changing { // what was known is not wanted any more
		delete(m.state.Fields, when.Date)
		delete(m.state.Fields, when.Time)
	}
	said := map[string]Value{when.Date: m.state.Fields[when.Date], when.Time: m.state.Fields[when.Time]}
	for _, one := range all {
		said[m.flow.fields[one.field].name] = one.value
	}
	date, clock, ok := m.flow.when.Soonest.first(m.input.Now, said[when.Date], said[when.Time])
	if !ok {
		return all
	}
	for i := range m.flow.fields {
		name := m.flow.fields[i].name
		value, open := map[string]string{when.Date: date, when.Time: clock}[name]
		if open && said[name].Text == "" {
			m.left = true
			all = append(all, found{field: i, value: Value{Value: value, Approximate: true}, start: start, end: end})
		}
	}
	return all
}

// fillSoonest keeps a time that was left to the workflow ahead of the clock until the check has looked at it.
func (m *machine) fillSoonest() {
	when := m.flow.when
	if !m.state.Soonest || when.Soonest == nil {
		return
	}
	m.state.Confirmed = false // nobody heard this time yet
	date, clock, ok := when.Soonest.first(m.input.Now, m.state.Fields[when.Date], m.state.Fields[when.Time])
	if !ok {
		return
	}
	for name, value := range map[string]string{when.Date: date, when.Time: clock} {
		if m.state.Fields[name].Text == "" {
			m.set(name, Value{Value: value, Approximate: true})
		}
	}
}

// first is the first moment of the hours that fits what was said; a value without a text was not.
func (h *Hours) first(now time.Time, date, clock Value) (day, at string, ok bool) {
	_, minute, second := now.Clock()
	into := time.Duration(minute)*time.Minute%slot + time.Duration(second)*time.Second + time.Duration(now.Nanosecond())
	soon := now.Add(slot - into) // the next one, never now
	day, at = soon.Format(layoutDate), max(soon.Format(layoutTime), h.From)
	switch {
	case date.Text != "" && clock.Text != "":
		return date.Value, clock.Value, true
	case clock.Text != "":
		return nextDate(now, clock.Value, ""), clock.Value, true
	case date.Text != "" && date.Value != day:
		return date.Value, h.From, true
	case at >= h.Until && date.Text != "":
		return "", "", false // today's hours are over
	case at >= h.Until:
		return soon.AddDate(0, 0, 1).Format(layoutDate), h.From, true
	}
	return day, at, true
}

// nextFree takes the first of the alternatives where the person left the time to the workflow.
func (m *machine) nextFree(list []any) bool {
	if !m.state.Soonest {
		return false
	}
	m.state.Soonest = false
	when := m.flow.when
	moment := func(offer Offer) string { return offer[when.Date] + "T" + offer[when.Time] }
	wanted := m.state.Fields[when.Date].Value + "T" + m.state.Fields[when.Time].Value
	var best Offer
	for _, offer := range m.offers(list) {
		fits := offer[when.Date] != "" && offer[when.Time] >= when.Soonest.From && offer[when.Time] < when.Soonest.Until
		for name, value := range offer { // what the person said stays
			fits = fits && (m.state.Fields[name].Text == "" || m.state.Fields[name].Value == value)
		}
		if fits && moment(offer) > wanted && (best == nil || moment(offer) < moment(best)) {
			best = offer
		}
	}
	for name, value := range best {
		m.set(name, Value{Value: value, Approximate: true})
	}
	return best != nil
}

// soonest checks where such a time can be looked for.
func (c *compiler) soonest(d Definition) {
	hours := d.When.Soonest
	if hours == nil {
		return
	}
	for field, clock := range map[string]string{"from": hours.From, "until": hours.Until} {
		if _, err := time.Parse(layoutTime, clock); err != nil {
			c.complain("when.soonest."+field, "must be a time such as \"09:00\", not %q", clock)
		}
	}
	if hours.From >= hours.Until {
		c.complain("when.soonest", "must begin before it ends")
	}
	for field, name := range map[string]string{"date": d.When.Date, "time": d.When.Time} {
		if name == "" {
			c.complain("when.soonest", "needs when.%s, the field of it", field)
		}
	}
	if !slices.ContainsFunc(d.Phases, func(p Phase) bool { return p.Check != nil && p.Check.Offers != "" }) {
		c.complain("when.soonest", "needs a phase with a check that offers alternatives")
	}
}
