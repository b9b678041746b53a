package workflow

import (
	"slices"
	"time"
)

// Whole says whether a text that opens the workflow of that name tells all that it asks for: nothing but a yes may be
// missing.
func (f *Flows) Whole(name string, input Input) bool {
	state, action := f.begun(name, input)
	return action.Kind == CallTool || state.Open() && state.Asked == ""
}

// Acts is the call by which the workflow of that name does at once what the text asks for, without a word of the person
// between; nil where it needs one.
func (f *Flows) Acts(name string, input Input) *Call {
	_, action := f.begun(name, input)
	acts := func(p phase) bool { return p.call != nil && p.call.Tool == action.Call.Tool }
	if action.Kind == CallTool && slices.ContainsFunc(f.Get(name).phases, acts) {
		return action.Call
	}
	return nil
}

// begun is what a text comes to that opens the workflow.
func (f *Flows) begun(name string, input Input) (State, Action) {
	input.Start, input.Result = true, nil
	return Step(f.Get(name), State{}, input)
}

// Timed says whether a text tells a time of the day.
func (f *Flows) Timed(text, language, country string, now time.Time) bool {
	if f == nil {
		return false
	}
	in := Context{Now: now, Language: baseLanguage(language), Country: country}
	extract := f.extractors["time"]
	return extract != nil && len(extract(text, in)) > 0
}
