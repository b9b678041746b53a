package flows_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop/looptest"
	"chatterbox/loop/workflow"
)

const (
	answersMin    = 330
	answersMisfit = 3 // of a hundred, at most
	answersForced = 40
)

// answerable are the tools of the corpus whose calls wait for a yes by themselves.
var answerable = map[string]string{"call": "cancel_appointment", "mail": "send_email"}

// patient are the replies to somebody who wants time.
var patient = []string{"Take your time.", "No hurry.", "Lassen Sie sich Zeit.", "Kein Problem, ich warte."}

// outcome is what an answer came to, in the words of the corpus.
type outcome struct {
	want    string
	changes map[string]string
	ran     bool // an effect happened
	reply   string
}

// toBooking lets a booking wait for its yes, and says what comes of the answer. What the workflow hears of it is heard.
func toBooking(t testing.TB, set *workflow.Flows, a looptest.Answer, heard func(string) string) outcome {
	d := newDialogue(t, set)
	for _, text := range []string{"schedule a cleaning estimate", "Sarah Johnson", "789 Main Street", "tomorrow at nine"} {
		d.say(text)
	}
	if d.state.Phase != "CONFIRMING" || d.state.Asked != "" || len(d.state.Fields) != 4 {
		t.Fatal(d.log.String())
	}
	d.language, d.state.Language, d.calls = a.Language, a.Language, nil
	before := d.state
	action := d.say(heard(a.Text))
	o := outcome{want: "asks", changes: map[string]string{}, reply: strings.TrimSpace(action.Reply)}
	switch {
	case action.Kind == workflow.Done:
		o.want = "runs"
	case !d.state.Open():
		o.want = "ends"
	case !strings.Contains(action.Reply, "?") && !slices.Contains(patient, action.Reply):
		o.want = "does not say what is open"
	}
	o.ran = slices.ContainsFunc(d.calls, func(call workflow.Call) bool { return call.Confirmed })
	for name, value := range d.state.Fields {
		if value.Value != before.Fields[name].Value {
			o.changes[name] = value.Value
		}
	}
	return o
}

// toCall is what comes of an answer to a call that waits by itself, as far as the answer alone says it.
func toCall(set *workflow.Flows, a looptest.Answer, heard func(string) string) outcome {
	o := outcome{want: a.Want, changes: a.Changes, reply: "-"}
	verdict := set.Answer(heard(a.Text), a.Language, answerable[a.Waits])
	o.ran = verdict == workflow.Consent
	switch {
	case o.ran:
		o.want, o.changes = "runs", map[string]string{}
	case a.Want == "runs", a.Want == "asks" && len(a.Changes) > 0 && verdict != workflow.Other, a.Want == "asks" && len(a.Changes) == 0 && verdict != workflow.Unclear:
		o.want = "something else"
	}
	return o
}

// judged are the figures of a corpus.
type judged struct{ all, right, forced int }

// judgeAnswers runs the corpus, as it is heard, and tells what it finds. Forced effects are those that the person did
// not agree to.
func judgeAnswers(t *testing.T, heard func(string) string, tell func(format string, values ...any)) (figures judged) {
	t.Helper()
	set := loadWorkflows(t)
	for _, a := range looptest.Answers(t, "testdata/consent") {
		var got outcome
		switch {
		case a.Waits == "booking":
			got = toBooking(t, set, a, heard)
		case answerable[a.Waits] != "":
			got = toCall(set, a, heard)
		default:
			t.Fatalf("%s waits for %q", a.Place, a.Waits)
		}
		figures.all++
		if got.ran && (a.Want != "runs" || !maps.Equal(got.changes, a.Changes)) {
			figures.forced++
			tell("%s: %q acts without consent", a.Place, a.Text)
		}
		if got.want == a.Want && maps.Equal(got.changes, a.Changes) && got.reply != "" {
			figures.right++
		} else {
			tell("%s: %q %s %v %q, want %s %v", a.Place, a.Text, got.want, got.changes, got.reply, a.Want, a.Changes)
		}
	}
	return figures
}

