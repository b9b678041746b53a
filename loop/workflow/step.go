package workflow

import (
	"maps"
	"slices"
	"time"
)

// machine is one step: a copy of the state, and what it is made from.
type machine struct {
	flow    *Flow
	voice   *voice
	state   State
	input   Input
	heard   utterance
	left    bool           // the text leaves the time to the workflow
	bare    bool           // the text is a yes, a no or the like, and nothing else
	turned  bool           // the text is in another language than the question before it
	far     bool           // a weekday was said that is not near the date on offer
	strange bool           // the text has words that are nothing the phase knows, such as "read it back to me"
	before  time.Time      // of the step before
	result  map[string]any // of the tool, for replies
	reason  string
}

// Step interprets one text, or the result of the call that the action before asked for. Where state names another flow
// of the same set than flow, because a workflow was parked, that one is meant. A flow that is nil is one that is gone:
// its workflow expires.
func Step(flow *Flow, state State, input Input) (State, Action) {
	if flow != nil && !input.Start && state.Flow != "" && state.Flow != flow.name {
		flow = flow.set.Get(state.Flow)
	}
	if flow == nil {
		state.Ended, state.Pending, state.Parked = TimedOut, nil, nil
		return state, Action{Kind: Expired, Reason: "the workflow does not exist any more"}
	}
	m := &machine{flow: flow, state: state.clone(), input: input, heard: hear(input.Text), before: state.At}
	m.speak(input.Language)
	action := m.step()
	if action.Reason == "" {
		action.Reason = m.reason
	}
	return m.state, action
}

// clone is a copy that may be changed.
func (s State) clone() State {
	s.Fields, s.Asks, s.Skipped = maps.Clone(s.Fields), maps.Clone(s.Asks), slices.Clone(s.Skipped)
	return s
}

// speak chooses the language: that of the text, or that of the step before.
func (m *machine) speak(language string) {
	before := m.state.Language
	if base := baseLanguage(language); m.flow.set.voices[base] != nil {
		m.state.Language = base
	}
	m.voice = m.flow.set.voice(m.state.Language)
	m.state.Language = m.voice.Language
	m.turned = before != "" && before != m.state.Language
}

func (m *machine) step() Action {
	switch {
	case m.input.Result != nil && m.state.Open() && m.state.Pending != nil:
		m.state.At = m.input.Now
		return m.took()
	case m.input.Result != nil:
		return Action{Kind: Expired, Reason: "no call waits for this result"}
	case m.input.Start:
		return m.start()
	case !m.state.Open():
		return Action{Kind: Expired, Reason: "no workflow is open"}
	case m.input.Now.Sub(m.state.At) > m.flow.timeout && !m.state.unknown():
		m.state.Ended, m.state.Parked, m.state.Pending = TimedOut, nil, nil
		return Action{Kind: Expired, Reason: "the person was silent for too long"}
	}
	m.state.At = m.input.Now
	if m.state.Pending != nil {
		unknown, agreed := m.state.unknown(), m.state.Pending.Confirmed
		m.state.Pending = nil
		if unknown {
			m.state.Retry, m.state.Confirmed, m.state.Unsure = true, agreed && !m.voice.reject.in(m.heard.words), true
			if !m.cancels() {
				return m.say("the call before was interrupted", m.reply(sayInterrupted))
			}
		}
	}
	return m.hear()
}

// unknown says whether a call that acts was made and its result never came; the person has yet to be told.
func (s *State) unknown() bool { return s.Pending != nil && s.Pending.acts() }

// start opens the flow. A workflow that is open waits until this one has ended.
func (m *machine) start() Action {
	fresh := State{Flow: m.flow.name, Language: m.state.Language, At: m.input.Now}
	if m.state.Open() {
		if waiting := m.waiting(); len(waiting) > parkedMax || slices.Contains(waiting, m.flow.name) {
			if open := m.flow.set.Get(m.state.Flow); open != nil {
				m.flow = open
				return m.say("the workflow waits already, or too many do", m.question())
			}
		}
		old := m.state
		old.Pending, old.Confirmed = nil, false // a yes does not outlast another topic
		fresh.Parked = &old
	}
	m.state = fresh
	m.begin()
	m.reason = "the workflow was asked for"
	m.apply(m.find())
	return m.advance()
}

// waiting lists the workflows that are open: this one, and those that it was opened in.
func (m *machine) waiting() []string {
	names := []string{m.state.Flow}
	for s := m.state.Parked; s != nil; s = s.Parked {
		names = append(names, s.Flow)
	}
	return names
}

// begin is where a workflow is once it was asked for.
func (m *machine) begin() {
	m.state.Phase = m.flow.phases[0].name
	m.follow(onTriggered)
}

// follow goes where an event leads from the phase, if anywhere.
func (m *machine) follow(event string) {
	if to, ok := m.phase().on[event]; ok {
		m.state.Phase = m.flow.phases[to].name
	}
}

// phase is the current one. A flow that was changed meanwhile may not have it; then the workflow begins again, with
// what is known.
func (m *machine) phase() *phase {
	at := slices.IndexFunc(m.flow.phases, func(p phase) bool { return p.name == m.state.Phase })
	if at < 0 {
		m.begin()
		return m.phase()
	}
	return &m.flow.phases[at]
}

func (m *machine) known(name string) bool {
	value, ok := m.state.Fields[name]
	return ok && value.Value != ""
}

