package workflow_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

// now is a Friday.
var now = time.Date(2026, 3, 6, 10, 0, 0, 0, time.UTC)

// marked finds values that are written as kind:value, or kind~value for an approximate one. A bare answer is a text of
// one word.
func marked(kind string) workflow.Extractor {
	pattern := regexp.MustCompile(kind + `([:~])(\S+)`)
	return func(text string, in workflow.Context) []workflow.Match {
		var found []workflow.Match
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, workflow.Match{Kind: kind, Start: at[0], End: at[1], Text: text[at[0]:at[1]],
				Value: strings.ReplaceAll(text[at[4]:at[5]], "_", " "), Approximate: text[at[2]] == '~'})
		}
		if found == nil && in.Expect == kind && !strings.ContainsAny(text, " :~") {
			found = append(found, workflow.Match{Kind: kind, End: len(text), Text: text, Value: text})
		}
		return found
	}
}

func extractors() map[string]workflow.Extractor {
	all := map[string]workflow.Extractor{}
	for _, kind := range []string{"name", "address", "date", "time", "datetime", "duration", "message", "recurrence"} {
		all[kind] = marked(kind)
	}
	return all
}

func en(texts ...string) workflow.Texts { return workflow.Texts{"en": texts} }

// english is small, but has everything.
func english() workflow.Speech {
	replies := map[string][]string{}
	for _, name := range workflow.ReplyNames() {
		replies[name] = []string{"<" + name + ">"}
	}
	replies["offer"], replies["offer_one"], replies["failed"] = []string{"<offer {offers}>"}, []string{"<offer_one {offers}>"}, []string{"<failed[ {error}]>"}
	return workflow.Speech{
		Language: "en", Confirm: []string{"yes", "perfect", "ok", "no problem"}, Reject: []string{"no", "not", "change", "wrong"},
		Hold: []string{"wait", "if"}, Filler: []string{"um", "please", "ok"}, Lead: []string{"but", "date", "time"}, Correct: []string{"no", "sorry"},
		Cancel: []string{"cancel", "never mind"}, Restart: []string{"start again"}, Retry: []string{"try again"}, Repeat: []string{"pardon"},
		Skip: []string{"skip", "no"}, Neither: []string{"neither"}, Questions: []string{"what", "is"}, Commands: []string{"play"},
		Own: []string{"what about"}, Soonest: []string{"asap", "any time"}, Possible: []string{"possible"}, Ordinals: [][]string{{"first"}, {"second"}, {"third"}, {"last"}},
		Today: "today", Tomorrow: "tomorrow",
		Weekdays: []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		Months:   []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		Weekday:  "on {weekday}", Date: "on {weekday}, {month} {day}", DateYear: "on {weekday}, {month} {day}, {year}",
		Hour: "3 PM", HourMinute: "3:04 PM", OfferTime: "{date} at {time}", Or: "or", Replies: replies,
	}
}

func booking() workflow.Definition {
	return workflow.Definition{
		Name:     "booking",
		Triggers: map[string]workflow.Trigger{"en": {Keywords: []string{"book"}, Patterns: []string{`\bbook an? (?:visit|appointment)`}, Unless: []string{`\bread\b`}}},
		When:     workflow.Moment{Date: "date", Time: "time", Soonest: &workflow.Hours{From: "09:00", Until: "18:00"}},
		Fields: []workflow.Field{
			{Name: "name", Extractors: []string{"name"}, Called: map[string][]string{"en": {"name"}}, Ask: en("What name?", "Which name, please?")},
			{Name: "address", Extractors: []string{"address"}, Called: map[string][]string{"en": {"address"}}, Ask: en("What address?")},
			{Name: "date", Extractors: []string{"date", "datetime"}, Called: map[string][]string{"en": {"day"}}, Ask: en("What day?")},
			{Name: "time", Extractors: []string{"time", "datetime"}, Called: map[string][]string{"en": {"time"}}, Ask: en("What time[ {date}]?")},
			{Name: "duration", Extractors: []string{"duration"}},
		},
		Phases: []workflow.Phase{
			{Name: "GREETING", On: map[string]string{"triggered": "COLLECTING"}},
			{Name: "COLLECTING", Enough: "name and (address or time)", On: map[string]string{"enough": "CONFIRMING"}},
			{
				Name: "CONFIRMING", Needs: "date and time", Summary: en("So {name}."), Ask: en("Book {name}[ at {address}] {date} at {time}?", "Right?"),
				Check: &workflow.Use{Tool: "check", Arguments: map[string]string{"date": "{date}", "time": "{time}", "minutes": "{duration:minutes}"},
					Required: []string{"date", "time"}, OK: "available", Offers: "alternatives"},
				On: map[string]string{"confirmed": "COMPLETE", "rejected": "COLLECTING"},
			},
			{
				Name: "COMPLETE", Reply: en("Booked {name} {date}[: {result.title}]."),
				Call: &workflow.Use{Tool: "book", Arguments: map[string]string{"name": "{name}", "date": "{date}", "time": "{time}", "address": "{address}"},
					Required: []string{"name", "date", "time"}, Offers: "alternatives"},
			},
		},
		Cancel:  map[string][]string{"en": {"no visit"}},
		Answers: []workflow.Answer{{Patterns: map[string][]string{"en": {`\bprice\b`}}, Reply: en("No price.")}},
	}
}

