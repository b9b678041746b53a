package flows_test

import (
	"testing"
	"time"

	"chatterbox/loop/route"
)

// TestTheCalendarIsAskedFor says which days a question is about, on a Wednesday.
func TestTheCalendarIsAskedFor(t *testing.T) {
	rules := load(t)
	now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct{ language, text, start, end string }{
		{"en", "what's on my calendar", "2026-03-04", "2026-03-04"},
		{"en", "What is on my calendar tomorrow?", "2026-03-05", "2026-03-05"},
		{"en", "what's on the schedule for friday", "2026-03-06", "2026-03-06"},
		{"en", "do I have any appointments tomorrow", "2026-03-05", "2026-03-05"},
		{"en", "do i have anything planned on march 20", "2026-03-20", "2026-03-20"},
		{"en", "what appointments do I have this week", "2026-03-04", "2026-03-08"},
		{"en", "what do I have planned for the weekend", "2026-03-07", "2026-03-08"},
		{"en", "show me my calendar for next week", "2026-03-09", "2026-03-15"},
		{"en", "my appointments tonight please", "2026-03-04", "2026-03-04"},
		{"en", "is there anything on the calendar next month", "2026-04-01", "2026-04-30"},
		{"de", "was steht in meinem Kalender", "2026-03-04", "2026-03-04"},
		{"de", "welche Termine habe ich morgen", "2026-03-05", "2026-03-05"},
		{"de", "was habe ich am Freitag vor", "2026-03-06", "2026-03-06"},
		{"de", "was steht morgen im Kalender", "2026-03-05", "2026-03-05"},
		{"de", "was ist am Wochenende geplant", "2026-03-07", "2026-03-08"},
		{"de", "habe ich nächste Woche Termine", "", ""},
		{"de", "welche Termine habe ich nächste Woche", "2026-03-09", "2026-03-15"},
		{"en", "what do I have to do", "", ""},
		{"en", "what's on my calendar app", "", ""},
		{"en", "what meetings do I have with Anna", "", ""},
		{"en", "my calendar is broken", "", ""},
		{"en", "do I have anything to eat", "", ""},
		{"en", "was habe ich falsch gemacht", "", ""},
	} {
		got := route.Decide(rules, route.Input{Text: c.text, Language: c.language, Now: now, Tools: []string{"get_calendar"}})
		want := `{"end":"` + c.end + `","start":"` + c.start + `"}`
		switch {
		case c.start == "" && got.Command != nil:
			t.Errorf("%q is taken: %s", c.text, got.Command.Arguments)
		case c.start != "" && (got.Command == nil || string(got.Command.Arguments) != want):
			t.Errorf("%q: %+v, want %s", c.text, got.Command, want)
		}
	}
}

func TestTheCalendarIsSpoken(t *testing.T) {
	rules := load(t)
	now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	const two = `{"events":[{"title":"Dentist","date":"2026-03-05","time":"09:30","end_time":"10:00","all_day":false},{"title":"Holiday","date":"2026-03-06","all_day":true}]}`
	for _, c := range []struct{ language, text, result, want string }{
		{"en", "what's on my calendar tomorrow", two, "You have Dentist at 9:30 AM and Holiday tomorrow."},
		{"en", "what's on my calendar", `{"events":[]}`, "You have nothing in the calendar today."},
		{"en", "what appointments do I have this week", two, "For this week you have Dentist on Thursday at 9:30 AM and Holiday on Friday."},
		{"en", "what's on my calendar", `{"error":"the server is down"}`, "I'm sorry, I can't look into the calendar right now. Please try again later."},
		{"de", "welche Termine habe ich diese Woche", two, "Termine diese Woche: Dentist am Donnerstag um 9:30 Uhr und Holiday am Freitag."},
	} {
		got := route.Decide(rules, route.Input{Text: c.text, Language: c.language, Now: now, Tools: []string{"get_calendar"}})
		if got.Command == nil {
			t.Errorf("%q is not taken", c.text)
			continue
		}
		if answer, err := got.Command.Answer([]byte(c.result)); err != nil || answer != c.want {
			t.Errorf("%q: %q, %v", c.text, answer, err)
		}
	}
}
