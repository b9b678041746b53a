package steps

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// answerChecks are about what the person hears, and what a program is told beside it.
func (w *world) answerChecks() bindings {
	answers := func(want string) error { return scenario.MatchText("the answer", want, w.answer()) }
	return bindings{
		`the answer is {text}`: answers,
		`the answer is:`:       func(want *godog.DocString) error { return answers(want.Content) },
		`the answer is empty`:  func() error { return answers("") },
		`the answer in conversation {text} is {text}`: func(conversation, want string) error {
			current, ok := w.turns[conversation]
			if !ok {
				return fmt.Errorf("nobody has said anything in conversation %q", conversation)
			}
			return scenario.MatchText("the answer", want, current.reply.ResponseText)
		},
		`the claim {text} is not heard`: w.claimNotHeard,
		`nothing is claimed`: func() error {
			return unless(len(w.trace().Claims) == 0, "it claims %q", w.trace().Claims)
		},
		`the turn succeeds`:          func() error { return w.failsWith("") },
		`the turn fails with {name}`: w.failsWith,
		`a program is told to wait {n} seconds`: func(seconds float64) error {
			failure := w.last.reply.Extra.Error
			if failure == nil {
				return errors.New("the turn has no error")
			}
			// A second may have gone by between the model's word and the reply.
			holds := seconds-1 <= failure.RetryAfter && failure.RetryAfter <= seconds
			return unless(holds, "it is told to wait %v seconds", failure.RetryAfter)
		},
		`the reply belongs to conversation {text}`: func(conversation string) error {
			id := w.last.reply.ConversationID
			return unless(id != nil && *id == conversation, "it belongs to %s", scenario.Compact(id))
		},
		`the reply belongs to no conversation`: func() error {
			id := w.last.reply.ConversationID
			return unless(id == nil, "it belongs to %s", scenario.Compact(id))
		},
		`the reply begins a new conversation`: func() error {
			id := w.last.reply.ConversationID
			if id == nil || *id == "" {
				return errors.New("it belongs to no conversation")
			}
			_, had := w.turns[*id]
			return unless(!had, "it belongs to conversation %q", *id)
		},
	}
}

// claimNotHeard checks that the trace has a sentence of the model that the person heard nowhere, not even for a
// moment.
func (w *world) claimNotHeard(claim string) error {
	if claims := w.trace().Claims; !slices.Contains(claims, claim) {
		return fmt.Errorf("the trace has the claims %q", claims)
	}
	heard := w.answer()
	if w.last.events != nil {
		before, pieces, err := w.heard()
		if err != nil {
			return err
		}
		heard += "\n" + strings.Join(before, "") + "\n" + strings.Join(pieces, "")
	}
	return unless(!strings.Contains(heard, claim), "it is heard in %q", heard)
}

// failsWith checks the kind of error that a program is told; empty is none.
func (w *world) failsWith(kind string) error {
	got := ""
	if failure := w.last.reply.Extra.Error; failure != nil {
		got = failure.Kind
	}
	return unless(got == kind, "the turn's error is %q (answer: %q)", got, w.answer())
}

// streamChecks are about an answer that came in pieces.
func (w *world) streamChecks() bindings {
	return guarded(w.listened, bindings{
		`the answer comes in at least {n} pieces`: func(n int) error {
			_, pieces, err := w.heard()
			if err != nil {
				return err
			}
			if len(pieces) < n {
				return fmt.Errorf("it comes in %d", len(pieces))
			}
			return scenario.MatchText("what was heard", w.answer(), strings.Join(pieces, ""))
		},
		`{text} is heard before the answer and is not part of it`: func(want string) error {
			before, pieces, err := w.heard()
			if err != nil {
				return err
			}
			if !slices.Contains(before, want) {
				return fmt.Errorf("before the answer %q was heard", before)
			}
			answer := strings.Join(pieces, "")
			holds := answer == w.answer() && !strings.Contains(answer, want)
			return unless(holds, "the answer was heard as %q and is %q", answer, w.answer())
		},
		`the listener sees {tool} {finish|fail}`: w.seesTool,
		`the listener sees no tool`: func() error {
			told := slices.ContainsFunc(w.last.events, func(e streamEvent) bool { return e.name == "tool" })
			return unless(!told, "the stream tells of a tool")
		},
	})
}

func (w *world) listened() error {
	return unless(w.last.events != nil, "nobody listened to the last turn")
}

// heard is what a listener heard: the pieces of the answer, and before them what the interim events took back.
func (w *world) heard() (before []string, pieces []string, err error) {
	for _, event := range w.last.events {
		switch event.name {
		case "delta":
			var delta struct{ Text string }
			if err := json.Unmarshal(event.data, &delta); err != nil {
				return nil, nil, fmt.Errorf("delta %s: %w", event.data, err)
			}
			pieces = append(pieces, delta.Text)
		case "interim":
			before, pieces = append(before, strings.Join(pieces, "")), nil
		}
	}
	return before, pieces, nil
}

// seesTool checks that the stream told of one tool's running, and then of its end.
func (w *world) seesTool(tool, end string) error {
	var states []string
	for _, event := range w.last.events {
		if event.name != "tool" {
			continue
		}
		var got struct{ Name, State string }
		if err := json.Unmarshal(event.data, &got); err != nil {
			return fmt.Errorf("tool event %s: %w", event.data, err)
		}
		if got.Name == tool {
			states = append(states, got.State)
		}
	}
	want := []string{"running", map[string]string{"finish": "done", "fail": "failed"}[end]}
	return unless(slices.Equal(states, want), "of %s the stream tells %q, not %q", tool, states, want)
}
