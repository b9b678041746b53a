package workflow_test

import (
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

// TestATimeThatNobodyHeardIsNotBooked says yes in the same breath as that any time will do.
func TestATimeThatNobodyHeardIsNotBooked(t *testing.T) {
	down := workflow.Result{Content: `{"error":"down"}`}
	taken := workflow.Result{Content: `{"available":false,"alternatives":[{"date":"2026-03-06","time":"12:00"}]}`}
	for name, c := range map[string]struct {
		results []workflow.Result
		said    []string
		asks    string
	}{
		"a yes beside it":            {nil, []string{"book a visit name:Ann address:Main_1", "yes asap"}, "Book Ann at Main 1 today at 10:30 AM?"},
		"a yes while it is not free": {[]workflow.Result{taken}, []string{"book a visit name:Ann address:Main_1", "yes asap"}, "Book Ann at Main 1 today at 12 PM?"},
		"a yes after a failure":      {[]workflow.Result{down}, []string{"book a visit name:Ann address:Main_1 asap", "yes"}, "Book Ann at Main 1 today at 10:30 AM?"},
		"a yes and a day after a failure": {[]workflow.Result{down}, []string{"book a visit name:Ann address:Main_1 asap", "yes date:2026-03-09"},
			"Book Ann at Main 1 on Monday at 9 AM?"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &talk{t: t, flows: compiled(t), now: now, results: c.results}
			var last workflow.Action
			for _, text := range c.said {
				last = d.say(text)
			}
			if last.Kind != workflow.Say || last.Reply != c.asks {
				t.Fatalf("%s %q", last.Kind, last.Reply)
			}
			if last = d.say("yes"); last.Kind != workflow.Done {
				t.Errorf("a yes to the question: %s %q", last.Kind, last.Reply)
			}
		})
	}
}

// TestATimeLeftOpenStaysAhead comes back to a time that passed before the check could look at it.
func TestATimeLeftOpenStaysAhead(t *testing.T) {
	d := &talk{t: t, flows: compiled(t), now: now, results: []workflow.Result{{Content: `{"error":"down"}`}}}
	d.say("book a visit name:Ann address:Main_1 asap")
	for range 8 {
		d.now = d.now.Add(9 * time.Minute)
		d.say("pardon")
	}
	last := d.say("try again")
	if at := d.state.Fields["time"].Value; at != "11:30" {
		t.Errorf("%s at %s: %q", at, d.now.Format(time.TimeOnly), last.Reply)
	}
}