func reminder() workflow.Definition {
	return workflow.Definition{
		Name:     "reminder",
		Triggers: map[string]workflow.Trigger{"en": {Patterns: []string{`\bremind me\b`}}},
		When:     workflow.Moment{Date: "date", Time: "time", Recurrence: "recurrence"},
		Fields: []workflow.Field{
			{Name: "message", Extractors: []string{"message"}, Ask: en("Of what?")},
			{Name: "date", Extractors: []string{"date", "datetime"}, Default: "next", Ask: en("What day?")},
			{Name: "time", Extractors: []string{"time", "datetime"}, Ask: en("What time?")},
			{Name: "recurrence", Extractors: []string{"recurrence"}},
		},
		Phases: []workflow.Phase{
			{Name: "COLLECTING", Enough: "message and time", On: map[string]string{"enough": "CONFIRMING"}},
			{Name: "CONFIRMING", Needs: "date", Ask: en("Remind you of {message} {date} at {time}[, {recurrence}]?"), On: map[string]string{"confirmed": "COMPLETE"}},
			{Name: "COMPLETE", Call: &workflow.Use{Tool: "remind", Arguments: map[string]string{"message": "{message}", "at": "{date}T{time}", "recurrence": "{recurrence}"}, Required: []string{"message", "at"}}},
		},
	}
}

// note acts as soon as it knows what, without a yes.
func note() workflow.Definition {
	return workflow.Definition{
		Name:     "note",
		Triggers: map[string]workflow.Trigger{"en": {Patterns: []string{`\bnote down\b`}}},
		When:     workflow.Moment{Date: "date", Time: "time"},
		Fields: []workflow.Field{
			{Name: "message", Extractors: []string{"message"}, Ask: en("Of what?")},
			{Name: "date", Extractors: []string{"date", "datetime"}, Default: "next", Ask: en("What day?")},
			{Name: "time", Extractors: []string{"time", "datetime"}, Ask: en("What time?")},
		},
		Phases: []workflow.Phase{
			{Name: "COLLECTING", Enough: "message and time", On: map[string]string{"enough": "COMPLETE"}},
			{Name: "COMPLETE", Reply: en("Noted {message} {date}."), Call: &workflow.Use{Tool: "note", Unasked: true,
				Arguments: map[string]string{"message": "{message}", "at": "{date}T{time}"}, Required: []string{"message", "at"}}},
		},
	}
}

func compiled(t testing.TB) *workflow.Flows {
	t.Helper()
	flows, err := workflow.Compile([]workflow.Definition{booking(), reminder(), note()}, []workflow.Speech{english()}, extractors())
	if err != nil {
		t.Fatal(err)
	}
	return flows
}

// talk is a dialogue with the machine. Tools answer with the results in their order, and with success when there is
// none.
type talk struct {
	t       testing.TB
	flows   *workflow.Flows
	state   workflow.State
	now     time.Time
	results []workflow.Result
	calls   []workflow.Call
}

// say lets the person say something and returns the last action.
func (d *talk) say(text string) workflow.Action {
	d.t.Helper()
	input := workflow.Input{Text: text, Language: "en", Now: d.now}
	flow := d.flows.Get(d.state.Flow)
	if !d.state.Open() {
		flow, _ = d.flows.Opened(text, "en", nil)
		input.Start = true
	}
	if flow == nil {
		d.t.Fatalf("%q opens no workflow", text)
	}
	state, action := workflow.Step(flow, d.state, input)
	for calls := 0; action.Kind == workflow.CallTool; calls++ {
		if calls == 4 {
			d.t.Fatalf("%q leads to calls without end", text)
		}
		d.calls = append(d.calls, *action.Call)
		state, action = workflow.Step(flow, state, workflow.Input{Now: d.now, Result: d.result(action.Call)})
	}
	d.state = state
	return action
}

func (d *talk) result(call *workflow.Call) *workflow.Result {
	if len(d.results) > 0 {
		result := d.results[0]
		d.results = slices.Delete(slices.Clone(d.results), 0, 1)
		return &result
	}
	if call.Tool == "check" {
		return &workflow.Result{Content: `{"available":true}`}
	}
	return &workflow.Result{Content: `{"title":"Visit"}`}
}
