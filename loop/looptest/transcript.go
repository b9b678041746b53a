package looptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatterbox/loop"
)

// Transcript runs the transcript in file: the turn that it scripts is performed by a [loop.Driver] in fake time, and
// what happened must be what its section "events" says. With update that section is written instead. The recorded
// events must also lead a second machine to the same effects. README.md has the sections.
func Transcript(t *testing.T, file string, update bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	comment, all := sections(string(data))
	s, err := parse(all)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(comment) == "" {
		t.Error("the transcript does not say what it guards")
	}
	var got string
	synctest.Test(t, func(t *testing.T) { got = s.run(t) })
	at := slices.IndexFunc(all, func(part section) bool { return part.name == "events" })
	if at < 0 {
		at, all = len(all), append(all, section{name: "events"})
	}
	if update {
		all[at].text = got
		if err := os.WriteFile(file, []byte(join(comment, all)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := all[at].text; got != want {
		t.Errorf("the events differ from line %d on; got:\n%s", firstDifference(got, want), got)
	}
}

func firstDifference(a, b string) int {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range left {
		if i >= len(right) || left[i] != right[i] {
			return i + 1
		}
	}
	return len(left) + 1
}

// run performs the script and returns what happened.
func (s *script) run(t *testing.T) string {
	tools := s.toolset(t)
	var events []loop.Event
	driver := loop.Driver{
		Model: s.model(t), Tools: tools,
		Observe: func(event loop.Event) { events = append(events, event) },
	}
	messages := append(slices.Clone(s.history), loop.Message{Role: loop.User, Content: s.user})
	before := encode(t, messages)
	fresh := loop.New(s.limits, tools.Offered())
	machine, outcome := s.turn(t, driver, fresh, s.start(t, messages, scriptWords{Calls: s.calls}))
	log := replay(t, fresh, events, outcome)
	for _, answer := range s.answers {
		log += "--- resumed\n"
		var restored loop.Machine
		if err := json.Unmarshal([]byte(encode(t, machine)), &restored); err != nil {
			t.Fatal(err)
		}
		if answer.Updated != "" {
			tools.Update(answer.Updated)
		}
		events = nil
		machine, outcome = s.turn(t, driver, restored, loop.Event{
			Kind: loop.Answered, Yes: answer.Yes, Text: answer.Text,
			Arguments: string(answer.Arguments), CallerWords: answer.Words,
		})
		log += replay(t, restored, events, outcome)
	}
	for _, next := range s.words {
		if outcome.Results == nil {
			t.Fatalf("the turn does not pause for the caller to go on with %+v", next)
		}
		log += "--- the caller goes on\n"
		events = nil
		before := machine
		machine, outcome = s.turn(t, driver, machine, s.start(t, nil, next))
		log += replay(t, before, events, outcome)
	}
	time.Sleep(2 * deaf) // a tool that was left behind ends too
	if encode(t, messages) != before {
		t.Error("the caller's messages were changed")
	}
	return log
}

func (s *script) turn(t *testing.T, driver loop.Driver, machine loop.Machine, first loop.Event,
) (loop.Machine, loop.Outcome) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if s.cancel != nil {
		cause := loop.ErrClientGone
		if s.cancel.Cause == string(loop.Shutdown) {
			cause = loop.ErrShutdown
		}
		timer := time.AfterFunc(duration(t, s.cancel.After), func() { cancel(cause) })
		defer timer.Stop()
	}
	said := ""
	machine, outcome := driver.Run(ctx, machine, first, func(emission loop.Emission) {
		switch emission.Kind {
		case loop.EmitDelta:
			said += emission.Text
		case loop.EmitInterim:
			said = ""
		}
	})
	if outcome.Failure == nil && said != outcome.Text {
		t.Errorf("the deltas say %q, the outcome %q", said, outcome.Text)
	}
	return machine, outcome
}

// replay gives events to a machine and writes down what it does.
func replay(t *testing.T, machine loop.Machine, events []loop.Event, want loop.Outcome) string {
	var log strings.Builder
	told := 0
	for _, event := range events {
		var effects []loop.Effect
		machine, effects = loop.Step(machine, event)
		fmt.Fprintln(&log, "<", describeEvent(event))
		for _, effect := range effects {
			fmt.Fprintln(&log, ">", describeEffect(effect))
			if effect.Kind == loop.CallModel {
				for _, message := range effect.Request.Messages[told:] {
					fmt.Fprintln(&log, "   ", describeMessage(message))
				}
				told = len(effect.Request.Messages)
			}
			if effect.Kind == loop.Finish {
				writeOutcome(&log, *effect.Outcome)
				if encode(t, effect.Outcome) != encode(t, want) {
					t.Errorf("the replay ends with %s, the turn with %s", encode(t, effect.Outcome), encode(t, want))
				}
			}
		}
	}
	return log.String()
}

func encode(t testing.TB, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
