package workflow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

// speaking is a speech of the language with those sentences.
func speaking(language string, says map[string]string) workflow.Speech {
	speech := english()
	speech.Language, speech.Says, speech.HourMinute = language, says, "15:04"
	return speech
}

func TestSentencesFallBackToEnglish(t *testing.T) {
	dutch := speaking("nl", map[string]string{"bye": "Dag {name}.", "when": "{day}/{month_number} {hour}.{minute}"})
	dutch.Months = strings.Fields("jan feb mrt apr mei jun jul aug sep okt nov dec")
	flows, err := workflow.Compile(nil, []workflow.Speech{
		dutch, speaking("en", map[string]string{"bye": "Bye {name}.", "hello": "Hello.", "when": "{month} {day}, {time}"}),
		speaking("nl", map[string]string{"bye": "Doei {name}."}), // a file of the user's, which was written before there was "when"
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 5, 9, 30, 0, 0, time.UTC)
	for want, got := range map[string]string{
		"Doei Ann.": flows.Say("nl-BE", "bye", "name", "Ann"), "Hello.": flows.Say("nl", "hello"), "Bye Ann.": flows.Say("fr", "bye", "name", "Ann"),
		"5/3 09.30": flows.SayTime("nl", "when", at), "March 5, 09:30": flows.SayTime("fr", "when", at), "": flows.Say("en", "nothing"),
	} {
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	if got := flows.Lacks("nl"); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("Dutch lacks %q", got)
	}
	if spoken := flows.Spoken("nl-BE") + flows.Spoken("fr"); spoken != "nlen" {
		t.Errorf("spoken are %s", spoken)
	}
	var none *workflow.Flows
	if none.Say("en", "hello")+none.SayTime("en", "when", at) != "" || none.Lacks("en") != nil || none.Spoken("nl") != "en" {
		t.Error("nobody has sentences")
	}
}

func TestWrongSentences(t *testing.T) {
	reference := speaking("en", map[string]string{"bye": "Bye {name}.", "when": "{time}"})
	for sentence, want := range map[[2]string]string{
		{"bie", "Dag."}:        `says.bie: there is no sentence "bie"; did you mean "bye"?`,
		{"bye", "Dag {nane}."}: `says.bye: there is no field "nane"; did you mean "name"?`,
		{"bye", "Dag {name"}:   "says.bye: a { needs a name and a }",
		{"bye", ""}:            "says.bye: is missing",
		{"when", "{clock}"}:    `says.when: there is no field "clock"`,
	} {
		flows, err := workflow.Compile(nil, []workflow.Speech{speaking("nl", map[string]string{sentence[0]: sentence[1]}), reference}, nil)
		var mistake *workflow.Error
		if !errors.As(err, &mistake) || !tells(mistake, want) {
			t.Errorf("%q: error %v, want %q", sentence, err, want)
		}
		if got := flows.Spoken("nl"); got != "en" {
			t.Errorf("%q: a speech with a mistake is spoken as %s", sentence, got)
		}
	}
}
