package flows_test

import (
	"testing"
	"time"

	"chatterbox/loop/route"
)

var actionTools = []string{"list_reminders", "delete_reminder", "complete_reminder", "cancel_appointment", "reschedule_appointment", "check_availability",
	"lookup_customer"}

func act(t *testing.T, text, language string) *route.Command {
	t.Helper()
	now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC) // a Wednesday
	return route.Decide(load(t), route.Input{Text: text, Language: language, Now: now, Tools: actionTools}).Command
}

func TestWhatIsChanged(t *testing.T) {
	for _, c := range []struct{ language, text, tool, arguments string }{
		{"en", "delete the reminder to call mom", "delete_reminder", `{"message":"call mom"}`},
		{"en", "please remove my reminder about the trash", "delete_reminder", `{"message":"trash"}`},
		{"en", "mark the reminder about milk as done", "complete_reminder", `{"message":"milk"}`},
		{"en", "cancel my appointment tomorrow", "cancel_appointment", `{"date":"2026-03-05"}`},
		{"en", "cancel my appointment tomorrow at ten", "cancel_appointment", `{"date":"2026-03-05","time":"10:00"}`},
		{"en", "cancel the appointment with Sarah Johnson", "cancel_appointment", `{"customer_name":"Sarah Johnson"}`},
		{"en", "cancel the appointment with Sarah Johnson on Friday", "cancel_appointment", `{"customer_name":"Sarah Johnson","date":"2026-03-06"}`},
		{"en", "cancel Sarah's appointment tomorrow", "cancel_appointment", `{"customer_name":"Sarah","date":"2026-03-05"}`},
		{"en", "move my appointment tomorrow to ten", "reschedule_appointment", `{"date":"2026-03-05","new_time":"10:00"}`},
		{"en", "move my appointment on Friday to Monday", "reschedule_appointment", `{"date":"2026-03-06","new_date":"2026-03-09"}`},
		{"en", "move my appointment tomorrow to Friday at 3 pm", "reschedule_appointment", `{"date":"2026-03-05","new_date":"2026-03-06","new_time":"15:00"}`},
		{"en", "move the appointment with Sarah to three pm", "reschedule_appointment", `{"customer_name":"Sarah","new_time":"15:00"}`},
		{"de", "lösche die Erinnerung an den Müll", "delete_reminder", `{"message":"Müll"}`},
		{"de", "sag meinen Termin morgen ab", "cancel_appointment", `{"date":"2026-03-05"}`},
		{"de", "verschiebe meinen Termin am Freitag auf zehn Uhr", "reschedule_appointment", `{"date":"2026-03-06","new_time":"10:00"}`},
		{"en", "cancel my dentist appointment tomorrow", "cancel_appointment", `{"customer_name":"dentist","date":"2026-03-05"}`},
		{"en", "move my appointment on Friday at two to Monday at ten", "reschedule_appointment",
			`{"date":"2026-03-06","new_date":"2026-03-09","new_time":"10:00","time":"14:00"}`},
		{"de", "verschieb meinen Termin morgen um zehn auf elf Uhr", "reschedule_appointment", `{"date":"2026-03-05","new_time":"11:00","time":"10:00"}`},
		{"en", "are you free on Thursday at two", "check_availability", `{"date":"2026-03-05","time":"14:00"}`},
		{"en", "uh is tomorrow um at ten still available", "check_availability", `{"date":"2026-03-05","time":"10:00"}`},
		{"de", "haben Sie am Donnerstag um zwei noch etwas frei", "check_availability", `{"date":"2026-03-05","time":"14:00"}`},
		{"en", "are you free of sugar at two", "", ""},
		{"en", "cancel my next appointment", "", ""},
		{"en", "cancel my appointment", "", ""},
		{"en", "cancel all my appointments", "", ""},
		{"en", "cancel my appointment with Sarah because I am sick", "", ""},
		{"en", "reschedule my appointment to Friday", "", ""},
		{"en", "delete the reminder", "", ""},
	} {
		got := act(t, c.text, c.language)
		switch {
		case c.tool == "" && got != nil:
			t.Errorf("%q is taken: %s %s", c.text, got.Tool, got.Arguments)
		case c.tool != "" && (got == nil || got.Tool != c.tool || string(got.Arguments) != c.arguments):
			t.Errorf("%q: %+v, want %s %s", c.text, got, c.tool, c.arguments)
		}
	}
}

