package workflow

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Error says what is wrong with one definition or with one speech.
type Error struct {
	Speech bool   // Index is in the list of speeches
	Index  int    // in the list given to Compile
	Field  string // such as "phases[2].on.enough"
	Err    error

	// Name is none of the Known, one of which may have been meant; empty where the mistake is another.
	Name  string
	Known []string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Compile checks definitions, which it may keep, and makes them ready. A definition with a mistake is left out, and the
// others work; the error joins an *[Error] for every mistake. A later definition or speech replaces an earlier one of
// the same name or language. Without a speech there is no workflow.
func Compile(definitions []Definition, speeches []Speech, extractors map[string]Extractor) (*Flows, error) {
	set := &Flows{flows: map[string]*Flow{}, voices: map[string]*voice{}, extractors: extractors}
	errs := set.hear(speeches)
	for i, definition := range definitions {
		c := compiler{extractors: extractors, checked: definition.Checked}
		if flow := c.flow(definition); len(c.errs) == 0 && len(set.voices) > 0 {
			flow.set = set
			set.flows[flow.name] = flow
		}
		for _, err := range c.errs {
			err.Index = i
			errs = append(errs, err)
		}
	}
	set.names = slices.Sorted(maps.Keys(set.flows))
	return set, errors.Join(errs...)
}

type compiler struct {
	extractors map[string]Extractor
	checked    bool
	errs       []*Error
}

func (c *compiler) complain(field, format string, values ...any) {
	c.errs = append(c.errs, &Error{Field: field, Err: fmt.Errorf(format, values...)})
}

// unknown complains about a name that is none of those that exist.
func (c *compiler) unknown(field, what, name string, known []string) {
	c.errs = append(c.errs, &Error{Field: field, Err: fmt.Errorf("there is no %s %q", what, name), Name: name, Known: known})
}

func (c *compiler) flow(d Definition) *Flow {
	flow := &Flow{name: d.Name, timeout: d.Timeout, when: d.When, guard: d.Guard}
	if d.Name == "" {
		c.complain("workflow", "the name is missing")
	}
	if d.Timeout == 0 {
		flow.timeout = DefaultTimeout
	} else if d.Timeout < 0 {
		c.complain("timeout", "must be longer than 0")
	}
	if len(d.Fields) > fieldsMax || len(d.Phases) > phasesMax {
		c.complain("fields", "a workflow has at most %d fields and %d phases", fieldsMax, phasesMax)
		return flow
	}
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = f.Name
		if f.Name == "" || slices.Contains(names[:i], f.Name) {
			c.complain(fmt.Sprintf("fields[%d]", i), "a field needs a name of its own")
		}
	}
	for i, f := range d.Fields {
		flow.fields = append(flow.fields, c.field(fmt.Sprintf("fields[%d]", i), f, names))
	}
	for i, name := range []string{d.When.Date, d.When.Time, d.When.Recurrence} {
		if name != "" && !slices.Contains(names, name) {
			c.unknown("when."+[]string{"date", "time", "recurrence"}[i], "field", name, names)
		}
	}
	c.soonest(d)
	flow.triggers = c.triggers(d.Triggers)
	flow.speaks = slices.Sorted(maps.Keys(d.Triggers))
	flow.phases = c.phases(d.Phases, names)
	c.askable(flow)
	c.unasked(flow)
	flow.cancel = phrasesIn(d.Cancel)
	for i, a := range d.Answers {
		at := fmt.Sprintf("answers[%d]", i)
		flow.answers = append(flow.answers, answer{
			keywords: a.Keywords, patterns: c.patterns(at+".patterns", a.Patterns), reply: c.texts(at+".reply", a.Reply, names),
		})
	}
	flow.replies = map[string]texts{}
	for _, name := range slices.Sorted(maps.Keys(d.Replies)) {
		if !slices.Contains(ReplyNames(), name) {
			c.unknown("replies."+name, "reply", name, ReplyNames())
		}
		flow.replies[name] = c.texts("replies."+name, d.Replies[name], append(slices.Clone(names), replyKnows[name]...))
	}
	return flow
}

// askable complains about fields that a phase needs and no question asks for.
func (c *compiler) askable(flow *Flow) {
	for i, p := range flow.phases {
		for name, condition := range map[string]condition{"enough": p.enough, "needs": p.needs} {
			for _, field := range condition.fields() {
				if f := flow.field(field); f != nil && len(f.ask) == 0 {
					c.complain(fmt.Sprintf("phases[%d].%s", i, name), "field %s is needed, but it has no ask", field)
				}
			}
		}
	}
}

