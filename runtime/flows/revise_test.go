package flows_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

// at is when the sentences of these tests are said: a Wednesday.
var at = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// schemaOf is the inputSchema of a built-in tool.
func schemaOf(t testing.TB, tool string) json.RawMessage {
	t.Helper()
	for _, module := range []string{"calendar", "messages"} {
		text, err := os.ReadFile("../../tools-wasm/" + module + "/tool.json")
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			Tools []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		for _, one := range manifest.Tools {
			if one.Name == tool {
				return one.InputSchema
			}
		}
	}
	t.Fatal(tool)
	return nil
}

// TestAnotherValueForACall holds what becomes of a call's arguments by what is said to its question.
func TestAnotherValueForACall(t *testing.T) {
	const (
		bob  = `{"customer_name":"Bob Miller","date":"2026-03-05","time":"09:00"}`
		late = `{"customer_name":"Bob Miller","date":"2026-03-12","time":"09:00"}`
		move = `{"customer_name":"Bob Miller","date":"2026-03-05","new_date":"2026-03-09"}`
		when = `{"message":"call mom","at":"2026-03-05T17:00"}`
	)
	set := loadWorkflows(t)
	const (
		other   = "other"
		unclear = "unclear"
		consent = "consent"
		refusal = "refusal"
	)
	for _, c := range []struct{ language, tool, arguments, text, want string }{
		{"en", "cancel_appointment", bob, "make it friday", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`},
		{"en", "cancel_appointment", bob, "yes but the one on friday at two", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"14:00"}`},
		{"en", "cancel_appointment", bob, "no, I mean tomorrow at 11:30", `{"customer_name":"Bob Miller","date":"2026-03-05","time":"11:30"}`},
		{"en", "cancel_appointment", bob, "could we make it friday?", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`},
		{"en", "cancel_appointment", `{"customer_name":"Bob Miller"}`, "the one at ten", `{"customer_name":"Bob Miller","time":"10:00"}`},
		{"en", "cancel_appointment", late, "make it wednesday", `{"customer_name":"Bob Miller","date":"2026-03-11","time":"09:00"}`},
		{"en", "cancel_appointment", bob, "yes, on thursday", consent},
		{"en", "cancel_appointment", bob, "thursday", unclear},
		{"en", "cancel_appointment", bob, "yes or friday", other},
		{"en", "cancel_appointment", bob, "friday or saturday", other},
		{"en", "cancel_appointment", bob, "yes but not before ten", other},
		{"en", "cancel_appointment", bob, "anything but friday", other},
		{"en", "cancel_appointment", bob, "yes and friday", other},
		{"en", "cancel_appointment", bob, "I am away on friday", other},
		{"en", "cancel_appointment", bob, "is it the one on friday?", other},
		{"en", "cancel_appointment", bob, "remind me on friday", other},
		{"en", "cancel_appointment", bob, "not friday", other},
		{"en", "cancel_appointment", bob, "", unclear},
		{"en", "cancel_appointment", bob, "no thanks", refusal},
		{"en", "reschedule_appointment", move, "make it friday", `{"customer_name":"Bob Miller","date":"2026-03-05","new_date":"2026-03-06"}`},
		{"en", "reschedule_appointment", move, "no, the one tomorrow", unclear},
		{"en", "reschedule_appointment", move, "no, the one on friday", `{"customer_name":"Bob Miller","date":"2026-03-06","new_date":"2026-03-09"}`},
		{"en", "reschedule_appointment", `{"customer_name":"Bob","new_time":"11:00"}`, "yes but at ten", `{"customer_name":"Bob","new_time":"10:00"}`},
		{"en", "set_reminder", when, "make it six", `{"at":"2026-03-05T18:00","message":"call mom"}`},
		{"en", "set_reminder", when, "yes but on friday", `{"at":"2026-03-06T17:00","message":"call mom"}`},
		{"en", "send_email", `{"to":"ada","text":"At seven."}`, "send it tomorrow", other},
		{"en", "send_email", `{"to":"ada","text":"At seven."}`, "make it eight", other},
		{"de", "cancel_appointment", bob, "nein, den um zehn", `{"customer_name":"Bob Miller","date":"2026-03-05","time":"10:00"}`},
		{"de", "cancel_appointment", bob, "ja, aber lieber am Freitag", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`},
		{"de", "cancel_appointment", bob, "ja, aber nicht am Freitag", other},
		{"de", "cancel_appointment", bob, "mach es am Freitag", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`},
		{"en", "order_pizza", `{"due":"2026-03-05"}`, "make it friday", `{"due":"2026-03-06"}`},
		{"en", "order_pizza", `{"from":"2026-03-05","to":"2026-03-06"}`, "make it saturday", other},
	} {
		call := workflow.AskedCall{Tool: c.tool, Language: c.language}
		if err := json.Unmarshal([]byte(c.arguments), &call.Arguments); err != nil {
			t.Fatal(err)
		}
		var schema json.RawMessage
		if c.tool != "order_pizza" {
			schema = schemaOf(t, c.tool)
		}
		got := set.ReadCallAnswer(c.text, call, schema, workflow.Context{Now: at, Language: c.language})
		shown := map[workflow.Verdict]string{workflow.Other: other, workflow.Consent: consent, workflow.Refusal: refusal, workflow.Unclear: unclear}[got.Verdict]
		if got.Verdict == workflow.Revised {
			encoded, _ := json.Marshal(got.Arguments)
			shown = string(encoded)
		}
		if shown != c.want {
			t.Errorf("%s %s %q\n got %s\nwant %s", c.language, c.arguments, c.text, shown, c.want)
		}
		if before, _ := json.Marshal(call.Arguments); string(before) == shown {
			t.Errorf("%q: the call's own arguments were changed", c.text)
		}
	}
}

// TestWhichOneIsMeant holds which of several candidates an answer picks.
func TestWhichOneIsMeant(t *testing.T) {
	const (
		appointments = `[{"event_id":"a","title":"Free Estimate - Sarah Johnson","date":"2026-03-05","time":"09:00"},
			{"event_id":"b","title":"Free Estimate - Bob Miller","date":"2026-03-05","time":"10:00"},
			{"event_id":"c","title":"Dentist - Bob Jones","date":"2026-03-06","time":"14:00"}]`
		reminders = `[{"id":"1","message":"call mom","at":"2026-03-05T17:00"},{"id":"2","message":"call the bank","at":"2026-03-06T09:00"}]`
		lights    = `[{"name":"Kitchen Ceiling"},{"name":"Kitchen Counter Light"}]`
	)
	set := loadWorkflows(t)
	for _, c := range []struct {
		language, from, text string
		want                 int
	}{
		{"en", appointments, "the one with bob miller", 1},
		{"en", appointments, "Bob Miller's please", -1},
		{"en", appointments, "Bob Miller", 1},
		{"en", appointments, "the second one", 1},
		{"en", appointments, "the last one, please", 2},
		{"en", appointments, "number two", 1},
		{"en", appointments, "the one at ten", 1},
		{"en", appointments, "the one on friday", 2},
		{"en", appointments, "friday at two", 2},
		{"en", appointments, "the dentist", 2},
		{"en", appointments, "the one with bob", -1},
		{"en", appointments, "the one on thursday", -1},
		{"en", appointments, "the fourth one", -1},
		{"en", appointments, "the one at eleven", -1},
		{"en", appointments, "not the second one", -1},
		{"en", appointments, "the first or the second one", -1},
		{"en", appointments, "what time is it?", -1},
		{"en", appointments, "yes", -1},
		{"en", appointments, "", -1},
		{"en", appointments, "the one", -1},
		{"en", appointments, "turn on the kitchen light", -1},
		{"en", appointments, "cancel the one with bob miller", -1},
		{"en", reminders, "the one about the bank", 1},
		{"en", reminders, "the one tomorrow", 0},
		{"en", reminders, "mom", 0},
		{"en", lights, "the ceiling", 0},
		{"en", lights, "the kitchen counter light", 1},
		{"en", lights, "the kitchen one", -1},
		{"de", appointments, "der mit Bob Miller", 1},
		{"de", appointments, "den zweiten", 1},
		{"de", appointments, "den um zehn", 1},
		{"de", appointments, "der am Freitag", 2},
		{"de", reminders, "die letzte bitte", 1},
		{"de", appointments, "wie spät ist es?", -1},
	} {
		var candidates []map[string]any
		if err := json.Unmarshal([]byte(c.from), &candidates); err != nil {
			t.Fatal(err)
		}
		if got := set.Choose(c.text, candidates, workflow.Context{Now: at, Language: c.language}); got != c.want {
			t.Errorf("%s: %q picks %d, want %d", c.language, c.text, got, c.want)
		}
	}
}

// FuzzAnswersToACall holds that no text makes the reading panic or changes what was not named.
func FuzzAnswersToACall(f *testing.F) {
	set := loadWorkflows(f)
	schema := schemaOf(f, "cancel_appointment")
	for _, text := range []string{"yes", "make it friday", "no, the one at ten", "\xff\u202e", "ja aber den am freitag um 25:00", "the second one"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		call := workflow.AskedCall{Tool: "cancel_appointment", Language: "en",
			Arguments: map[string]any{"customer_name": "Bob", "date": "2026-03-05", "time": "09:00"}}
		got := set.ReadCallAnswer(text, call, schema, workflow.Context{Now: at, Language: "en"})
		if got.Verdict != workflow.Revised {
			return
		}
		if got.Arguments["customer_name"] != "Bob" || len(got.Arguments) != 3 {
			t.Errorf("%q: %v", text, got.Arguments)
		}
		if _, err := time.Parse("2006-01-02 15:04", fmt.Sprint(got.Arguments["date"], " ", got.Arguments["time"])); err != nil {
			t.Errorf("%q: %v", text, got.Arguments)
		}
	})
}
