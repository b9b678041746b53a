package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatterbox/loop"
)

// This file sees to it that nothing which changes something is done unnoticed. The rules are: such a call is committed
// before it is made, and what came of it after; the turn's own commit takes both away. What a later turn finds was
// begun in a turn whose end nobody has heard: the person is told, and the host makes no call again by itself.

// Effect is a call that changes something, of a turn that was not stored.
type Effect struct {
	Tool      string          `json:"tool"` // name
	Arguments json.RawMessage `json:"arguments"`
	Outcome   EffectOutcome   `json:"outcome,omitempty"`
}

// EffectOutcome is what came of a call.
type EffectOutcome string

// The outcomes.
const (
	EffectUnknown EffectOutcome = ""
	EffectDone    EffectOutcome = "done"
	EffectFailed  EffectOutcome = "failed"
)

// effectsMax bounds the calls of earlier turns that are told of; of more, the newest are.
const effectsMax = 8

// journal commits calls that change something before they are made, and what came of them after.
type journal struct {
	record *record
	over   *bool // guarded by record.mu; the turn goes on without a call that was left behind
}

var errOver = errors.New("the turn has ended")

// around makes the call between its two entries.
func (j *journal) around(ctx context.Context, call loop.Call, makeCall func() loop.Result) loop.Result {
	at, err := j.begin(ctx, call)
	if err != nil {
		j.record.log.ErrorContext(ctx, "a call that acts could not be noted and was not made",
			"tool", call.Name, "error", err)
		return loop.ErrorResult("The call could not be noted in the conversation, so it was not made.")
	}
	result := makeCall()
	if result.Failed && ctx.Err() != nil {
		return result // given up halfway: what it did is not known
	}
	outcome := EffectDone
	if result.Failed {
		outcome = EffectFailed
	}
	if err := j.end(ctx, at, outcome); err != nil {
		j.record.log.ErrorContext(ctx, "what came of a call could not be noted", "tool", call.Name, "error", err)
	}
	return result
}

// begin enters a call that is about to be made, and says where.
func (j *journal) begin(ctx context.Context, call loop.Call) (int, error) {
	r := j.record
	r.mu.Lock()
	defer r.mu.Unlock()
	if *j.over {
		return 0, errOver
	}
	if r.approved == call.Name {
		r.approved = ""
		return len(r.state.Effects) - 1, nil
	}
	read, err := call.Read()
	if err != nil {
		return 0, err
	}
	r.addEffect(call.Name, json.RawMessage(read.Text()))
	return len(r.state.Effects) - 1, r.commitState(ctx)
}

// end enters what came of a call, also for a client that has left meanwhile.
func (j *journal) end(ctx context.Context, at int, outcome EffectOutcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	r := j.record
	r.mu.Lock()
	defer r.mu.Unlock()
	if *j.over {
		return errOver
	}
	r.state.Effects = slices.Clone(r.state.Effects)
	r.state.Effects[at].Outcome = outcome
	return r.commitState(ctx)
}

// interrupted are the sentences that say what became of earlier turns' calls.
func (t *turn) interrupted() string {
	var sentences []string
	for _, effect := range t.record.state.Effects[:t.record.old] {
		switch effect.Outcome {
		case EffectUnknown:
			sentences = append(sentences, t.sentence("effect_unknown", "call", effect.said()))
		case EffectDone:
			sentences = append(sentences, t.sentence("effect_done", "call", effect.said()))
		}
	}
	return strings.Join(sentences, " ")
}

// effectWordsMax bounds what is said of a call's arguments, in characters.
const effectWordsMax = 200

// said is the call in words: its name, and its arguments in the order of their names.
func (e Effect) said() string {
	name := strings.ReplaceAll(e.Tool, "_", " ")
	var arguments map[string]any
	if json.Unmarshal(e.Arguments, &arguments) != nil || len(arguments) == 0 {
		return name
	}
	var values []string
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		values = append(values, fmt.Sprint(arguments[key]))
	}
	words := []rune(strings.Join(strings.Fields(strings.Join(values, ", ")), " "))
	if len(words) > effectWordsMax {
		words = append(words[:effectWordsMax], '…')
	}
	return fmt.Sprintf("%s (%s)", name, string(words))
}
