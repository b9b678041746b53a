package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"chatterbox/loop"
)

// This file sees to it that nothing which changes something is done unnoticed. The rules are: such a call is committed before
// it is made, and what came of it after; the turn's own commit takes both away. What a later turn finds was begun in a turn
// that nobody has heard the end of: the person is told, and the host makes no call again by itself.

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

// noting are tools whose calls that change something are committed before and after.
type noting struct {
	loop.Tools
	turn *turn
	over *bool // guarded by turn.notes.mu; the turn goes on without a call that was left behind
}

var errOver = errors.New("the turn has ended")

func (n noting) Call(ctx context.Context, call loop.Call, verdict loop.Verdict) loop.Result {
	notes := &n.turn.notes
	if !verdict.Acts && !notes.expects(call.Name) {
		return n.Tools.Call(ctx, call, verdict)
	}
	at, err := notes.begin(ctx, n, call)
	if err != nil {
		n.turn.opts.Log.ErrorContext(ctx, "a call that acts could not be noted and was not made", "tool", call.Name, "error", err)
		return loop.ErrorResult("The call could not be noted in the conversation, so it was not made.")
	}
	result := n.Tools.Call(ctx, call, verdict)
	if result.Failed && ctx.Err() != nil {
		return result // given up halfway: what it did is not known
	}
	outcome := EffectDone
	if result.Failed {
		outcome = EffectFailed
	}
	if err := notes.end(ctx, n, at, outcome); err != nil {
		n.turn.opts.Log.ErrorContext(ctx, "what came of a call could not be noted", "tool", call.Name, "error", err)
	}
	return result
}

// notes guard what calls that run at once change in the turn: its state's effects, and the version.
type notes struct {
	mu       sync.Mutex
	over     *bool  // of the tools that were made last
	old      int    // effects of earlier turns, which come first
	approved string // the tool of the last effect, which is noted and has not begun; else empty
}

// noted are tools that note their effects until leave, or until others are made.
func (t *turn) noted(tools loop.Tools) loop.Tools {
	t.notes.over = new(bool)
	return noting{tools, t, t.notes.over}
}

// leave ends the notes of calls that did not return when their time was over.
func (n *notes) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over != nil {
		*n.over = true
	}
}

// approve notes a call that the person has just agreed to; what commits the state next commits it too.
func (n *notes) approve(t *turn, tool string, arguments json.RawMessage) {
	t.state.Effects = append(slices.Clone(t.state.Effects), Effect{Tool: tool, Arguments: arguments})
	n.approved = tool
}

// expects says whether it is the call that was agreed to, which counts as one that acts whatever its tool says.
func (n *notes) expects(tool string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.approved == tool && tool != ""
}

// begin notes a call that is about to be made, and says where.
func (n *notes) begin(ctx context.Context, tools noting, call loop.Call) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if *tools.over {
		return 0, errOver
	}
	state := &tools.turn.state
	if n.approved == call.Name {
		n.approved = ""
		return len(state.Effects) - 1, nil
	}
	state.Effects = append(slices.Clone(state.Effects), Effect{Tool: call.Name, Arguments: rawJSON(call.Arguments)})
	return len(state.Effects) - 1, tools.turn.commitState(ctx)
}

// end notes what came of a call, also for a client that has left meanwhile.
func (n *notes) end(ctx context.Context, tools noting, at int, outcome EffectOutcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	if *tools.over {
		return errOver
	}
	state := &tools.turn.state
	state.Effects = slices.Clone(state.Effects)
	state.Effects[at].Outcome = outcome
	return tools.turn.commitState(ctx)
}

// takeEffects takes the calls of earlier turns over, so that this one tells of them.
func (t *turn) takeEffects() {
	if more := len(t.state.Effects) - effectsMax; more > 0 {
		t.state.Effects = t.state.Effects[more:]
	}
	t.notes.old = len(t.state.Effects)
}

// tellEffects puts what became of earlier turns' calls in front of the answer.
func (t *turn) tellEffects() {
	var told []string
	for _, effect := range t.state.Effects[:t.notes.old] {
		switch effect.Outcome {
		case EffectUnknown:
			told = append(told, fmt.Sprintf(t.inLanguage(
				"I was interrupted during %s and can't tell whether it took effect; please check before you ask for it again.",
				"Ich wurde bei %s unterbrochen und weiß nicht, ob es gewirkt hat; bitte sehen Sie nach, bevor Sie noch einmal darum bitten."), effect.said()))
		case EffectDone:
			told = append(told, fmt.Sprintf(t.inLanguage("Before I was interrupted, %s was done.", "Bevor ich unterbrochen wurde, war %s erledigt."), effect.said()))
		}
	}
	if len(told) > 0 {
		t.outcome.Text = strings.TrimSpace(strings.Join(told, " ") + " " + t.outcome.Text)
	}
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