func (c *compiler) field(at string, f Field, names []string) field {
	ready := field{
		name: f.Name, patterns: c.patterns(at+".patterns", f.Patterns), ask: c.texts(at+".ask", f.Ask, names), next: f.Default == "next",
		except: phrasesIn(f.Except), after: phrasesIn(f.After), called: phrasesIn(f.Called),
	}
	if len(f.Extractors)+len(f.Patterns) == 0 {
		c.complain(at+".extractors", "a field needs at least one, or patterns")
	}
	for _, language := range slices.Sorted(maps.Keys(f.Patterns)) {
		for i, text := range f.Patterns[language] {
			if !strings.Contains(text, "(?P<value>") {
				c.complain(fmt.Sprintf("%s.patterns.%s[%d]", at, language, i), "has no group (?P<value>…)")
			}
		}
	}
	if f.Default != "" && !ready.next {
		c.complain(at+".default", "must be next or absent, not %q", f.Default)
	}
	for i, kind := range f.Extractors {
		extract := c.extractors[kind]
		if extract == nil {
			c.unknown(fmt.Sprintf("%s.extractors[%d]", at, i), "extractor", kind, slices.Sorted(maps.Keys(c.extractors)))
			continue
		}
		ready.extractors = append(ready.extractors, kindOf{kind: kind, extract: extract})
	}
	if len(f.Extractors) > 0 {
		ready.kind = f.Extractors[0]
	}
	return ready
}

func (c *compiler) triggers(from map[string]Trigger) map[string]*trigger {
	ready := make(map[string]*trigger, len(from))
	for _, language := range slices.Sorted(maps.Keys(from)) {
		t, at := from[language], "triggers."+language
		if len(t.Patterns) == 0 {
			c.complain(at+".patterns", "a trigger needs at least one")
		}
		for i, word := range t.Keywords {
			if word == "" || word != strings.ToLower(word) {
				c.complain(fmt.Sprintf("%s.keywords[%d]", at, i), "must be in lower case")
			}
		}
		ready[language] = &trigger{
			keywords: t.Keywords, patterns: c.expressions(at+".patterns", t.Patterns), unless: c.expressions(at+".unless", t.Unless),
		}
	}
	if len(from) == 0 {
		c.complain("triggers", "nothing opens the workflow")
	}
	return ready
}

// expressions are texts that a text may fit, by language, read when one is needed.
type expressions func() []*regexp.Regexp

func (c *compiler) patterns(at string, from map[string][]string) map[string]expressions {
	ready := make(map[string]expressions, len(from))
	for _, language := range slices.Sorted(maps.Keys(from)) {
		ready[language] = c.expressions(at+"."+language, from[language])
	}
	return ready
}

func (c *compiler) expressions(at string, texts []string) expressions {
	for i, text := range texts {
		if c.checked {
			break
		}
		if _, err := syntax.Parse("(?i)"+text, syntax.Perl); err != nil {
			c.complain(fmt.Sprintf("%s[%d]", at, i), "%w", err)
		}
	}
	return lazily(texts)
}

// texts reads wordings, which may name the fields, members of a result and what else is allowed.
func (c *compiler) texts(at string, from Texts, allowed []string) texts {
	ready := make(texts, len(from))
	for _, language := range slices.Sorted(maps.Keys(from)) {
		for i, text := range from[language] {
			ready[language] = append(ready[language], c.template(fmt.Sprintf("%s.%s[%d]", at, language, i), text, allowed))
		}
		if len(from[language]) == 0 {
			c.complain(at+"."+language, "is empty")
		}
	}
	return ready
}

// template reads a wording over the allowed names.
func (c *compiler) template(at, text string, allowed []string) template {
	t, err := parseTemplate(text)
	if err != nil {
		c.complain(at, "%w", err)
	}
	t.names(func(name, format string) {
		if !slices.Contains(allowed, name) && !strings.HasPrefix(name, "result.") {
			c.unknown(at, "field", name, allowed)
		}
		if format != "" && !slices.Contains(formats, format) {
			c.unknown(at, "format", format, formats)
		}
	})
	return t
}

func phrasesIn(from map[string][]string) map[string]*phrases {
	ready := make(map[string]*phrases, len(from))
	for language, list := range from {
		ready[language] = newPhrases(list)
	}
	return ready
}

