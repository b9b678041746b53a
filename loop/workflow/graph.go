package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The events that lead from phase to phase. All but enough come from the person.
const (
	onTriggered = "triggered"
	onEnough    = "enough"
	onConfirmed = "confirmed"
	onRejected  = "rejected"
	onUnclear   = "unclear"
)

var events = []string{onTriggered, onEnough, onConfirmed, onRejected, onUnclear}

// isPhaseName says whether name is of capitals and _, a capital first.
func isPhaseName(name string) bool {
	const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return name != "" && name[0] != '_' && strings.Trim(name, capitals+"_") == ""
}

// phases makes the phases ready and checks that the dialogue can end and that each phase has a way to it.
func (c *compiler) phases(from []Phase, fields []string) []phase {
	names := make([]string, len(from))
	for i, p := range from {
		names[i] = p.Name
		if !isPhaseName(p.Name) || slices.Contains(names[:i], p.Name) {
			c.complain(fmt.Sprintf("phases[%d].name", i), "a phase needs a name of its own, in capitals, not %q", p.Name)
		}
	}
	ready := make([]phase, len(from))
	for i, p := range from {
		ready[i] = c.phase(fmt.Sprintf("phases[%d]", i), p, names, fields)
	}
	if len(from) == 0 {
		c.complain("phases", "a workflow needs phases")
		return ready
	}
	c.reachable(ready)
	c.cycles(ready)
	return ready
}

func (c *compiler) phase(at string, p Phase, names, fields []string) phase {
	ready := phase{name: p.Name, on: map[string]int{}}
	ready.enough = c.condition(at+".enough", p.Enough, fields)
	ready.needs = c.condition(at+".needs", p.Needs, fields)
	ready.summary = c.texts(at+".summary", p.Summary, fields)
	ready.ask = c.texts(at+".ask", p.Ask, fields)
	ready.reply = c.texts(at+".reply", p.Reply, fields)
	ready.check = c.use(at+".check", p.Check, fields)
	ready.call = c.use(at+".call", p.Call, fields)
	for _, event := range slices.Sorted(maps.Keys(p.On)) {
		if !slices.Contains(events, event) {
			c.unknown(at+".on."+event, "event", event, events)
		}
		to := slices.Index(names, p.On[event])
		if to < 0 {
			c.unknown(at+".on."+event, "phase", p.On[event], names)
			continue
		}
		ready.on[event] = to
	}
	_, collects := ready.on[onEnough]
	_, confirms := ready.on[onConfirmed]
	_, doubts := ready.on[onUnclear]
	switch {
	case doubts && !collects:
		c.complain(at+".on.unclear", "takes the place of enough, which is missing")
	case collects && confirms:
		c.complain(at+".on", "a phase waits for enough or for confirmed, not for both")
	case collects && p.Enough == "":
		c.complain(at+".enough", "is missing; say which fields are enough, such as: name and (address or time)")
	case confirms && len(p.Ask) == 0:
		c.complain(at+".ask", "is missing; confirmed answers this question")
	case len(p.On) > 0 && p.Call != nil:
		c.complain(at+".call", "a tool that acts belongs to a last phase, which has no on")
	case len(p.On) == 0 && p.Check != nil:
		c.complain(at+".check", "belongs to a phase before the last one")
	case p.Check != nil && p.Check.Unasked:
		c.complain(at+".check.unasked", "belongs to call; nobody is asked before a check")
	}
	return ready
}

func (c *compiler) condition(at, text string, fields []string) condition {
	parsed, err := parseCondition(text)
	if err != nil {
		c.complain(at, "%w", err)
	}
	for _, name := range parsed.fields() {
		if !slices.Contains(fields, name) {
			c.unknown(at, "field", name, fields)
		}
	}
	return parsed
}

func (c *compiler) use(at string, u *Use, fields []string) *use {
	if u == nil {
		return nil
	}
	ready := &use{Use: u, names: slices.Sorted(maps.Keys(u.Arguments))}
	if u.Tool == "" {
		c.complain(at+".tool", "is missing")
	}
	for _, name := range ready.names {
		ready.arguments = append(ready.arguments, c.template(at+".arguments."+name, u.Arguments[name], fields))
	}
	for i, name := range u.Required {
		if !slices.Contains(ready.names, name) {
			c.unknown(fmt.Sprintf("%s.required[%d]", at, i), "argument", name, ready.names)
		}
	}
	return ready
}

// reachable complains about phases that no event leads to, about a workflow without an end, and about a tool that would
// act without a yes.
func (c *compiler) reachable(phases []phase) {
	reached := make([]bool, len(phases))
	var visit func(i int)
	visit = func(i int) {
		if reached[i] {
			return
		}
		reached[i] = true
		for _, to := range phases[i].on {
			visit(to)
		}
	}
	visit(0)
	ends := false
	for i, p := range phases {
		at := fmt.Sprintf("phases[%d]", i)
		if !reached[i] {
			c.complain(at+".name", "phase %s cannot be reached from %s", p.name, phases[0].name)
		}
		ends = ends || reached[i] && len(p.on) == 0
		for event, to := range p.on {
			allowed := "confirmed"
			if call := phases[to].call; call == nil || event == onConfirmed || event == onEnough && call.Unasked {
				continue
			} else if call.Unasked {
				allowed += " or enough"
			}
			c.complain(at+".on."+event, "phase %s calls a tool that acts; only %s may lead there", phases[to].name, allowed)
		}
	}
	if phases[0].call != nil {
		c.complain("phases[0].call", "the first phase has nobody's yes")
	}
	if !ends {
		c.complain("phases", "the workflow has no end: every phase has an on")
	}
}

// unasked complains about calls without a yes that enough does not make whole: nothing would be asked, and nothing
// done.
func (c *compiler) unasked(flow *Flow) {
	for i, p := range flow.phases {
		to, ok := p.on[onEnough]
		if !ok || flow.phases[to].call == nil {
			continue
		}
		u := flow.phases[to].call
		for j, name := range u.names {
			if !slices.Contains(u.Required, name) {
				continue
			}
			u.arguments[j].names(func(needed, _ string) {
				f := flow.field(needed)
				if f != nil && !f.next && p.enough.holds(func(field string) bool { return field != needed }) {
					c.complain(fmt.Sprintf("phases[%d].enough", i), "phase %s calls %s, which needs %s",
						flow.phases[to].name, u.Tool, needed)
				}
			})
		}
	}
}

// cycles complains about phases that lead into each other without a word of the person.
func (c *compiler) cycles(phases []phase) {
	for i := range phases {
		names := []string{phases[i].name}
		at, moves := phases[i].on[onEnough]
		for moves && at > i && len(names) <= len(phases) { // a cycle is told at its first phase
			names = append(names, phases[at].name)
			at, moves = phases[at].on[onEnough]
		}
		if moves && at == i {
			c.complain(fmt.Sprintf("phases[%d].on.%s", i, onEnough), "a cycle without input: %s lead into each other",
				strings.Join(names, ", "))
		}
	}
}
