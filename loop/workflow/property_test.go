package workflow_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatterbox/loop/workflow"
)

var said = []string{
	"book a visit", "remind me", "remind me message:milk time:12:00", "note down", "note down message:milk", "note down message:milk time:12:00", "name:Ann", "name:Bob", "Ann", "address:Main_1", "date:2026-03-07",
	"date:2026-03-09", "date~2026-03-08", "date:2026-03-01", "time:14:00", "time:09:00", "time~09:00", "datetime:2026-03-10T08:30",
	"yes", "ok", "perfect", "no", "wrong", "yes but time:11:00", "yes time~17:00", "no date:2026-03-12", "yes date:2026-03-11 time:10:00",
	"date:2026-03-07 time:14:00 name:Cy", "asap", "yes asap", "asap date:2026-03-09", "any time please", "cancel", "never mind", "start again", "try again", "pardon", "skip", "what is that", "play music",
	"what about time:15:00", "the first", "the second", "the last", "yes the first", "neither", "change the time", "the address is wrong",
	"price", "wait", "yes if it rains", "", "blah blah blah", "message:tea", "tea", "recurrence:FREQ=WEEKLY;BYDAY=MO", "duration:PT30M", "cancel the milk order",
}

// openings lead to where most can go wrong.
var openings = [][]string{nil, {"book a visit name:Ann address:Main_1"}, {"book a visit name:Ann", "date:2026-03-07 time:14:00"}, {"remind me message:milk time:12:00"}, {"note down message:milk"}}

var results = []workflow.Result{
	{Content: `{"available":true}`}, {Content: `{"title":"Visit","id":"1"}`},
	{Content: `{"available":false,"alternatives":[]}`}, {Content: `{"available":false,"alternatives":[{"date":"2026-03-20","time":"16:00"}]}`},
	{Content: `{"available":false,"alternatives":[{"date":"2026-03-20","time":"16:00"},{"date":"2026-03-21","time":"09:00"}]}`},
	{Content: `{"error":"taken","alternatives":[{"date":"2026-03-22","time":"11:00"}]}`}, {Content: `{"error":"calendar is down"}`},
	{Content: `nonsense`}, {Content: `null`}, {Failed: true}, {Content: `{"available":true}`}, {Content: `{"available":true}`},
}

func TestWhatAlwaysHolds(t *testing.T) {
	flows := compiled(t)
	for range 10 { // as many as rapid does, ten times
		rapid.Check(t, func(t *rapid.T) { randomDialogue(t, flows) })
	}
}

func randomDialogue(t *rapid.T, flows *workflow.Flows) {
	opening := rapid.SampledFrom(openings).Draw(t, "opening")
	var state workflow.State
	at := now
	standing := false // a yes was said whose call failed, and nothing was changed since
	for range rapid.IntRange(1, 25).Draw(t, "turns") {
		text := rapid.SampledFrom(said).Draw(t, "text")
		if len(opening) > 0 {
			text, opening = opening[0], opening[1:]
		}
		at = at.Add(time.Duration(rapid.IntRange(0, 11).Draw(t, "minutes")) * time.Minute)
		before := state
		input := workflow.Input{Text: text, Language: "en", Now: at}
		flow := flows.Get(state.Flow)
		if !state.Open() {
			if flow, _ = flows.Opened(text, "en", nil); flow == nil {
				continue
			}
			input.Start, standing = true, false
		}
		confirming := before.Open() && before.Phase == "CONFIRMING"
		agreed := confirming && says(text, "yes", "ok", "perfect") || standing && before.Retry && text == "try again"
		standing = agreed || standing && !says(text, "no", "wrong", "change")
		next, action := pureStep(t, flow, state, input)
		for calls, acted := 0, false; action.Kind == workflow.CallTool; calls++ {
			if calls == 4 {
				t.Fatalf("%q: calls without end", text)
			}
			if action.Call.Unasked {
				if acted || next.Flow != "note" || next.Fields["message"].Value == "" || next.Fields["time"].Value == "" {
					t.Fatalf("%q in %+v acts twice, or before all is known", text, before)
				}
				if unknown := before.Flow == "note" && (before.Pending != nil || before.Unsure); unknown && says(text, "yes", "ok", "perfect") && reflect.DeepEqual(before.Fields, next.Fields) {
					t.Fatalf("%q in %+v makes a call again whose result never came", text, before)
				}
				acted = true
			}
			if action.Call.Confirmed {
				if !confirming || !agreed {
					t.Fatalf("%q in %+v acts without a yes", text, before)
				}
				if acted {
					t.Fatalf("%q acts twice", text)
				}
				acted = true
			}
			if action.Call.Unasked != (action.Call.Tool == "note") || action.Call.Confirmed == (action.Call.Tool == "check" || action.Call.Unasked) {
				t.Fatalf("%+v", action.Call)
			}
			if rapid.IntRange(0, 30).Draw(t, "crash") == 0 { // the result never comes
				break
			}
			result := rapid.SampledFrom(results).Draw(t, "result")
			next, action = pureStep(t, flow, next, workflow.Input{Now: at, Result: &result})
		}
		kept(t, before, next, text)
		standing = standing && (agreed || reflect.DeepEqual(before.Fields, next.Fields))
		if action.Kind == workflow.Say && strings.TrimSpace(action.Reply) == "" {
			t.Fatalf("%q in %+v: nothing is said", text, before)
		}
		if open := next.Open(); action.Kind != workflow.CallTool && open != (action.Kind == workflow.Say || action.Kind == workflow.Digression) {
			t.Fatalf("%q: %s, but open is %v", text, action.Kind, open)
		}
		state = next
	}
}

func says(text string, words ...string) bool {
	return slices.ContainsFunc(strings.Fields(text), func(word string) bool { return slices.Contains(words, word) })
}

// kept fails when a field got lost, or another value for which the person said none.
func kept(t *rapid.T, before, after workflow.State, text string) {
	if before.Flow != after.Flow || !before.Open() || text == "start again" {
		return
	}
	if before.Parked != nil && (after.Parked == nil || before.Parked.Flow != after.Parked.Flow) {
		return // another dialogue of the same workflow
	}
	left := says(text, "asap", "any")
	for name, value := range before.Fields {
		now, known := after.Fields[name]
		if !known {
			t.Fatalf("%q loses %s", text, name)
		}
		chosen := (left || len(before.Offers) > 0) && (name == "date" || name == "time")
		if now.Value != value.Value && !chosen && value.Text != "" && !strings.Contains(text, now.Value) && !strings.Contains(text, strings.ReplaceAll(now.Value, " ", "_")) {
			t.Fatalf("%q makes %s %q of %q", text, name, now.Value, value.Value)
		}
	}
}

// pureStep is a step that is made twice, once from a state that went through JSON.
func pureStep(t *rapid.T, flow *workflow.Flow, state workflow.State, input workflow.Input) (workflow.State, workflow.Action) {
	stored, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	next, action := workflow.Step(flow, state, input)
	if again, _ := json.Marshal(state); string(again) != string(stored) {
		t.Fatalf("the step changed its state:\n%s\n%s", stored, again)
	}
	var loaded workflow.State
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	otherNext, otherAction := workflow.Step(flow, loaded, input)
	first, _ := json.Marshal(next)
	second, _ := json.Marshal(otherNext)
	if string(first) != string(second) || !reflect.DeepEqual(action, otherAction) {
		t.Fatalf("the same input gives another step:\n%s %+v\n%s %+v", first, action, second, otherAction)
	}
	return next, action
}
