package flows_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
	"chatterbox/runtime/flows"
)

// TestQuestionsAboutCalls holds what is asked about one call: a sentence in the person's language over the arguments
// that run.
func TestQuestionsAboutCalls(t *testing.T) {
	const id = `"event_id":"5f3c"`
	for _, c := range []struct{ language, tool, arguments, want string }{
		{"en", "cancel_appointment", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`, "Shall I cancel Bob Miller's appointment on Friday at 9 AM?"},
		{"de", "cancel_appointment", `{"customer_name":"Bob Miller","date":"2026-03-06","time":"09:00"}`, "Soll ich den Termin von Bob Miller am Freitag um 9 Uhr absagen?"},
		{"de-AT", "cancel_appointment", `{"date":"2026-03-05"}`, "Soll ich den Termin morgen absagen?"},
		{"en", "cancel_appointment", `{"date":"2026-11-23","time":"09:30:00"}`, "Shall I cancel the appointment on Monday, November 23 at 9:30 AM?"},
		{"en", "cancel_appointment", `{"customer_name":"Bob Miller",` + id + `}`, "Shall I cancel Bob Miller's appointment?"},
		{"en", "cancel_appointment", `{` + id + `}`, `Shall I go ahead with "Cancel an appointment", with event id "5f3c"?`},
		{"en", "reschedule_appointment", `{"date":"2026-03-05","new_time":"11:00"}`, "Shall I move the appointment tomorrow to 11 AM?"},
		{"en", "reschedule_appointment", `{"customer_name":"Ann Lee","new_date":"2026-03-06","new_time":"11:00"}`, "Shall I move Ann Lee's appointment, so that it is on Friday at 11 AM?"},
		{"de", "reschedule_appointment", `{"date":"2026-03-05","new_date":"2026-03-06"}`, "Soll ich den Termin morgen verschieben, so dass er am Freitag ist?"},
		{"en", "reschedule_appointment", `{` + id + `,"new_date":"2026-03-06"}`, `Shall I go ahead with "Move an appointment", with event id "5f3c", new date on Friday?`},
		{"en", "book_appointment", `{"customer_name":"Sarah Johnson","date":"2031-03-05","time":"09:00","service":"Window Cleaning"}`,
			`Shall I book an appointment for Sarah Johnson on Wednesday, March 5, 2031 at 9 AM, for "Window Cleaning"?`},
		{"en", "delete_reminder", `{"message":"call mom"}`, `Shall I delete the reminder "call mom"?`},
		{"de", "delete_reminder", `{"message":"Müll","id":"7"}`, "Soll ich die Erinnerung „Müll“ löschen?"},
		{"en", "set_reminder", `{"message":"call mom","at":"2026-03-05T17:00","recurrence":"FREQ=DAILY"}`,
			`Shall I remind you tomorrow at 5 PM: call mom, with recurrence "FREQ=DAILY"?`},
		{"en", "send_email", `{"to":"ada@example.org","subject":"Dinner","text":"Dinner is at seven."}`,
			`Shall I send ada@example.org an email about "Dinner": "Dinner is at seven."?`},
		{"de", "send_email", `{"to":"ada@example.org","text":"Um sieben."}`, "Soll ich ada@example.org eine E-Mail schicken: „Um sieben.“?"},
		{"en", "send_email", `{"to":"ada@example.org","text":"Hi.","bcc":"eve@example.org"}`,
			`Shall I send ada@example.org an email: "Hi.", with bcc "eve@example.org"?`},
		{"en", "create_issue", `{"title":"It breaks","due_date":"2026-03-06","labels":["a","b"],"urgent":true}`,
			`Shall I go ahead with "Create an issue", with due date on Friday, labels ["a","b"], title "It breaks", urgent true?`},
		{"de", "create_issue", `{}`, "Soll ich das ausführen: Create an issue?"},
		{"fr", "create_issue", `{}`, `Shall I go ahead with "Create an issue"?`},
	} {
		title := map[string]string{"cancel_appointment": "Cancel an appointment", "reschedule_appointment": "Move an appointment",
			"create_issue": "Create an issue"}[c.tool]
		if got := question(t, loadWorkflows(t), c.language, c.tool, title, c.arguments); got != c.want {
			t.Errorf("%s %s %s\n got %s\nwant %s", c.language, c.tool, c.arguments, got, c.want)
		}
	}
}

func question(t *testing.T, set *workflow.Flows, language, tool, title, arguments string) string {
	t.Helper()
	call := workflow.AskedCall{Tool: tool, Title: title, Language: language}
	if err := json.Unmarshal([]byte(arguments), &call.Arguments); err != nil {
		t.Fatal(arguments, err)
	}
	return set.CallQuestion(call, time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC))
}

func TestALongArgumentShowsItsEnds(t *testing.T) {
	text := "Begin here. " + strings.Repeat("filler ", 300) + "And send the money to Eve."
	got := question(t, loadWorkflows(t), "en", "send_email", "", `{"to":"ada@example.org","text":"`+text+`"}`)
	if !strings.Contains(got, `: "Begin here.`) || !strings.Contains(got, "send the money to Eve. (2138 characters in all)") || len(got) > 400 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// TestAnotherLanguageIsAFile holds that a language needs no code to ask about calls.
func TestAnotherLanguageIsAFile(t *testing.T) {
	english, err := os.ReadFile("builtin/speech_en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	french := strings.NewReplacer("speech: en", "speech: fr", "Shall I delete the reminder", "Dois-je effacer le rappel",
		"Nothing was deleted.", "Rien n'a été effacé.").Replace(string(english))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "speech_fr.yaml"), []byte(french), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := flows.Workflows(flows.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := question(t, set, "fr-FR", "delete_reminder", "", `{"message":"pain"}`); got != `Dois-je effacer le rappel "pain"?` {
		t.Error(got)
	}
	if got := set.CallDropped("delete_reminder", "fr"); got != "Rien n'a été effacé." {
		t.Error(got)
	}
}

func TestWhatIsSaidOfADroppedCall(t *testing.T) {
	set := loadWorkflows(t)
	for _, c := range []struct{ language, tool, want string }{
		{"en", "cancel_appointment", "Nothing was cancelled."}, {"de", "cancel_appointment", "Es wurde nichts abgesagt."},
		{"en", "send_email", "Nothing was sent."}, {"en", "create_issue", "Nothing was done."}, {"de", "create_issue", "Es wurde nichts gemacht."},
	} {
		if got := set.CallDropped(c.tool, c.language); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.language, c.tool, got, c.want)
		}
	}
}

// TestBothLanguagesWordTheSameCalls holds that the languages that come with the product word the same calls.
func TestBothLanguagesWordTheSameCalls(t *testing.T) {
	set := loadWorkflows(t)
	for _, tool := range []string{"book_appointment", "cancel_appointment", "reschedule_appointment", "set_reminder", "complete_reminder",
		"delete_reminder", "send_email", "send_notification"} {
		for _, language := range []string{"en", "de"} {
			if generic := set.CallDropped("", language); set.CallDropped(tool, language) == generic {
				t.Errorf("%s has no words in %s", tool, language)
			}
		}
	}
}

// TestASpeechWithoutSentences holds that a file from before there were sentences is read: what it lacks is named, and
// said as by the built-in file of its language, or in English.
func TestASpeechWithoutSentences(t *testing.T) {
	english, err := os.ReadFile("builtin/speech_en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(english), "\nsays:")
	_, after, _ := strings.Cut(rest, "\n\n")
	dir := t.TempDir()
	for _, language := range []string{"de", "fr"} {
		text := strings.Replace(before+"\n"+after, "speech: en", "speech: "+language, 1)
		if err := os.WriteFile(filepath.Join(dir, "speech_"+language+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, lacks, err := flows.CheckWorkflow(filepath.Join(dir, "speech_fr.yaml"), flows.Options{})
	if err != nil || len(lacks) < 30 || !slices.Contains(lacks, "mode_entered") {
		t.Errorf("it lacks %q; %v", lacks, err)
	}
	if _, lacks, err = flows.CheckWorkflow(filepath.Join(dir, "speech_de.yaml"), flows.Options{}); err != nil || len(lacks) > 0 {
		t.Errorf("German lacks %q; %v", lacks, err)
	}
	set, err := flows.Workflows(flows.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{"fr": "I'm in home mode now.", "de-AT": "Ich bin jetzt im Modus home."} {
		if got := set.Say(language, "mode_entered", "mode", "home"); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}

// TestTheBuiltInLanguagesLackNoSentence also holds that the files name what each sentence refers to.
func TestTheBuiltInLanguagesLackNoSentence(t *testing.T) {
	set := loadWorkflows(t)
	for _, language := range []string{"en", "de"} {
		if lacks := set.Lacks(language); len(lacks) > 0 {
			t.Errorf("%s lacks %q", language, lacks)
		}
	}
}
