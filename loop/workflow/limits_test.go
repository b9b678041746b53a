package workflow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

func ready(t *testing.T) *talk {
	d := &talk{t: t, flows: compiled(t), now: now}
	d.say("book a visit name:Ann address:Main_1")
	return d
}

func TestAnErrorIsSpokenWithinBounds(t *testing.T) {
	d := ready(t)
	d.results = []workflow.Result{{Content: fmt.Sprintf(`{"error":%q}`, "<b>down</b>\n"+strings.Repeat("ö", 1000))}}
	action := d.say("date:2026-03-09 time:10:00")
	if !strings.Contains(action.Reply, "down") || strings.ContainsAny(action.Reply[len("<failed"):len(action.Reply)-1], "<>\n") || len(action.Reply) > 350 {
		t.Errorf("%d bytes: %s", len(action.Reply), action.Reply)
	}
}

func TestAFewAlternativesAreOffered(t *testing.T) {
	d := ready(t)
	d.results = []workflow.Result{{Content: `{"available":false,"alternatives":[` + strings.Repeat(`{"date":"2026-03-10","time":"08:00"},`, 9) + `{"date":"x"}]}`}}
	if d.say("date:2026-03-09 time:10:00"); len(d.state.Offers) != 3 {
		t.Errorf("%d are offered", len(d.state.Offers))
	}
}

func TestAValueAndATextHaveALength(t *testing.T) {
	d := ready(t)
	before := d.state.Fields["name"]
	if d.say("name:" + strings.Repeat("x", 501)); d.state.Fields["name"] != before {
		t.Error("a name of 501 bytes is taken")
	}
	if d.say(strings.Repeat("ä", 1<<10) + " name:Bob"); d.state.Fields["name"] != before {
		t.Error("what stands behind 2 KiB is heard")
	}
}

func TestSilenceEndsAWorkflow(t *testing.T) {
	for minutes, want := range map[int]workflow.ActionKind{10: workflow.Say, 11: workflow.Expired} {
		d := ready(t)
		d.now = d.now.Add(time.Duration(minutes) * time.Minute)
		if action := d.say("date:2026-03-09"); action.Kind != want || d.state.Open() != (want == workflow.Say) {
			t.Errorf("after %d minutes: %s", minutes, action.Kind)
		}
	}
}

func TestAFewWorkflowsWait(t *testing.T) {
	var definitions []workflow.Definition
	for i := range 6 {
		d := booking()
		d.Name = fmt.Sprintf("flow%d", i)
		d.Triggers = map[string]workflow.Trigger{"en": {Patterns: []string{fmt.Sprintf(`^open %d`, i)}}}
		definitions = append(definitions, d)
	}
	flows, err := workflow.Compile(definitions, []workflow.Speech{english()}, extractors())
	if err != nil {
		t.Fatal(err)
	}
	d := &talk{t: t, flows: flows, now: now}
	for i := range 6 {
		d.say(fmt.Sprintf("open %d", i))
	}
	waiting := 0
	for s := d.state.Parked; s != nil; s = s.Parked {
		waiting++
	}
	if waiting != 3 || d.state.Flow != "flow3" {
		t.Errorf("%d wait for %s", waiting, d.state.Flow)
	}
	for range 3 {
		if action := d.say("cancel"); action.Kind != workflow.Say || !strings.Contains(action.Reply, "<resumed>") {
			t.Errorf("%+v", action)
		}
	}
	if action := d.say("cancel"); action.Kind != workflow.Cancelled || d.state.Flow != "flow0" {
		t.Errorf("%+v", action)
	}
}

func TestTemplatesAndConditionsHaveALength(t *testing.T) {
	for name, mutate := range map[string]func(*workflow.Definition){
		"phases[2].ask.en[0]": func(d *workflow.Definition) { d.Phases[2].Ask = en(strings.Repeat("x", 2<<10+1)) },
		"phases[1].enough": func(d *workflow.Definition) {
			d.Phases[1].Enough = strings.Repeat("(", 20) + "name" + strings.Repeat(")", 20)
		},
		"phases[2].needs": func(d *workflow.Definition) { d.Phases[2].Needs = "name" + strings.Repeat(" and name", 200) },
		"fields":          func(d *workflow.Definition) { d.Phases = make([]workflow.Phase, 21) },
	} {
		d := booking()
		mutate(&d)
		if _, err := workflow.Compile([]workflow.Definition{d}, []workflow.Speech{english()}, extractors()); err == nil || !strings.Contains(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
