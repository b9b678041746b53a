package flows_test

import (
	"testing"

	"chatterbox/loop/looptest"
	"chatterbox/loop/workflow"
)

// answerable are the tools of the corpus whose calls wait for a yes by themselves.
var answerable = map[string]string{"call": "cancel_appointment", "mail": "send_email"}

// TestAnswersToACall reads the corpus where a single call waits: what runs it is a consent and nothing else.
func TestAnswersToACall(t *testing.T) {
	set := loadWorkflows(t)
	read := 0
	for _, a := range looptest.Answers(t, "testdata/consent") {
		tool := answerable[a.Waits]
		if tool == "" {
			continue
		}
		read++
		if got := set.Answer(a.Text, a.Language, tool); got == workflow.Consent && a.Want != "runs" {
			t.Errorf("%s: %q is a consent, want %s", a.Place, a.Text, a.Want)
		}
	}
	if read < 31 {
		t.Errorf("read %d answers", read)
	}
}