// hear adds the speeches, English first: it has every sentence that another may have.
func (f *Flows) hear(speeches []Speech) (errs []error) {
	for _, first := range []bool{true, false} {
		for i, speech := range speeches {
			if (speech.Language == english) != first {
				continue
			}
			c := compiler{}
			v := c.speech(speech)
			v.says = c.says(speech.Says, f.voices[speech.Language], f.voices[english])
			if len(c.errs) == 0 {
				f.voices[speech.Language] = v
			}
			for _, err := range c.errs {
				err.Speech, err.Index = true, i
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// speech checks a language. What it lacks would be a silence at some turn.
func (c *compiler) speech(s Speech) *voice {
	v := &voice{Speech: s, replies: map[string][]template{}}
	if s.Language == "" {
		c.complain("speech", "the language is missing")
	}
	for _, list := range []struct {
		field string
		from  []string
		to    **phrases
		must  bool
	}{
		{"confirm", s.Confirm, &v.confirm, true}, {"reject", s.Reject, &v.reject, true}, {"hold", s.Hold, &v.hold, false},
		{"filler", s.Filler, &v.filler, false}, {"more", s.More, &v.more, false},
		{"correct", s.Correct, &v.correct, false}, {"link", s.Link, &v.link, false}, {"doubt", s.Doubt, &v.doubt, false},
		{"lead", s.Lead, &v.lead, false}, {"makes", s.Makes, &v.makes, false}, {"behind", s.Behind, &v.behind, false},
		{"article", s.Article, &v.article, false}, {"states", s.States, &v.states, false},
		{"back", s.Back, &v.back, false}, {"cancel", s.Cancel, &v.cancel, true}, {"restart", s.Restart, &v.restart, true},
		{"retry", s.Retry, &v.retry, true}, {"repeat", s.Repeat, &v.repeat, false}, {"skip", s.Skip, &v.skip, true},
		{"undo", s.Undo, &v.undo, false}, {"refuse", s.Refuse, &v.refuse, false},
		{"refuse_with", s.RefuseWith, &v.refuseWith, false}, {"neither", s.Neither, &v.neither, false},
		{"questions", s.Questions, &v.questions, true}, {"commands", s.Commands, &v.commands, false},
		{"own", s.Own, &v.own, false}, {"possible", s.Possible, &v.possible, false},
		{"soonest", s.Soonest, &v.soonest, false},
	} {
		if list.must && len(list.from) == 0 {
			c.complain(list.field, "is missing")
		}
		*list.to = newPhrases(list.from)
	}
	v.does, v.days, v.months = phrasesIn(s.Does), newPhrases(s.Weekdays), newPhrases(s.Months)
	for _, names := range s.Ordinals {
		v.ordinals = append(v.ordinals, newPhrases(names))
	}
	if len(s.Weekdays) != 7 || len(s.Months) != 12 {
		c.complain("weekdays", "there must be 7, from Sunday, and 12 months")
	}
	for _, text := range []struct {
		field, from string
		to          *template
		names       []string
	}{
		{"weekday", s.Weekday, &v.weekday, dateNames}, {"date", s.Date, &v.date, dateNames}, {"date_year", s.DateYear, &v.dateYear, dateNames},
		{"offer_time", s.OfferTime, &v.offerTime, []string{"date", "time"}},
	} {
		*text.to = c.single(text.field, text.from, text.names)
	}
	for i, text := range []string{s.Hour, s.HourMinute, s.Today, s.Tomorrow, s.Or} {
		if text == "" {
			c.complain([]string{"hour", "hour_minute", "today", "tomorrow", "or"}[i], "is missing")
		}
	}
	for _, name := range ReplyNames() {
		if len(s.Replies[name]) == 0 {
			c.complain("replies", "%s is missing", name)
		}
		for i, text := range s.Replies[name] {
			v.replies[name] = append(v.replies[name], c.single(fmt.Sprintf("replies.%s[%d]", name, i), text, replyKnows[name]))
		}
	}
	v.calls, v.one = c.calls(s.Calls), newPhrases(s.One)
	asked := *v
	asked.lead = newPhrases(s.Lead, s.One)
	v.asked = &asked
	return v
}

func (c *compiler) single(at, text string, names []string) template {
	if text == "" {
		c.complain(at, "is missing")
	}
	return c.template(at, text, names)
}
