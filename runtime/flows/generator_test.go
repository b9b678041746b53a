package flows_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/workflow"
)

var many = flag.Bool("dialogues.many", false, "invent 20 times as many dialogues")

const (
	inventedBookings  = 1000
	inventedReminders = 500
	inventedCalls     = 200
	inventedTurnsMax  = 60 // nobody talks longer
)

// TestInventedDialogues lets invented people reach what they want. Every dialogue must end with the right data and with
// one call that acted, and by no answer that only has a yes in it.
func TestInventedDialogues(t *testing.T) {
	set := loadWorkflows(t)
	times := 1
	if *many {
		times = 20
	}
	for name, kind := range map[string]struct {
		count  int
		invent func(t *testing.T, set *workflow.Flows, seed uint64) (open int, err error)
	}{
		"bookings": {inventedBookings, inventBooking}, "reminders": {inventedReminders, inventReminder}, "calls": {inventedCalls, inventCall},
	} {
		t.Run(name, func(t *testing.T) {
			failures, open := 0, 0
			for seed := range uint64(kind.count * times) {
				n, err := kind.invent(t, set, seed)
				open += n
				if err != nil {
					if failures++; failures <= 5 {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			}
			t.Logf("%d of %d completed with the right data and one call that acted", kind.count*times-failures, kind.count*times)
			t.Logf("%d answers had a yes in them and were none", open)
			if failures > 0 {
				t.Errorf("%d failed", failures)
			}
			if open < kind.count/4 && name != "reminders" { // which nobody is asked about once they are understood
				t.Errorf("only %d answers left open whether the person agrees", open)
			}
		})
	}
}

func inventBooking(t *testing.T, set *workflow.Flows, seed uint64) (open int, err error) {
	d := newDialogue(t, set)
	p := newPerson(seed, d.now)
	p.facts = map[string]said{"customer_name": p.name(), "address": p.address(), "date": p.day(), "time": p.clock()}
	opening := pick(p, "schedule a cleaning estimate", "I'd like to book an appointment", "can you schedule an appointment for me", "I need an appointment", "book an estimate please")
	fields := []string{"customer_name", "address", "date", "time"}
	if p.IntN(3) == 0 {
		p.wrong["date"] = p.day()
	}
	if p.IntN(4) == 0 {
		p.wrong["address"] = p.address()
	}
	if p.IntN(4) == 0 {
		p.wrong["time"] = p.clock()
	}
	err = p.lead(d, opening, fields, "book_appointment", func(arguments map[string]string) string {
		return fmt.Sprint(arguments["customer_name"], arguments["address"], arguments["date"], arguments["time"])
	}, func() string {
		return fmt.Sprint(p.facts["customer_name"].value, p.facts["address"].value, p.facts["date"].value, p.facts["time"].value)
	})
	return p.opens, err
}

func inventReminder(t *testing.T, set *workflow.Flows, seed uint64) (open int, err error) {
	d := newDialogue(t, set)
	p := newPerson(seed, d.now)
	task := pick(p, "call mom", "take out the trash", "water the plants", "buy milk and eggs", "pay the rent", "feed the cat", "send the report", "pick up the kids", "take my pills")
	p.facts = map[string]said{"message": {task, task}, "date": p.day(), "time": p.clock()}
	p.atOnce = true
	opening, fields := "set a reminder", []string{"message", "date", "time"}
	if p.IntN(2) == 0 {
		opening, p.told["message"] = "remind me to "+task, true
	}
	err = p.lead(d, opening, fields, "set_reminder", func(arguments map[string]string) string {
		return arguments["message"] + " " + arguments["at"]
	}, func() string {
		return p.facts["message"].value + " " + p.facts["date"].value + "T" + p.facts["time"].value
	})
	return p.opens, err
}

func inventCall(t *testing.T, set *workflow.Flows, seed uint64) (open int, err error) {
	d := newDialogue(t, set)
	p := newPerson(seed, d.now)
	p.facts = map[string]said{"person": p.name(), "date": p.day(), "time": p.clock()}
	if p.IntN(3) == 0 {
		p.wrong["date"] = p.day()
	}
	opening := pick(p, "schedule a call", "set up a meeting", "arrange a phone call")
	err = p.lead(d, opening, []string{"person", "date", "time"}, "book_appointment", func(arguments map[string]string) string {
		return fmt.Sprint(arguments["title"], arguments["customer_name"], arguments["date"], arguments["time"])
	}, func() string {
		return fmt.Sprint("Call", p.facts["person"].value, p.facts["date"].value, p.facts["time"].value)
	})
	return p.opens, err
}

// lead talks until the workflow has ended, and compares what was done with what was wanted.
func (p *person) lead(d *dialogue, opening string, fields []string, tool string, did func(map[string]string) string, want func() string) error {
	text := opening
	for _, field := range p.untold(fields...) {
		if p.IntN(5) == 0 && field != "message" {
			text += " " + p.tell(field, false)
		}
	}
	if p.IntN(8) == 0 {
		text = pick(p, "hi ", "hello, ") + text
	}
	flow := ""
	for range inventedTurnsMax {
		p.trouble(d, tool)
		text = p.heard(text)
		d.logf("> %s", text)
		made := len(d.calls)
		action := d.say(text)
		if p.open && slices.ContainsFunc(d.calls[made:], func(call workflow.Call) bool { return call.Confirmed }) {
			return fmt.Errorf("%q acts\n%s", text, d.log.String())
		}
		p.open = false
		if flow == "" {
			if flow = d.state.Flow; flow == "" {
				return fmt.Errorf("%q opens nothing", text)
			}
		}
		if action.Kind == workflow.Done {
			return d.judge(tool, did, want())
		}
		if !d.state.Open() {
			return fmt.Errorf("the dialogue ends as %s\n%s", action.Kind, d.log.String())
		}
		text = p.answer(d, fields)
	}
	return fmt.Errorf("the dialogue does not end\n%s", d.log.String())
}

// trouble lets a tool fail, or find the time taken, now and then.
func (p *person) trouble(d *dialogue, tool string) {
	d.script = nil
	if p.detour == 0 || p.IntN(12) > 0 {
		return
	}
	p.detour--
	offer := fmt.Sprintf(`[{"date":%q,"time":%q}]`, p.now.AddDate(0, 0, 20+p.IntN(3)).Format("2006-01-02"), pick(p, "08:00", "13:00", "16:30"))
	if tool == "set_reminder" {
		d.script = []string{`{"error":"the disk is full"}`}
		return
	}
	d.script = []string{pick(p, `{"error":"the calendar does not answer"}`, `{"available":false,"error":"That time is taken","alternatives":`+offer+`}`)}
}

// answer is what the person says to the state of the dialogue.
func (p *person) answer(d *dialogue, fields []string) string {
	state := d.state
	if state.Parked != nil { // another workflow in between
		return pick(p, "yes", "cancel")
	}
	if p.detour > 0 && state.Flow != "reminder" && !state.Retry && len(state.Offers) == 0 && p.IntN(12) == 0 {
		p.detour--
		return pick(p, "remind me to feed the cat tomorrow at noon", "please remind me at 8 pm to lock the door")
	}
	if p.detour > 0 && len(state.Fields) > 0 && p.IntN(20) == 0 && !p.told["message"] {
		p.detour--
		clear(p.told)
		return pick(p, "start again", "no start over", "let's start over")
	}
	if p.detour > 0 && p.IntN(6) == 0 && !state.Retry {
		p.detour--
		return pick(p, p.aside(), p.lost(state.Asked))
	}
	if len(state.Offers) > 0 { // the person takes what is offered
		offer := state.Offers[0]
		p.facts["date"], p.facts["time"] = said{offer["date"], offer["date"]}, said{offer["time"], offer["time"]}
		delete(p.wrong, "date")
		delete(p.wrong, "time")
		p.told["date"], p.told["time"] = true, true
		if p.mistaken() != "" || len(p.untold(fields...)) > 0 {
			return "the first one"
		}
		return pick(p, "yes", "the first one", "yes the first one please")
	}
	if state.Retry {
		return "try again"
	}
	if state.Changing {
		if name := p.mistaken(); name != "" {
			return p.correct(name)
		}
		if name := p.unlike(state); name != "" {
			return p.tell(name, true)
		}
		return "nothing"
	}
	untold := p.untold(fields...)
	if state.Phase == "CONFIRMING" && state.Asked == "" {
		if p.detour > 0 && !state.Retry && p.IntN(2) == 0 {
			p.detour--
			return p.unagreed()
		}
		unlike := p.unlike(state)
		switch name := p.mistaken(); {
		case name != "" && p.IntN(2) == 0:
			if p.correct(name); len(untold) > 0 || p.mistaken() != "" || unlike != "" {
				return pick(p, "no ", "no, ", "no sorry ") + p.tell(name, false)
			}
			return pick(p, "no ", "no, ", "no sorry ", "yes but ") + p.tell(name, false)
		case name != "":
			return "no"
		case len(untold) > 0:
			return p.tell(untold[0], false)
		case unlike != "":
			return pick(p, "no ", "no, ", "no sorry ") + p.tell(unlike, false)
		}
		return p.yes()
	}
	answer := ""
	if state.Asked != "" && !p.told[state.Asked] {
		answer = p.tell(state.Asked, true)
	} else if len(untold) > 0 {
		answer = p.tell(untold[0], false)
	} else if state.Asked != "" { // told, but not understood
		return p.tell(state.Asked, true)
	}
	if more := p.untold(fields...); len(more) > 0 && p.IntN(4) == 0 && more[0] != "message" && state.Asked != "message" {
		answer += " " + p.tell(more[0], false)
	}
	return answer
}

// judge says what is wrong with what was done.
func (d *dialogue) judge(tool string, did func(map[string]string) string, want string) error {
	var last workflow.Call
	acted := 0
	for _, call := range d.calls {
		if (call.Confirmed || call.Unasked) && call.Tool == tool {
			last = call
			acted++
		}
	}
	failed := 0
	for line := range strings.Lines(d.log.String()) {
		if strings.HasPrefix(line, "| call "+tool) && !strings.HasSuffix(line, "-> {\"ok\":true}\n") {
			failed++
		}
	}
	if acted-failed != 1 || last.Tool != tool {
		return fmt.Errorf("%d calls acted\n%s", acted-failed, d.log.String())
	}
	arguments := map[string]any{}
	if err := json.Unmarshal(last.Arguments, &arguments); err != nil {
		return err
	}
	texts := map[string]string{}
	for name, value := range arguments {
		texts[name] = fmt.Sprint(value)
	}
	if missing := unsaid(texts, d.log.String()); missing != "" {
		return fmt.Errorf("%q was done and not said\n%s", missing, d.log.String())
	}
	if got := did(texts); !strings.EqualFold(got, want) {
		return fmt.Errorf("did %q, want %q\n%s", got, want, d.log.String())
	}
	return nil
}

// unsaid is what was done and the last reply of a log does not say, or empty.
func unsaid(arguments map[string]string, log string) string {
	reply := log[strings.LastIndex(log, "\n< "):]
	clock, err := time.Parse("15:04", arguments["time"])
	spoken := strings.Replace(clock.Format("3:04 PM"), ":00", "", 1)
	for _, value := range []string{arguments["customer_name"], arguments["address"], arguments["message"], spoken} {
		if !strings.Contains(reply, value) && (value != spoken || err == nil) {
			return value
		}
	}
	return ""
}
