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
	return bindings{
		`the answer is {text}`: w.answerIs,
		`the answer is:`:       func(want *godog.DocString) error { return w.answerIs(want.Content) },
		`the answer is empty`:  func() error { return w.answerIs("") },
		`the answer in conversation {text} is {text}`: func(conversation, want string) error {
			current, err := w.turnOf(conversation)
			if err != nil {
				return err
			}
			return scenario.MatchText("the answer", want, current.reply.ResponseText)
		},
		`the claim {text} is not heard`: w.claimNotHeard,
		`nothing is claimed`: func() error {
			current, err := w.lastTurn()
			if err == nil && len(current.reply.Trace.Claims) > 0 {
				err = fmt.Errorf("it claims %q", current.reply.Trace.Claims)
			}
			return err
		},
		`the turn succeeds`:                        func() error { return w.failsWith("") },
		`the turn fails with {name}`:               w.failsWith,
		`a program is told to wait {n} seconds`:    w.retryAfter,
		`the reply belongs to conversation {text}`: w.belongsTo,
		`the reply belongs to no conversation`: func() error {
			current, err := w.lastTurn()
			if err == nil && current.reply.ConversationID != nil {
				err = fmt.Errorf("it belongs to %q", *current.reply.ConversationID)
			}
			return err
		},
		`the reply begins a new conversation`: w.beginsConversation,
	}
}

func (w *world) answerIs(want string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	return scenario.MatchText("the answer", want, current.reply.ResponseText)
}

// claimNotHeard checks that the trace has a sentence of the model that the person heard nowhere, not even for a moment.
func (w *world) claimNotHeard(claim string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	if !slices.Contains(current.reply.Trace.Claims, claim) {
		return fmt.Errorf("the trace has the claims %q", current.reply.Trace.Claims)
	}
	heard := current.reply.ResponseText
	if current.events != nil {
		before, pieces, err := w.heard()
		if err != nil {
			return err
		}
		heard += "\n" + strings.Join(before, "") + "\n" + strings.Join(pieces, "")
	}
	if strings.Contains(heard, claim) {
		return fmt.Errorf("it is heard in %q", heard)
	}
	return nil
}

// failsWith checks the kind of error that a program is told; empty is none.
func (w *world) failsWith(kind string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	got := ""
	if failure := current.reply.Extra.Error; failure != nil {
		got = failure.Kind
	}
	if got != kind {
		return fmt.Errorf("the turn's error is %q (answer: %q)", got, current.reply.ResponseText)
	}
	return nil
}

func (w *world) retryAfter(seconds float64) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	failure := current.reply.Extra.Error
	if failure == nil {
		return errors.New("the turn has no error")
	}
	// A second may have gone by between the model's word and the reply.
	if failure.RetryAfter > seconds || failure.RetryAfter < seconds-1 {
		return fmt.Errorf("it is told to wait %v seconds", failure.RetryAfter)
	}
	return nil
}

func (w *world) belongsTo(conversation string) error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	if id := current.reply.ConversationID; id == nil || *id != conversation {
		return fmt.Errorf("it belongs to %s", scenario.Compact(id))
	}
	return nil
}

// beginsConversation checks that the reply names a conversation that no turn named before.
func (w *world) beginsConversation() error {
	current, err := w.lastTurn()
	if err != nil {
		return err
	}
	id := current.reply.ConversationID
	if id == nil || *id == "" {
		return errors.New("it belongs to no conversation")
	}
	if _, ok := w.turns[*id]; ok {
		return fmt.Errorf("it belongs to conversation %q", *id)
	}
	return nil
}

// streamChecks are about an answer that came in pieces.
func (w *world) streamChecks() bindings {
	return bindings{
		`the answer comes in at least {n} pieces`:                 w.comesInPieces,
		`{text} is heard before the answer and is not part of it`: w.heardBefore,
		`the listener sees {tool} {finish|fail}`:                  w.seesTool,
		`the listener sees no tool`: func() error {
			events, err := w.events()
			if err == nil && slices.ContainsFunc(events, func(e streamEvent) bool { return e.name == "tool" }) {
				err = errors.New("the stream tells of a tool")
			}
			return err
		},
	}
}

func (w *world) events() ([]streamEvent, error) {
	current, err := w.lastTurn()
	if err == nil && current.events == nil {
		err = errors.New("nobody listened to the last turn")
	}
	if err != nil {
		return nil, err
	}
	return current.events, nil
}

// heard is what a listener heard: the pieces of the answer, and before them what the interim events took back.
func (w *world) heard() (before []string, pieces []string, err error) {
	events, err := w.events()
	if err != nil {
		return nil, nil, err
	}
	for _, event := range events {
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

// comesInPieces also checks that the pieces are the answer.
func (w *world) comesInPieces(n int) error {
	_, pieces, err := w.heard()
	if err != nil {
		return err
	}
	if len(pieces) < n {
		return fmt.Errorf("it comes in %d", len(pieces))
	}
	return scenario.MatchText("what was heard", w.last.reply.ResponseText, strings.Join(pieces, ""))
}

func (w *world) heardBefore(want string) error {
	before, pieces, err := w.heard()
	if err != nil {
		return err
	}
	if !slices.Contains(before, want) {
		return fmt.Errorf("before the answer %q was heard", before)
	}
	if answer := strings.Join(pieces, ""); answer != w.last.reply.ResponseText || strings.Contains(answer, want) {
		return fmt.Errorf("the answer was heard as %q and is %q", answer, w.last.reply.ResponseText)
	}
	return nil
}

// seesTool checks that the stream told of one tool's running, and then of its end.
func (w *world) seesTool(tool, end string) error {
	events, err := w.events()
	if err != nil {
		return err
	}
	var states []string
	for _, event := range events {
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
	if !slices.Equal(states, want) {
		return fmt.Errorf("of %s the stream tells %q, not %q", tool, states, want)
	}
	return nil
}