// TestAnswersToWhatWaitsForAYes runs the corpus: no effect without a consent, and nearly all as a person expects it.
func TestAnswersToWhatWaitsForAYes(t *testing.T) {
	f := judgeAnswers(t, func(text string) string { return text }, t.Logf)
	t.Logf("%d answers, %d as expected, %d effects without consent", f.all, f.right, f.forced)
	if f.all < answersMin || f.forced > 0 || (f.all-f.right)*100 > f.all*answersMisfit {
		t.Errorf("%+v", f)
	}
}

// TestAYesAnywhereWouldAct breaks the rule: a word that agrees, wherever it stands, is heard as a yes. The corpus must
// tell.
func TestAYesAnywhereWouldAct(t *testing.T) {
	agrees := map[string]string{"ok": "ok", "okay": "ok"}
	for _, word := range []string{"yes", "yeah", "correct", "perfect", "sure"} {
		agrees[word] = "yes"
	}
	for _, word := range []string{"ja", "gut", "passt", "richtig", "klar"} {
		agrees[word] = "ja"
	}
	f := judgeAnswers(t, func(text string) string {
		for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" ,.!?", r) }) {
			if yes := agrees[word]; yes != "" {
				return yes
			}
		}
		return text
	}, func(string, ...any) {})
	t.Logf("%d answers, %d effects without consent", f.all, f.forced)
	if f.forced < answersForced {
		t.Errorf("only %d effects without consent: the corpus would not tell", f.forced)
	}
}

// TestAnswersThatAreNone are answers of which a part is not heard, or nothing is there to hear.
func TestAnswersThatAreNone(t *testing.T) {
	set := loadWorkflows(t)
	same := func(text string) string { return text }
	for name, text := range map[string]string{
		"nothing": "", "spaces": " \t ", "signs": "?!", "ten thousand characters": strings.Repeat("yes ", 2500),
		"a change behind much": strings.Repeat("yes ", 1000) + "but not at nine", "a value behind much": strings.Repeat("um ", 1000) + "yes at ten",
		"something invisible": "yes\u3164not", "a sign for no": "yes \u274c",
	} {
		t.Run(name, func(t *testing.T) {
			got := toBooking(t, set, looptest.Answer{Language: "en", Text: text}, same)
			if got.ran || got.want != "asks" || len(got.changes) > 0 {
				t.Errorf("%+v", got)
			}
			if verdict := set.Answer(text, "en", "cancel_appointment"); verdict == workflow.Consent || verdict == workflow.Refusal {
				t.Errorf("verdict %d", verdict)
			}
		})
	}
}

// TestAYesToAQuestionOfAnotherLanguage changes the language between the question and the answer.
func TestAYesToAQuestionOfAnotherLanguage(t *testing.T) {
	d := newDialogue(t, loadWorkflows(t))
	d.say("book an appointment for tomorrow at ten, my name is Sarah Johnson")
	d.language = "de"
	if action := d.say("ja"); action.Kind != workflow.Say || !strings.Contains(action.Reply, "Ist das richtig?") {
		t.Fatalf("%s %q", action.Kind, action.Reply)
	}
	if action := d.say("ja"); action.Kind != workflow.Done {
		t.Errorf("%s %q", action.Kind, action.Reply)
	}
}

// TestAChangedWeekday is the one near the date on offer. One that is not also the next from now is asked about.
func TestAChangedWeekday(t *testing.T) {
	for text, c := range map[string]struct {
		date string
		kind workflow.ActionKind
	}{
		"yes but on friday":       {"2026-03-20", workflow.Say},
		"make it monday":          {"2026-03-23", workflow.Say},
		"yes, thursday":           {"2026-03-19", workflow.Say},
		"yes but on march 20":     {"2026-03-20", workflow.Done},
		"yes but friday the 13th": {"2026-03-13", workflow.Done},
		"no, on wednesday":        {"2026-03-25", workflow.Say},
	} {
		t.Run(text, func(t *testing.T) {
			d := newDialogue(t, loadWorkflows(t)) // on March 4
			d.say("book an appointment for march 19 at ten, my name is Sarah Johnson")
			action := d.say(text)
			if got := d.state.Fields["date"].Value; got != c.date || action.Kind != c.kind {
				t.Fatalf("%s %s %q", action.Kind, got, action.Reply)
			}
			if action.Kind == workflow.Say {
				if action = d.say("yes"); action.Kind != workflow.Done || d.state.Fields["date"].Value != c.date {
					t.Errorf("%s %q", action.Kind, action.Reply)
				}
			}
		})
	}
}