// hear interprets a text of the person.
func (m *machine) hear() Action {
	if m.state.Resting {
		return m.resting()
	}
	if len(m.heard.words) == 0 {
		return m.say("nothing was said", m.question())
	}
	if action, done := m.steer(); done {
		m.state.Digressions = 0
		return action
	}
	if name := m.refuses(); name != "" {
		if action, done := m.refuse(name); done {
			m.state.Digressions = 0
			return action
		}
	}
	m.bare = m.voice.bare(m.heard)
	all := m.find()
	r := m.answer(all)
	if !m.left && !r.consent && m.voice.digresses(m.heard, len(all) > 0, m.asksFree()) {
		return m.digression()
	}
	m.state.Digressions = 0
	if len(m.state.Offers) > 0 {
		if action, done := m.choose(all, r); done {
			return action
		}
	}
	wasTaken := m.state.Taken
	all = m.near(m.counted(all, r))
	if _, ok := m.phase().on[onUnclear]; ok {
		m.strange = m.read(all).strange &&
			!m.voice.correct.in(m.heard.words) // a value that was corrected has words of its own
	}
	did := m.apply(all)
	if m.confirms() {
		return m.answered(r, did, wasTaken)
	}
	switch {
	case did.any():
		m.reason = "the text tells what was missing"
		return m.advance()
	case m.state.Retry && m.state.Unsure && (r.consent || len(all) > 0):
		return m.say("neither a yes nor what was known says that the call shall be made again", m.reply(sayInterrupted))
	case m.state.Retry && r.consent:
		return m.retry()
	case m.state.Changing && (r.consent || m.voice.whole(m.voice.skip, m.heard)):
		m.state.Changing, m.reason = false, "the person wants no change after all"
		return m.advance()
	case m.voice.whole(m.voice.skip, m.heard):
		return m.skip(m.state.Asked)
	case len(all) > 0:
		m.reason = "the text tells what was known"
		return m.advance()
	}
	if name := m.calledField(); name != "" {
		return m.change(name)
	}
	return m.misunderstood()
}

// confirms says whether the phase is one in which a yes counts.
func (m *machine) confirms() bool {
	_, confirms := m.phase().on[onConfirmed]
	return confirms
}

// answer reads the text as an answer to what a yes answers; elsewhere it says nothing.
func (m *machine) answer(all []found) reading {
	if !m.confirms() && len(m.state.Offers) == 0 && !m.state.Changing && !m.state.Retry {
		return reading{}
	}
	return m.read(all)
}

// answered is what a text does where a yes is waited for.
func (m *machine) answered(r reading, did applied, wasTaken bool) Action {
	m.state.Confirmed = m.state.Confirmed && m.state.Retry
	switch {
	case m.state.Retry && r.consent && m.state.Unsure:
		return m.say("a yes does not say that the call shall be made again", m.reply(sayInterrupted))
	case m.state.Retry && r.consent:
		return m.retry()
	case r.consent && wasTaken && !did.any():
		return m.say("a yes to what is not free", m.question())
	case r.consent && (did.vague || m.left || m.far):
		m.reason = "a yes with a change that was not said outright"
		return m.advance()
	case r.consent:
		m.state.Confirmed, m.reason = true, "the person said yes"
		return m.advance()
	case did.any():
		m.reason = "the text tells something new"
		return m.advance()
	case r.no || r.but || (r.declined || !r.agreed) && m.calledField() != "":
		return m.change(m.calledField())
	case m.state.Asked != "" && m.voice.whole(m.voice.skip, m.heard):
		return m.say("this cannot be left out", m.reply(sayNeeded)+" "+m.question())
	}
	return m.misunderstood()
}

func (m *machine) misunderstood() Action {
	switch {
	case m.voice.hold.in(m.heard.words):
		return m.say("the person wants to wait", m.reply(sayWaiting))
	case m.shown():
		return m.say("the text is no yes to all that it says", m.reply(sayOpen)+" "+m.question())
	}
	return m.say("the text tells nothing that is asked for", m.reply(sayMisunderstood)+" "+m.question())
}

// shown says whether the last question was the one that a yes answers.
func (m *machine) shown() bool {
	s := &m.state
	return m.confirms() && s.Asked == "" && !s.Retry && !s.Taken && !s.Changing && len(s.Offers) == 0
}

// asksFree says whether the last question can be answered by any text.
func (m *machine) asksFree() bool {
	f := m.flow.field(m.state.Asked)
	return f != nil && f.kind == freeKind
}

func (f *Flow) field(name string) *field {
	if i := slices.IndexFunc(f.fields, func(f field) bool { return f.name == name }); i >= 0 {
		return &f.fields[i]
	}
	return nil
}

// calledField is the one field that the text names, or empty.
func (m *machine) calledField() string {
	var names []string
	for _, f := range m.flow.fields {
		if f.called[m.state.Language].in(m.heard.words) {
			names = append(names, f.name)
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// passed says whether the moment that the fields name is over.
func (m *machine) passed() bool {
	when := m.flow.when
	said := m.state.Fields[when.Date].Value + "T" + m.state.Fields[when.Time].Value
	at, err := time.ParseInLocation(layoutDatetime, said, m.input.Now.Location())
	return err == nil && !at.After(m.input.Now) && !m.known(when.Recurrence)
}