func TestWhatIsSaidOfChanges(t *testing.T) {
	const two = `[{"id":"1","message":"call mom","at":"2026-03-05T17:00","recurrence":""},{"id":"2","message":"bins","at":"","recurrence":""}]`
	for _, c := range []struct{ language, text, result, want string }{
		{"en", "what are my reminders", `{"reminders":` + two + `}`, "Your reminders: call mom on March 5 at 5:00 PM and bins."},
		{"en", "what are my reminders", `{"reminders":[]}`, "You have no reminders."},
		{"de", "welche Erinnerungen habe ich", `{"reminders":` + two + `}`, "Deine Erinnerungen: call mom am 5.3. um 17:00 Uhr und bins."},
		{"en", "delete the reminder to call mom", `{"deleted":{"id":"1","message":"call mom","at":""}}`, `The reminder is deleted. It was "call mom".`},
		{"en", "delete the reminder to call mom", `{"error":"There is no such reminder"}`, "I have no reminder like that."},
		{"en", "delete the reminder to call mom", `{"error":"Several reminders fit. Say which one is meant","candidates":` + two + `}`,
			"Several reminders fit: call mom on March 5 at 5:00 PM and bins. Please say which one."},
		{"en", "cancel my appointment tomorrow", `{"cancelled":{"title":"Free Estimate - Bob","date":"2026-03-05","time":"09:00"}}`,
			"Done. Free Estimate - Bob is cancelled."},
		{"en", "move my appointment tomorrow to ten", `{"title":"Free Estimate - Bob","date":"2026-03-05","time":"10:00"}`, "Done. Free Estimate - Bob is moved to ten."},
		{"en", "move my appointment tomorrow to Friday at 3 pm", `{"title":"Call - Bob"}`, "Done. Call - Bob is moved to Friday at 3 pm."},
		{"en", "move my appointment tomorrow to ten", `{"error":"That time is taken","alternatives":[{"date":"2026-03-05","time":"11:00"}]}`,
			"That time is taken. There is March 5 at 11:00 AM."},
		{"en", "are you free tomorrow at two", `{"available":true}`, "Yes, tomorrow at two is free."},
		{"en", "are you free tomorrow at two", `{"available":false,"alternatives":[{"date":"2026-03-05","time":"15:00"}]}`,
			"No, that time is taken. There is March 5 at 3:00 PM."},
		{"de", "sag meinen Termin morgen ab", `{"error":"no answer"}`, "Ich konnte den Kalender nicht ändern."},
	} {
		got := act(t, c.text, c.language)
		if got == nil {
			t.Errorf("%q is not taken", c.text)
			continue
		}
		if answer, err := got.Answer([]byte(c.result)); err != nil || answer != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, answer, err, c.want)
		}
	}
}

func TestWhoIsLookedUp(t *testing.T) {
	const one = `{"count":1,"customers":[{"name":"Anna Smith","phone":"816 555 0142","address":"9 Elm Street"}]}`
	for _, c := range []struct{ language, text, arguments, result, want string }{
		{"en", "what is the phone number of Anna Smith", `{"name":"Anna Smith"}`, one, "Anna Smith: 816 555 0142."},
		{"en", "what's Anna Smith's phone number", `{"name":"Anna Smith"}`, one, "Anna Smith: 816 555 0142."},
		{"en", "what is anna smiths number please", `{"name":"anna smith"}`, one, "Anna Smith: 816 555 0142."},
		{"en", "give me mrs. smith's email", `{"name":"smith"}`, one, "I have Anna Smith, but no email."},
		{"en", "what is the address of customer Anna Smith", `{"name":"Anna Smith"}`, one, "Anna Smith: 9 Elm Street."},
		{"en", "look up the customer Smith", `{"name":"Smith"}`, one, "Anna Smith, phone 816 555 0142, address 9 Elm Street."},
		{"en", "whose number is 816 555 0142", `{"phone":"816 555 0142"}`, one, "Anna Smith."},
		{"en", "what is the phone number of Smith", `{"name":"Smith"}`, `{"error":"There is no such customer"}`, "I have no such customer."},
		{"en", "what is the phone number of Smith", `{"name":"Smith"}`, `{"error":"Many customers fit. Say more","candidates":[{"name":"A Smith"},{"name":"B Smith"}]}`,
			"Many customers fit: A Smith and B Smith. Please say more of the name."},
		{"en", "what is the phone number of Smith", `{"name":"Smith"}`, `{"error":"The address book did not answer in time"}`, "I'm sorry, I can't get at the address book right now."},
		{"de", "wie ist die Telefonnummer von Frau Schmidt", `{"name":"Schmidt"}`, one, "Anna Smith: 816 555 0142."},
		{"de", "wie lautet Anna Schmidts Adresse", `{"name":"Anna Schmidt"}`, one, "Anna Smith: 9 Elm Street."},
		{"de", "hast du Anna Schmidts Mailadresse", `{"name":"Anna Schmidt"}`, one, "Ich habe Anna Smith, aber keine Mailadresse."},
		{"de", "such den Kunden Schmidt", `{"name":"Schmidt"}`, one, "Anna Smith, Telefon 816 555 0142, Adresse 9 Elm Street."},
		{"de", "wer hat die Nummer 0171 5550199", `{"phone":"0171 5550199"}`, `{"error":"There is no such customer"}`, "So einen Kunden habe ich nicht."},
	} {
		got := act(t, c.text, c.language)
		if got == nil || string(got.Arguments) != c.arguments {
			t.Errorf("%q: %+v, want %s", c.text, got, c.arguments)
			continue
		}
		if answer, err := got.Answer([]byte(c.result)); err != nil || answer != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, answer, err, c.want)
		}
	}
}
