package workflow

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Flows are compiled workflows. They never change; several goroutines may use them at once. A nil *Flows has none.
type Flows struct {
	flows      map[string]*Flow
	names      []string // sorted
	voices     map[string]*voice
	extractors map[string]Extractor
}

// Get is the workflow of that name, or nil.
func (f *Flows) Get(name string) *Flow {
	if f == nil {
		return nil
	}
	return f.flows[name]
}

// Names lists the workflows, sorted.
func (f *Flows) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Clone(f.names)
}

// Opened is the workflow that a text opens, among those that are named; nil names all. Two that fit open none, because
// then neither is certain.
func (f *Flows) Opened(text, language string, among []string) (flow *Flow, reason string) {
	if f == nil || len(text) > triggerMax {
		return nil, ""
	}
	named := func(name string) bool { return among == nil || slices.Contains(among, name) }
	return f.opened(strings.ToLower(clean(text)), language, named)
}

// opened reads a text that is clean and in lower case.
func (f *Flows) opened(lower, language string, among func(name string) bool) (flow *Flow, reason string) {
	for _, name := range f.names {
		if !among(name) {
			continue
		}
		opens, why := f.flows[name].triggered(lower, language)
		switch {
		case !opens:
		case flow != nil:
			return nil, fmt.Sprintf("workflows %s and %s both fit", flow.name, name)
		default:
			flow, reason = f.flows[name], why
		}
	}
	return flow, reason
}

// Flow is one compiled workflow.
type Flow struct {
	name     string
	set      *Flows
	timeout  time.Duration
	triggers map[string]*trigger
	guard    func(text, language string) string
	speaks   []string // the triggers' languages, sorted
	fields   []field
	phases   []phase
	cancel   map[string]*phrases
	answers  []answer
	replies  map[string]texts
	when     Moment
}

// Name is the workflow's name.
func (f *Flow) Name() string { return f.name }

// Tools lists the tools that the workflow calls, sorted. It cannot run where one of them is missing.
func (f *Flow) Tools() []string {
	return f.tools(func(*use) bool { return true })
}

// Unasked lists the tools that the workflow calls without a yes, sorted. Each must be one whose effect can be taken
// back.
func (f *Flow) Unasked() []string {
	return f.tools(func(u *use) bool { return u.Unasked })
}

func (f *Flow) tools(which func(*use) bool) []string {
	tools := map[string]bool{}
	for _, p := range f.phases {
		for _, u := range []*use{p.check, p.call} {
			if u != nil && which(u) {
				tools[u.Tool] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(tools))
}

// Success is a result that the workflow takes for a good one, for those who try it without its tools.
func (f *Flow) Success(call Call) Result {
	for i := range f.phases {
		if u := f.phases[i].check; u != nil && u.Tool == call.Tool && u.OK != "" && !call.acts() {
			return Result{Content: fmt.Sprintf(`{%q:true}`, u.OK)}
		}
	}
	return Result{Content: `{}`}
}

// Triggered says whether the text opens the workflow for certain, and why.
func (f *Flow) Triggered(text, language string) (bool, string) {
	if len(text) > triggerMax {
		return false, ""
	}
	return f.triggered(strings.ToLower(clean(text)), language)
}

// triggered reads a text that is clean and in lower case.
func (f *Flow) triggered(lower, language string) (bool, string) {
	own := baseLanguage(language)
	if f.fits(lower, own) {
		return true, fmt.Sprintf("workflow %q (%s) is asked for", f.name, own)
	}
	for _, other := range f.speaks {
		if other != own && f.fits(lower, other) {
			return true, fmt.Sprintf("workflow %q (%s) is asked for", f.name, other)
		}
	}
	return false, ""
}

// fits says whether the trigger of a language does, and the text asks for something.
func (f *Flow) fits(lower, language string) bool {
	t := f.triggers[language]
	return t != nil && t.fits(lower) && (f.guard == nil || f.guard(lower, language) == "")
}

// field, phase, use, trigger and answer are Field, Phase, Use, Trigger and Answer made ready.
type field struct {
	name       string
	kind       string // of its first extractor
	extractors []kindOf
	patterns   map[string]expressions
	except     map[string]*phrases
	after      map[string]*phrases
	called     map[string]*phrases
	ask        texts
	next       bool // Default "next"
}

type kindOf struct {
	kind    string
	extract Extractor
}

type phase struct {
	name          string
	enough, needs condition
	summary, ask  texts
	reply         texts
	check, call   *use
	on            map[string]int // phase by event
}

type use struct {
	*Use
	names     []string // of Arguments, sorted
	arguments []template
}

type texts map[string][]template // by language

// in is the n-th wording in the language, or in English, or in any; past the last it begins again.
func (t texts) in(language string, n int) template {
	for _, name := range append([]string{language, "en"}, slices.Sorted(maps.Keys(t))...) {
		if list := t[name]; len(list) > 0 {
			return list[n%len(list)]
		}
	}
	return nil
}

type trigger struct {
	keywords         []string
	patterns, unless expressions
}

func (t *trigger) fits(lower string) bool {
	return anyWord(t.keywords, lower) && anyFits(t.patterns(), lower) && !anyFits(t.unless(), lower)
}

func anyFits(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
}

type answer struct {
	keywords map[string][]string
	patterns map[string]expressions
	reply    texts
}

// lazily compiles expressions that were parsed before, when a text first needs them: a start should not wait for them.
func lazily(texts []string) expressions {
	return sync.OnceValue(func() []*regexp.Regexp {
		list := make([]*regexp.Regexp, len(texts))
		for i, text := range texts {
			list[i] = regexp.MustCompile("(?i)" + text)
		}
		return list
	})
}

// voice is a Speech made ready.
type voice struct {
	Speech
	confirm, reject, hold, filler, more           *phrases
	correct, link, doubt, lead, makes, behind     *phrases
	article, states, back, days, months           *phrases
	does                                          map[string]*phrases // by verb
	cancel, restart, retry, repeat, skip, neither *phrases
	undo, refuse, refuseWith                      *phrases
	questions, commands, own, possible, soonest   *phrases
	ordinals                                      []*phrases
	weekday, date, dateYear, offerTime            template
	replies                                       map[string][]template
	says                                          map[string]template
	calls                                         map[string]*callSpeech
	one                                           *phrases
	asked                                         *voice // the same, at the question about one call
}

// voice is how the language is spoken, or English.
func (f *Flows) voice(language string) *voice {
	if v := f.voices[language]; v != nil {
		return v
	}
	if v := f.voices[english]; v != nil {
		return v
	}
	return f.voices[slices.Min(slices.Collect(maps.Keys(f.voices)))]
}

// baseLanguage is the language without region and script: de of de-AT.
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
}
