package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// record is what the store holds of a turn's conversation, and what the turn will leave there. Calls that run at once
// enter their effects in it.
type record struct {
	id    string // empty: the turn is stateless
	store Store
	log   *slog.Logger

	conversation Conversation // as it was loaded, with the version that the next commit names
	state        State        // to be stored with the turn
	// keep says that a confirmed call has run: the turn is stored whoever has left.
	keep bool

	mu       sync.Mutex // guards state.Effects and the version while calls run, and what follows
	over     *bool      // of the journal that was made last
	old      int        // effects of earlier turns, which come first
	approved string     // the tool of the last effect, which is entered and has not begun; else empty
}

// load reads the conversation, with its newest turns. The calls of earlier turns whose end nobody has heard are taken
// over, so that this turn tells of them.
func (r *record) load(ctx context.Context, turnsMax int) error {
	if r.id == "" {
		return nil
	}
	conversation, err := r.store.Load(ctx, r.id, max(turnsMax, 0))
	if err != nil {
		return fmt.Errorf("load conversation: %w", err)
	}
	r.conversation, r.state = conversation, conversation.State
	if more := len(r.state.Effects) - effectsMax; more > 0 {
		r.state.Effects = r.state.Effects[more:]
	}
	r.old = len(r.state.Effects)
	return nil
}

// commitState commits the state alone.
func (r *record) commitState(ctx context.Context) error {
	err := r.store.SetState(ctx, r.id, r.conversation.Version, r.state)
	if err == nil {
		r.conversation.Version++
	}
	return err
}

// append commits the turn with the state. The client may leave from now on: the commit is not undone for that.
func (r *record) append(ctx context.Context, turn Turn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	r.state.Effects = nil // the turn tells of them
	return r.store.Append(ctx, r.id, r.conversation.Version, turn, r.state)
}

// newJournal takes entries until leave, or until another is made.
func (r *record) newJournal() *journal {
	r.over = new(bool)
	return &journal{r, r.over}
}

// leave ends the entries of calls that did not return when their time was over.
func (r *record) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over != nil {
		*r.over = true
	}
}

func (r *record) addEffect(tool string, arguments json.RawMessage) {
	r.state.Effects = append(slices.Clone(r.state.Effects), Effect{Tool: tool, Arguments: arguments})
}

// approve enters a call that the person has just agreed to; what commits the state next commits it too.
func (r *record) approve(tool string, arguments json.RawMessage) {
	r.addEffect(tool, arguments)
	r.approved = tool
}

// expects says whether it is the call that was agreed to, which counts as one that acts whatever its tool says.
func (r *record) expects(tool string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.approved == tool && tool != ""
}
